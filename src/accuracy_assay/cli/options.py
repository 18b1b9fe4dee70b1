"""Options that several commands share, each declared once."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AGREEMENT",
    "ATTRIBUTE",
    "CALIBRATION",
    "ESTIMATOR",
    "MISSING_PREDICTION",
    "AnswerForm",
    "AsJson",
    "AsMarkdown",
    "Attributes",
    "Cluster",
    "Device",
    "EngineName",
    "EstimatorName",
    "EvidencePatterns",
    "Format",
    "FromLabel",
    "GoalMix",
    "Histories",
    "Judges",
    "LabelGoal",
    "Measure",
    "PickedBy",
    "Referees",
    "Seed",
    "Settings",
    "Signals",
    "TargetName",
    "Where",
]

ATTRIBUTE = typer.Option(
    "--attribute",
    "-a",
    help="Attribute column: name, name:30,45,60 (edges) or name:low<mid<high; for a text "
    "name=text:column:feature; repeat.",
)
Attributes = Annotated[list[str], ATTRIBUTE]
Signals = Annotated[
    list[str] | None,
    typer.Option("--signal", help="Free column: predicted class or confidence; repeat."),
]
Referees = Annotated[
    list[str] | None,
    typer.Option(
        "--referee", help="Column of another service's predictions, with --y-pred; repeat."
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", help="Column of a judge's verdict or score of each answer; repeat."),
]
Histories = Annotated[
    list[str] | None,
    typer.Option("--history", help="Column of an earlier service's scores; repeat."),
]
AnswerForm = Annotated[
    bool,
    typer.Option("--answer-form", help="Use the form of short answers in --y-pred as a signal."),
]
AGREEMENT = typer.Option(
    "--agreement",
    help="How two answers compare: equal, bleu, wer, absolute:LOW:HIGH, module:function.",
)
MISSING_PREDICTION = typer.Option(
    "--missing-prediction",
    help="What a labelled row without an answer is: wrong, refuse (an error) or drop (left out).",
    show_default="wrong",
)
Measure = Annotated[
    str | None,
    typer.Option(
        "--measure", help="Instead of accuracy: recall:CLASS, precision:CLASS and the like."
    ),
]
Where = Annotated[
    str | None,
    typer.Option("--where", help="SQL condition on columns that rows must meet to count."),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Column of rows that belong together, such as the speaker."),
]
EvidencePatterns = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        help="Guessed attribute: name=pattern, such as accent=p_accent__*; repeat.",
    ),
]
FromLabel = Annotated[
    list[str] | None,
    typer.Option("--from-label", help="Attribute that the label reveals; repeat."),
]
PickedBy = Annotated[
    str | None,
    typer.Option(
        "--picked",
        help="How the labelled rows were picked, if an attribute is the label: label (so many of "
        "each class) or random.",
    ),
]
CALIBRATION = typer.Option(
    "--calibration", help="Name of the calibration, or module:Class.", show_default="full"
)
ESTIMATOR = typer.Option(
    "--estimator", help="Name of the estimator, or module:Class.", show_default="anova-gp"
)
EstimatorName = Annotated[str, ESTIMATOR]
TargetName = Annotated[
    str | None,
    typer.Option(
        "--target",
        help="What the numbers are about: pool, its own rows (the default with --pool), or "
        "population, rows like them.",
    ),
]
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


def _choose_device(device: str) -> str:
    """Choose where fits run, before the command begins."""
    from accuracy_assay.runtime.device_choice import choose_device

    choose_device(device)
    return device


Device = Annotated[
    str,
    typer.Option(
        "--device",
        callback=_choose_device,
        help="Where fits run: cpu, gpu, or auto (a GPU if there is one).",
    ),
]

EngineName = Annotated[
    str,
    typer.Option("--engine", help="Where the heavy work is done: local, or ray (a Ray cluster)."),
]

Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
AsMarkdown = Annotated[
    bool,
    typer.Option("--markdown", help="Print Markdown as GitHub shows it, for a pull request."),
]
LabelGoal = Annotated[
    str | None,
    typer.Option(help="What labels are for: overall, surface, worst, mix or compare."),
]
GoalMix = Annotated[
    Path | None,
    typer.Option(help="Table of your own mix, for --goal mix: attribute columns and weight."),
]
