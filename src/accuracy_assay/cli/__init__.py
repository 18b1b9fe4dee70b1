"""The command line: ``assay``. Each command is one file; nothing heavy loads until it runs."""

__all__ = ["main"]


def main() -> None:
    """Run the command line; this is the ``assay`` script.

    Only the requested command is built, since building each takes time; help and shell completion
    need all of them. The version needs no command line at all.
    """
    import os
    import sys

    words = sys.argv[1:]
    if words == ["--version"]:
        from accuracy_assay import __version__

        print(__version__)
        return
    from accuracy_assay.cli.errors import run_app

    is_completing = "_ASSAY_COMPLETE" in os.environ
    run_app(lambda: _run(words, None if is_completing else _command(words)))


def _command(words: list[str]) -> str | None:
    return next((word for word in words if not word.startswith("-")), None)


def _run(words: list[str], command: str | None) -> object:
    """Run a command; the most common one takes a shortcut."""
    if command == "tell" and words[0] == "tell":
        from accuracy_assay.cli.quick_tell import tell_quickly

        if tell_quickly(words[1:]):
            return None
    from accuracy_assay.cli.app import build_app
    from accuracy_assay.runtime.device_choice import share_gpu_memory

    share_gpu_memory()
    return build_app(command)(prog_name="assay", standalone_mode=False)
