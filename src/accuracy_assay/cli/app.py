"""The command line as a whole: every command, by what it is for."""

from importlib import import_module
from typing import Annotated

import typer

import accuracy_assay
from accuracy_assay.cli.option_groups import spread
from accuracy_assay.cli.trust import IS_AGREED
from accuracy_assay.runtime.imports import import_named, installed

__all__ = ["COMMANDS", "build_app"]

PANELS = {
    "Begin here": ("demo", "look"),
    "Ask a table, a log, a surface or an assay": (
        "surface",
        "query",
        "slices",
        "attributes",
        "compare",
        "judges",
        "check",
        "watch",
        "plan",
        "simulate",
    ),
    "Show others": ("report", "card"),
    "Collect labels from people: an assay": (
        "init",
        "edit",
        "calibrate",
        "ask",
        "tell",
        "label",
        "serve",
        "invite",
        "sync",
        "run",
        "status",
        "team",
    ),
    "Keep an assay": ("verify", "backup", "export", "import"),
}
"""Commands as the help groups them; each is the function of its name in the module of its name."""

COMMANDS = {name: panel for panel, names in PANELS.items() for name in names}
"""The panel of each command."""

GROUP = "accuracy_assay.commands"
"""The entry-point group in which other packages declare commands."""


def build_app(command: str | None = None) -> typer.Typer:
    """Return the command line with one command, which starts sooner, or with all."""
    app = typer.Typer(
        name="assay",
        help="Attributed Accuracy Assay: how accurate a service is, where it fails, and how sure "
        "you can be.",
        no_args_is_help=True,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    for name in [command] if command in COMMANDS else COMMANDS:
        word = "import_" if name == "import" else name
        function = spread(getattr(import_module(f"accuracy_assay.cli.{word}"), word))
        app.command(name, rich_help_panel=COMMANDS[name])(function)
    if command not in COMMANDS:
        for name in installed(GROUP):
            app.command(name, rich_help_panel="More")(import_named("command", name, GROUP))
    app.callback()(_root)
    return app


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Let an assay from elsewhere import code and send data."),
    ] = False,
) -> None:
    IS_AGREED.set(trust)
    if version:
        print(accuracy_assay.__version__)
        raise typer.Exit
