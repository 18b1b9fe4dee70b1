"""``assay simulate``: the whole loop replayed on a table whose labels are all known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import (
    AGREEMENT,
    CALIBRATION,
    AnswerForm,
    AsJson,
    Attributes,
    Cluster,
    Device,
    EstimatorName,
    EvidencePatterns,
    FromLabel,
    Judges,
    Referees,
    Seed,
    Settings,
    Signals,
)

__all__ = ["simulate"]


def simulate(
    rows: Annotated[Path, typer.Argument(help="Rows with known scores: CSV, JSONL or Parquet.")],
    attribute: Attributes,
    score: Annotated[str | None, typer.Option(help="Column of the score, in [0, 1].")] = None,
    y_true: Annotated[str | None, typer.Option(help="Column of the truth.")] = None,
    y_pred: Annotated[str | None, typer.Option(help="Column of the prediction.")] = None,
    agreement: Annotated[str, AGREEMENT] = "equal",
    signal: Signals = None,
    referee: Referees = None,
    judge: Judges = None,
    answer_form: AnswerForm = False,
    cluster: Cluster = None,
    evidence: EvidencePatterns = None,
    from_label: FromLabel = None,
    confirmed: Annotated[
        list[str] | None,
        typer.Option(help="Guessed attribute that annotators confirm with each label; repeat."),
    ] = None,
    estimator: EstimatorName = "anova-gp",
    strategy: Annotated[
        str, typer.Option(help="Name of the strategy, or module:Class.")
    ] = "variance-reduction",
    calibration: Annotated[str, CALIBRATION] = "full",
    settings: Settings = None,
    seed_size: Annotated[int, typer.Option(help="Rows of the seed set.")] = 500,
    budget: Annotated[int, typer.Option(help="Labels to ask for after the seed set.")] = 1000,
    batch: Annotated[int, typer.Option(help="Labels per round.")] = 12,
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option(help="CSV file to write: the metrics of every round.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Surface file to write: that of the last round.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay an assay against known labels, to compare methods or to plan a budget.

    The metrics are written after every round, so that a run that is stopped keeps those it made.

    Example: [bold]assay simulate rows.csv -a sex -a age:30,60 --score correct --budget 300[/bold]
    """
    from accuracy_assay.cli.console import print_json, results, steps
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.parse import parse_attributes, split_pairs
    from accuracy_assay.cli.session import find_working_folder
    from accuracy_assay.cli.settings import with_settings
    from accuracy_assay.cli.tables import frame_table
    from accuracy_assay.files.tables import write_csv
    from accuracy_assay.study import simulate as study
    from accuracy_assay.study.history import rounds_frame

    require_outputs({"metrics": out, "surface": save}, [rows])
    find_working_folder()
    named = {"estimator": estimator, "strategy": strategy, "calibration": calibration}
    methods = with_settings(named, settings)
    rounds: list[Mapping[str, float]] = []
    with steps("labels") as advance:

        def show(row: Mapping[str, float]) -> None:
            rounds.append(row)
            if out is not None:
                write_csv(rounds_frame(rounds), out, what="metrics")
            asked = int(row["labels"]) - seed_size
            advance(asked, budget, f"macro MSE {row['macro_mse']:.2f}")

        history = study.simulate(
            rows,
            parse_attributes(attribute),
            score,
            y_true=y_true,
            y_pred=y_pred,
            agreement=agreement,
            signals=signal,
            referees=referee,
            judges=judge,
            answer_form=answer_form,
            cluster=cluster,
            evidence=dict(split_pairs(evidence or [], "evidence", "attribute=pattern")),
            from_label=from_label or (),
            confirmed_attributes=confirmed or (),
            **methods,
            seed_size=seed_size,
            budget=budget,
            batch=batch,
            seed=seed,
            on_round=show,
        )
    if save is not None:
        history.surface.save(save)
    if as_json:
        print_json(history.metrics.to_dicts())
    else:
        results().print(frame_table(history.metrics))
