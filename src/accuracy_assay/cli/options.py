"""Options that several commands share, each said once."""

from typing import Annotated

import typer

__all__ = [
    "ATTRIBUTE",
    "ESTIMATOR",
    "AsJson",
    "Attributes",
    "EstimatorName",
    "Format",
    "Seed",
    "Settings",
    "Signals",
]

ATTRIBUTE = typer.Option(
    "--attribute",
    "-a",
    help="Attribute column: name, name:30,45,60 (edges) or name:low<mid<high; repeat.",
)
Attributes = Annotated[list[str], ATTRIBUTE]
Signals = Annotated[
    list[str] | None,
    typer.Option("--signal", help="Free column: predicted class or confidence; repeat."),
]
ESTIMATOR = typer.Option("--estimator", help="Name of the estimator, or module:Class.")
EstimatorName = Annotated[str, ESTIMATOR]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Setting of a method, such as estimator.level=0.95; repeat."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, jsonl, label-studio or module:Class; by default the file's ending decides.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all randomness.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
