"""The command line: ``assay``. Each command is one file; nothing heavy loads until it runs."""

__all__ = ["main"]


def main() -> None:
    """Run the command line; this is the ``assay`` script.

    Only the command that is asked for is made, since each costs time to describe; help, and a
    shell that completes, want all of them. The version needs no command line at all.
    """
    import os
    import sys

    words = sys.argv[1:]
    if words == ["--version"]:
        from accuracy_assay import __version__

        print(__version__)
        return
    from accuracy_assay.cli.app import build_app
    from accuracy_assay.cli.errors import run_app

    asked = next((word for word in words if not word.startswith("-")), None)
    app = build_app(None if "_ASSAY_COMPLETE" in os.environ else asked)
    run_app(lambda: app(prog_name="assay", standalone_mode=False))
