"""``assay simulate``: the whole loop, replayed on a table with known labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    FitOptions,
    GuessOptions,
    RowOptions,
    SignalOptions,
)
from accuracy_assay.cli.options import AsJson, Device, GoalMix, LabelGoal
from accuracy_assay.cli.session import MetricName, ServiceName

__all__ = ["simulate"]


def simulate(
    rows: Annotated[
        str,
        typer.Argument(help="Rows with known scores: CSV, JSONL or Parquet; or evaluation logs."),
    ],
    table: RowOptions,
    free: SignalOptions,
    guesses: GuessOptions,
    fit: FitOptions,
    confirmed: Annotated[
        list[str] | None,
        typer.Option(help="Guessed attribute that annotators confirm with each label; repeat."),
    ] = None,
    confirm_price: Annotated[
        list[str] | None,
        typer.Option(
            help="Guessed attribute that may be confirmed with a label, and its price in labels, "
            "attribute=price; repeat."
        ),
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="Name of the strategy, or module:Class.")
    ] = "variance-reduction",
    goal: LabelGoal = None,
    mix: GoalMix = None,
    seed_size: Annotated[int, typer.Option(help="Rows of the seed set.")] = 500,
    budget: Annotated[int, typer.Option(help="Labels to ask for after the seed set.")] = 1000,
    batch: Annotated[int, typer.Option(help="Labels per round.")] = 12,
    random_share: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Least share of labels drawn at random (default: a tenth)."
        ),
    ] = None,
    service: ServiceName = None,
    metric: MetricName = None,
    device: Device = "auto",
    out: Annotated[
        Path | None, typer.Option(help="CSV file to write, with the metrics of every round.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Surface file to write, of the last round.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay an assay against known labels, to compare methods or to plan a budget.

    The metrics are written after every round, so a stopped run keeps what it has.

    Example: [bold]assay simulate rows.csv -a sex -a age:30,60 --score correct --budget 300[/bold]
    """
    from accuracy_assay.cli.console import frame_table, print_json, remark, results, steps
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.parse import parse_prices
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import write_csv
    from accuracy_assay.study import simulate as study
    from accuracy_assay.study.history import rounds_frame

    require_outputs({"metrics": out, "surface": save}, [rows])
    if table.pool is not None:
        raise InputError("a replay must be of one table; got --pool too. Leave it out.")
    own = read_rows(
        rows,
        *(table, free, guesses),
        what="a replay",
        score=table.one_score(),
        service=service,
        metric=metric,
    ).scored()
    methods = fit.methods(strategy=strategy, calibration=guesses.calibration or "full")
    wanted: Any = goal
    rounds: list[Mapping[str, float]] = []
    with steps("labels") as advance:

        def show(row: Mapping[str, float]) -> None:
            rounds.append(row)
            if out is not None:
                write_csv(rounds_frame(rounds), out, what="metrics")
            asked = int(row["labels"]) - seed_size
            advance(asked, budget, f"macro MSE {row['macro_mse']:.2f}")

        history = study.simulate(
            own.rows,
            own.columns,
            confirmed_attributes=confirmed or (),
            confirm_prices=parse_prices(confirm_price or []),
            **methods,
            goal=wanted,
            mix=mix,
            seed_size=seed_size,
            budget=budget,
            batch=batch,
            random_share=random_share,
            seed=fit.seed,
            on_round=show,
        )
    for said in history.surface.said_of_rows:
        remark(said)
    if save is not None:
        history.surface.save(save)
    if as_json:
        print_json(history.metrics.to_dicts())
    else:
        results().print(frame_table(history.metrics))
