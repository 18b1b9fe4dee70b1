"""The command line: ``assay``. Each command is one file; nothing heavy loads until it runs."""

__all__ = ["main"]


def main() -> None:
    """Run the command line; this is the ``assay`` script."""
    from accuracy_assay.cli.app import app
    from accuracy_assay.cli.errors import run_app

    run_app(lambda: app(prog_name="assay", standalone_mode=False))
