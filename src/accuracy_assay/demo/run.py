"""The demonstration: a whole assay of the digits task, beside what random labels would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import accuracy_assay
from accuracy_assay.demo.thumbnails import encode_png, pick_examples
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.labels_to_halve import LABELS_TO_HALVE, labels_to_halve
from accuracy_assay.registry import build_strategy
from accuracy_assay.reports.provenance import pool_digest
from accuracy_assay.reports.report import Case, Report, wrong_first
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.estimate import estimate
from accuracy_assay.study.history import History
from accuracy_assay.study.method import Method, columns_for, parse_method
from accuracy_assay.study.simulate import simulate
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task

__all__ = ["Demo", "default_method", "default_rivals", "run_demo"]

OnRound = Callable[[str, Mapping[str, float]], None]

_METHOD, _METHOD_OF_GUESSES = "anova-gp+signals/variance-reduction", "anova-gp/variance-reduction"
_PAPER = "aaa-2021"
_RIVAL_BATCH = 100
"""Labels per round of rivals that have no batch of their own: six rounds of the 600 labels draw a
line, and take a quarter of the fits that rounds of 25 would."""

_CASES = 6
"""Labelled digits of a weak slice on the page: one row of it."""
_PNG = "image/png"
_WORST = 15
"""Weak arms that have pictures on the page: as many as its table of them shows."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demonstration gave: the report, the history behind its surface, and the task."""

    report: Report
    history: History
    task: Task


def default_method(use_predictors: bool = False) -> str:
    """Return the method to show: ours, without signals where attributes are guessed."""
    return _METHOD_OF_GUESSES if use_predictors else _METHOD


def default_rivals(method: str) -> tuple[str, ...]:
    """Return what ``method`` is shown against: its estimator with random labels, the paper."""
    main = parse_method(method)
    signals = "+signals" if main.use_signals else ""
    calibration = "" if main.calibration == "full" else f"@{main.calibration}"
    names = (f"{main.estimator}{signals}/random{calibration}", _PAPER)
    return tuple(name for name in names if name != method)


def run_demo(
    method: str,
    rivals: Sequence[str],
    *,
    budget: int = 600,
    seed_size: int = 500,
    batch: int = 25,
    seed: int = 0,
    use_predictors: bool = False,
    on_round: OnRound | None = None,
) -> Demo:
    """Assay the digits task with ``method``, then with its rivals.

    Parameters
    ----------
    method, rivals
        As in ``parse_method``.
    budget, seed_size, batch, seed
        As in ``simulate``, smaller, so that the demonstration ends within minutes. A preset asks
        for its own number of labels per round, any other rival for 100.
    use_predictors
        Whether attributes are guessed by the task's predictors instead of known for every row.
    on_round
        Called with the name of the method at work and each round's metrics.
    """
    main = parse_method(method)
    task = load_task("digits" if use_predictors else "digits-known")
    curves: dict[str, pl.DataFrame] = {}
    history: History | None = None
    for rival in (main, *map(parse_method, rivals)):
        result = _replay(
            task,
            rival,
            {"budget": budget, "seed_size": seed_size, "seed": seed},
            rival.batch or (batch if rival is main else _RIVAL_BATCH),
            on_round,
        )
        history = history or result
        curves[rival.name] = result.metrics
    assert history is not None
    if not task.evidence:
        history = replace(history, surface=_fit(task, main, history, seed))
    history = replace(history, surface=_with_outlook(main, history))
    return Demo(_report(task, main, history, curves, seed), history, task)


def _fit(task: Task, method: Method, history: History, seed: int) -> AccuracySurface:
    """Return the surface of the labels from scratch, as the demonstration's store has it."""
    columns, labelled = columns_for(method, task), task.rows[history.labelled]
    return estimate(labelled, columns, pool=task.rows, estimator=method.estimator, seed=seed)


def _with_outlook(method: Method, history: History) -> AccuracySurface:
    """Return the surface with how many more labels would halve its error, as its store has it."""
    surface, metrics = history.surface, history.metrics
    expected = [*metrics["expected_macro_mse"][:-1], surface.expected_macro_mse]
    if any(error is None for error in expected):
        return surface
    is_random = build_strategy(method.strategy).is_random
    more = labels_to_halve(metrics["labels"], expected, is_random=is_random)
    return surface if more is None else surface.with_details(**{LABELS_TO_HALVE: more})


def _replay(
    task: Task,
    method: Method,
    settings: Mapping[str, Any],
    batch: int,
    on_round: OnRound | None,
) -> History:
    return simulate(
        task.rows,
        columns_for(method, task),
        **settings,
        estimator=method.estimator,
        strategy=method.strategy,
        calibration=method.calibration,
        batch=batch,
        on_round=None if on_round is None else lambda row: on_round(method.name, row),
    )


def _report(
    task: Task,
    method: Method,
    history: History,
    curves: Mapping[str, pl.DataFrame],
    seed: int,
) -> Report:
    surface = history.surface
    row_arms = surface.space.arm_index(surface.space.encode(task.rows))
    facts = {
        "estimator": method.estimator,
        "strategy": method.strategy,
        "attributes": (
            f"guessed, calibration {method.calibration}"
            if task.evidence
            else "known, but for the digit, which a label shows"
        ),
        "free signals": ", ".join(columns_for(method, task).signals) or "none",
        "seed set": f"{history.metrics['labels'][0]:,} rows",
        "labels asked for": f"{history.picks.height:,}",
        "seed": str(seed),
        "made on": datetime.now(UTC).date().isoformat(),
        "fingerprint of the pool": pool_digest(surface)[:12],
        "version": accuracy_assay.__version__,
    }
    report = Report(
        title="Digits",
        surface=surface,
        description=task.description,
        truth=Gold.count(row_arms, task.rows.get_column(task.score).to_numpy(), least_rows=1),
        curves=curves,
        facts=facts,
    )
    if task.images is None:
        return report
    weak = surface.arms[report.weak_arms()[:_WORST]]
    return replace(
        report,
        examples=pick_examples(weak, row_arms, task.images),
        cases=_cases(task, report, row_arms, history.picks.get_column("row").to_numpy()),
    )


def _cases(
    task: Task, report: Report, row_arms: IntArray, labelled: IntArray
) -> dict[str, tuple[Case, ...]]:
    """Return some labelled digits of each weak slice, those that were misread first."""
    assert task.images is not None
    found = {}
    for part in report.slices:
        rows = labelled[report.surface.space.matches(row_arms[labelled], part.where)]
        table = task.rows[rows].select("id", task.y_true, task.y_pred, task.score)
        cases = [
            Case(str(i), str(label), str(answer), float(score), {}, (_PNG, _picture(image)))
            for (i, label, answer, score), image in zip(
                table.rows(), task.images[rows], strict=True
            )
        ]
        found[part.name] = wrong_first(cases, _CASES)
    return found


def _picture(image: NDArray[np.uint8]) -> bytes:
    """Return an image of ink as PNG, dark on light."""
    return encode_png(255 - image)
