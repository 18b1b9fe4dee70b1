"""The command line as a whole: every command in the order of a first day with the tool."""

from typing import Annotated

import typer

import accuracy_assay
from accuracy_assay.cli.ask import ask
from accuracy_assay.cli.attributes import attributes
from accuracy_assay.cli.bench import bench
from accuracy_assay.cli.calibrate import calibrate
from accuracy_assay.cli.card import card
from accuracy_assay.cli.check import check
from accuracy_assay.cli.compare import compare
from accuracy_assay.cli.demo import demo
from accuracy_assay.cli.edit import edit
from accuracy_assay.cli.export import export
from accuracy_assay.cli.import_ import import_
from accuracy_assay.cli.init import init
from accuracy_assay.cli.invite import invite
from accuracy_assay.cli.judges import judges
from accuracy_assay.cli.label import label
from accuracy_assay.cli.plan import plan
from accuracy_assay.cli.query import query
from accuracy_assay.cli.report import report
from accuracy_assay.cli.run import run
from accuracy_assay.cli.serve import serve
from accuracy_assay.cli.simulate import simulate
from accuracy_assay.cli.slices import slices
from accuracy_assay.cli.status import status
from accuracy_assay.cli.surface import surface
from accuracy_assay.cli.sync import sync
from accuracy_assay.cli.tell import tell
from accuracy_assay.cli.trust import IS_AGREED

__all__ = ["app"]

app = typer.Typer(
    name="assay",
    help="Attributed Accuracy Assay: how accurate a service is, where, and how sure one can be.",
    no_args_is_help=True,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (
    demo,
    init,
    edit,
    calibrate,
    ask,
    tell,
    label,
    serve,
    invite,
    sync,
    run,
    status,
    export,
    plan,
    surface,
    slices,
    judges,
    report,
    card,
    attributes,
    query,
    compare,
    check,
    simulate,
    bench,
):
    app.command()(command)
app.command("import")(import_)


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Let an assay from elsewhere import and send.")
    ] = False,
) -> None:
    IS_AGREED.set(trust)
    if version:
        print(accuracy_assay.__version__)
        raise typer.Exit
