"""What random labels gave: table 2, its order beside the paper's, and the appendix's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assay_bench import paper
from assay_bench.conduct import Outcome
from assay_bench.error_tables import (
    METRIC_NAMES,
    all_metrics,
    by_size,
    by_task,
    seeds_in_words,
    shown_size,
    task_heading,
)
from assay_bench.line_styles import is_ours
from assay_bench.order_remarks import Difference, reason_of
from assay_bench.results_page import Table
from assay_bench.summary import few_sizes, is_within_deviation

__all__ = ["estimation_tables", "order_words"]

_TABLE_2 = ("macro_mse", "worst_mse")
_SIGNALS = "+signals"


def estimation_tables(outcome: Outcome) -> Iterator[Table]:
    """Return table 2 beside the paper's, errors by labels, and the tables of the appendix."""
    size = shown_size(outcome.summary)
    at_size = outcome.summary.filter(pl.col("labels") == size)
    place = f"at {size:,} labels, {seeds_in_words(at_size)}"
    tasks = [
        (str(task), p) for (task,), p in outcome.summary.group_by("task", maintain_order=True)
    ]
    if len(tasks) == 1:
        yield all_metrics(*tasks[0])
    else:
        title = f"Table 2: macro / worst MSE x 100 {place}"
        yield by_task(title, at_size, _TABLE_2, has_sd=False)
    yield _paper_table_2()
    for task, part in tasks:
        sizes = sorted(part["labels"].unique().to_list())
        if len(sizes) > 1:
            heading = f"{task_heading(task, part)}: macro / worst MSE x 100 by labels"
            yield by_size(heading, part, few_sizes(sizes), _TABLE_2, has_sd=False)
    for metric, name in METRIC_NAMES.items():
        is_printed = metric in paper.METRICS
        if len(tasks) > 1:
            title = f"{name.capitalize()}{' MSE x 100' if is_printed else ''} {place}"
            yield by_task(title, at_size, (metric,))
        if is_printed:
            yield _paper_errors(metric)


def order_words(outcome: Outcome) -> str:
    """Say how methods rank on each task, where that is not the paper's order, and why."""
    size = shown_size(outcome.summary)
    at_size = outcome.summary.filter(pl.col("labels") == size)
    lines: list[str] = []
    clear: list[Difference] = []
    close: list[Difference] = []
    for (task,), part in at_size.group_by("task", maintain_order=True):
        places = [place for metric in _TABLE_2 if (place := _ranking(part, metric))]
        if places:
            lines.append(f"- **{task}**, {'; '.join(places)}.{_our_place(part)}")
        for metric in _TABLE_2:
            for difference, is_close in _differences(str(task), part, metric, outcome.guessed):
                (close if is_close else clear).append(difference)
    if not lines:
        return ""
    head = f"The paper's methods at {size:,} labels, from the smallest error to the largest:\n"
    asides = (_without_signals(at_size), *_same_start(outcome.summary), _single_seeds(at_size))
    parts = ("\n".join((head, *lines)), " ".join(filter(None, asides)), _why(clear))
    return "\n\n".join(filter(None, (*parts, _too_close(close))))


def _ranking(part: pl.DataFrame, metric: str) -> str:
    errors = dict(zip(part["method"], part[metric], strict=True))
    ranking, _ = paper.compare_order(errors, metric)
    if len(ranking) < 2:
        return ""
    listed = ", ".join(f"{method} {errors[method]:.2f}" for method in ranking)
    return f"{METRIC_NAMES[metric]}: {listed}"


def _our_place(part: pl.DataFrame) -> str:
    """Say which place our methods have among all by macro and by worst error."""
    said = []
    for method in filter(is_ours, part["method"].to_list()):
        places = []
        for metric in _TABLE_2:
            error = part.filter(pl.col("method") == method)[metric].item()
            n_better = part.filter(pl.col(metric) < error).height
            places.append(f"{_ordinal(n_better + 1)} by {METRIC_NAMES[metric]}")
        said.append(f"{method} is {' and '.join(places)}")
    if not said:
        return ""
    return f" Among all {part['method'].n_unique()} methods, {', '.join(said)}."


def _without_signals(at_size: pl.DataFrame) -> str:
    """Name the tasks on which methods with and without signals are the same."""
    tasks = []
    for (task,), part in at_size.group_by("task", maintain_order=True):
        errors = dict(zip(part["method"], part["macro_mse"], strict=True))
        pairs = [m for m in errors if m + _SIGNALS in errors]
        if pairs and all(errors[m] == errors[m + _SIGNALS] for m in pairs):
            tasks.append(str(task))
    if not tasks:
        return ""
    return f"No free signals are at hand on {', '.join(tasks)}: there `{_SIGNALS}` adds nothing."


def _single_seeds(at_size: pl.DataFrame) -> str:
    """Name the tasks whose errors have no deviation beside them."""
    single = at_size.filter(pl.col("seeds") == 1)["task"].unique(maintain_order=True).to_list()
    if not single:
        return ""
    return f"One seed, and so no deviation, is at hand of {', '.join(single)}."


def _same_start(summary: pl.DataFrame) -> Iterator[str]:
    """Say which methods err alike with guessed and exact attributes at the smallest size."""
    least = int(summary["labels"].to_numpy().min())
    errors: dict[str, dict[str, float]] = {}
    for row in summary.filter(pl.col("labels") == least).iter_rows(named=True):
        errors.setdefault(row["task"], {})[row["method"]] = row["macro_mse"]
    for task in errors:
        exact = errors.get(f"{task}-exact", {})
        shared = [method for method in errors[task] if method in exact]
        other = [m for m in shared if errors[task][m] != exact[m]]
        if shared and len(other) < len(shared):
            but = f"all methods but {', '.join(other)}" if other else "every method"
            yield (
                f"At {least:,} labels {task} and {task}-exact have the same error for {but}: "
                "these labels are the seed set, whose attributes are gold."
            )


def _differences(
    task: str, part: pl.DataFrame, metric: str, guessed: frozenset[str]
) -> Iterator[tuple[Difference, bool]]:
    """Return pairs that the paper orders otherwise, and whether a deviation covers the gap."""
    rows = {row["method"]: row for row in part.iter_rows(named=True)}
    errors = {method: row[metric] for method, row in rows.items()}
    for a, b in paper.compare_order(errors, metric)[1]:
        is_close = is_within_deviation(rows[a], rows[b], metric)
        yield Difference(a, b, metric, task, task in guessed), is_close


def _why(differences: Sequence[Difference]) -> str:
    """Return a line per reason with the pairs that it explains; those without one come last."""
    if not differences:
        return (
            "No two of the paper's methods stand the other way round than in the paper by more "
            "than their deviation over seeds."
        )
    by_reason: dict[str, list[Difference]] = {}
    for difference in differences:
        reason = reason_of(difference)
        text = "the reason is not known." if reason is None else reason.text
        by_reason.setdefault(text, []).append(difference)
    ordered = sorted(by_reason, key=lambda text: "not known" in text)
    lines = [f"- {_listed(by_reason[text])}: {text}" for text in ordered]
    head = (
        "Pairs whose order is not the paper's, which has the second one better on more of its "
        "four tasks, and the gap larger than either deviation over seeds:\n"
    )
    return "\n".join((head, *lines))


def _too_close(differences: Sequence[Difference]) -> str:
    if not differences:
        return ""
    return (
        "The paper's order is not found either, but the gap is within a deviation over seeds, "
        f"for {_listed(differences)}."
    )


def _listed(differences: Sequence[Difference]) -> str:
    """Return each pair once, with the errors and tasks on which it differs."""
    places: dict[tuple[str, str], dict[str, list[str]]] = {}
    for d in differences:
        by_metric = places.setdefault((d.better, d.worse), {})
        by_metric.setdefault(METRIC_NAMES[d.metric], []).append(d.task)
    by_place: dict[str, list[tuple[str, str]]] = {}
    for pair, where in places.items():
        listed = "; ".join(f"{metric}: {', '.join(tasks)}" for metric, tasks in where.items())
        by_place.setdefault(listed, []).append(pair)
    return ", ".join(f"{_as_one(pairs)} ({place})" for place, pairs in by_place.items())


def _as_one(pairs: Sequence[tuple[str, str]]) -> str:
    """Return pairs in words: those of some methods with the same others at once."""
    worse: dict[str, list[str]] = {}
    for a, b in pairs:
        worse.setdefault(a, []).append(b)
    better: dict[tuple[str, ...], list[str]] = {}
    for a, others in worse.items():
        better.setdefault(tuple(others), []).append(a)
    return ", ".join(
        f"{' and '.join(firsts)} before {' and '.join(others)}"
        for others, firsts in better.items()
    )


def _paper_table_2() -> Table:
    worst = paper.TABLES["worst_mse"]
    rows = [
        (
            method,
            *(f"{m.mean:.1f} / {w.mean:.1f}" for m, w in zip(row, worst[method], strict=True)),
        )
        for method, row in paper.TABLES["macro_mse"].items()
    ]
    title = "The paper's table 2: macro / worst MSE x 100 at 2,000 labels"
    return Table(title, ("method", *paper.TASKS), rows)


def _paper_errors(metric: str) -> Table:
    rows = [
        (method, *(f"{p.mean:.1f} ± {p.sd:.1f}" for p in row))
        for method, row in paper.TABLES[metric].items()
    ]
    title = f"The paper's {METRIC_NAMES[metric]} MSE x 100 at 2,000 labels (appendix)"
    return Table(title, ("method", *paper.TASKS), rows, is_for_page=True)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number if number < 20 else number % 10, "th")
    return f"{number}{ending}"
