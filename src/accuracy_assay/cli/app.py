"""The command line as a whole: every command in the order of a first day with the tool."""

from typing import Annotated

import typer

import accuracy_assay
from accuracy_assay.cli.bench import bench

__all__ = ["app"]

app = typer.Typer(
    name="assay",
    help="Attributed Accuracy Assay: how accurate a service is, where, and how sure one can be.",
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command()(bench)


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.")
    ] = False,
) -> None:
    if version:
        print(accuracy_assay.__version__)
        raise typer.Exit
