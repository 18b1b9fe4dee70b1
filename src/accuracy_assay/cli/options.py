"""Options that several commands share, each said once."""

from typing import Annotated

import typer

__all__ = [
    "ATTRIBUTE",
    "ESTIMATOR",
    "AsJson",
    "Attributes",
    "EstimatorName",
    "Seed",
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
ESTIMATOR = typer.Option("--estimator", help="Name of the estimator.")
EstimatorName = Annotated[str, ESTIMATOR]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all randomness.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
