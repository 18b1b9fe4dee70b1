"""The tables of each experiment, the paper's beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from assay_bench import paper
from assay_bench.conduct import Outcome
from assay_bench.coverage import CLASS_COUNTS
from assay_bench.differences import DIFFERENCE_COUNTS
from assay_bench.page import Table
from assay_bench.simple_setting import LABELS, SimpleFit
from assay_bench.summary import by_task, few_sizes, savings, shown_size
from assay_bench.surface_stats import SurfaceStats

__all__ = ["experiment_tables", "simple_tables", "stats_tables"]

_METRICS = {
    "macro_mse": "macro",
    "worst_mse": "worst",
    "micro_mse": "micro",
    "infrequent_mse": "infrequent",
    "coverage_90": "coverage of 90%",
    "seconds": "seconds per fit",
}
_TABLE_2 = ("macro_mse", "worst_mse")
_SHARES = {
    "arms_90": "arms",
    "overall_90": "overall",
    "mixes_90": "mixes",
    "marginals_90": "marginals",
    "slices_90": "slices",
}


def experiment_tables(name: str, outcome: Outcome) -> list[Table]:
    """Return the tables of an experiment."""
    return list(_TABLES.get(name, _of_tasks)(outcome))


def stats_tables(stats: Sequence[SurfaceStats]) -> list[Table]:
    """Return the tables of the true surfaces: all of them, the paper's data, the worst arms."""
    probabilities = list(stats[0].quantiles)
    columns = ("task", "rows", "arms", "active", "accuracy", "mean of arms", "floor")
    rows = [
        (
            s.task,
            *(f"{n:,}" for n in (s.n_rows, s.n_arms, s.n_active)),
            f"{s.accuracy:.3f}",
            f"{s.macro_accuracy:.3f}",
            f"{s.floor_mse:.2f}",
            *(f"{s.quantiles[p]:.3f}" for p in probabilities),
        )
        for s in stats
    ]
    printed = [(name, f"{a:,}", f"{b:,}") for name, (a, b) in paper.ACTIVE_ARMS.items()]
    return [
        Table("True surfaces", (*columns, *(f"q{p:g}" for p in probabilities)), rows),
        Table("The paper's data", ("data", "arms", "active"), printed),
        *(_worst_arms(s) for s in stats),
    ]


def simple_tables(fits: Sequence[SimpleFit]) -> list[Table]:
    """Return both tables of the simple setting, the paper's rows among ours."""
    errors: list[tuple[str, ...]] = []
    scales: list[tuple[str, ...]] = []
    for fit in fits:
        ours, exact = fit.as_read, fit.exact
        errors.append((fit.method, *_simple_row(ours.bias2, ours.variance, ours.mse, fit.length)))
        scales.append((fit.method, *(f"{scale:.2f}" for scale in fit.scales)))
        if fit.method in paper.SIMPLE_SETTING:
            *printed, by_arm = paper.SIMPLE_SETTING[fit.method]
            name = f"{fit.method}, the paper's"
            errors.append((name, *_simple_row(*printed)))
            scales.append((name, *(f"{scale:.2f}" for scale in by_arm)))
        name = f"{fit.method}, exact expectation"
        errors.append((name, *_simple_row(exact.bias2, exact.variance, exact.mse)))
    arms = (f"{arm} (n = {n:.0f})" for arm, n in enumerate(LABELS, start=1))
    columns = ("method", "bias²", "variance", "MSE", "length of f")
    return [
        Table("Bias² and variance, sums over the arms", columns, errors),
        Table("Scale by arm", ("method", *arms), scales),
    ]


def _of_tasks(outcome: Outcome) -> Iterator[Table]:
    """Return every metric at one size, and macro MSE by labels, task by task."""
    for task, part in by_task(outcome.summary):
        yield _all_metrics(task, part)
        yield from _by_size(f"{_heading(task, part)}: macro MSE x 100 by labels", part)


def _estimation(outcome: Outcome) -> Iterator[Table]:
    """Return table 2 beside the paper's, errors by labels, and the tables of the appendix."""
    size = shown_size(outcome.summary)
    at_size = outcome.summary.filter(pl.col("labels") == size)
    place = f"at {size:,} labels, {_seeds(at_size)}"
    tasks = by_task(outcome.summary)
    if len(tasks) == 1:
        yield _all_metrics(*tasks[0])
    else:
        title = f"Table 2: macro / worst MSE x 100 {place}"
        yield _by_task(title, at_size, _TABLE_2, has_sd=False)
    yield _papers_table_2()
    for task, part in tasks:
        title = f"{_heading(task, part)}: macro / worst MSE x 100 by labels"
        yield from _by_size(title, part, _TABLE_2, has_sd=False)
    for metric, name in _METRICS.items():
        is_printed = metric in paper.METRICS
        if len(tasks) > 1:
            title = f"{name.capitalize()}{' MSE x 100' if is_printed else ''} {place}"
            yield _by_task(title, at_size, (metric,))
        if is_printed:
            yield _papers_errors(metric)


def _exploration(outcome: Outcome) -> Iterator[Table]:
    """Return what every experiment has, and how many labels a strategy saves."""
    yield from _of_tasks(outcome)
    columns = ("method", "labels of random", "labels of the method", "ratio")
    for task, part in by_task(outcome.summary):
        rows = []
        for saving in savings(part):
            needed = ("not reached", "")
            if saving.labels is not None:
                needed = (str(saving.labels), f"{saving.labels / saving.random_labels:.2f}")
            rows.append((saving.method, str(saving.random_labels), *needed))
        if rows:
            title = f"{task}: labels asked for until the last error of random"
            yield Table(title, columns, rows)


def _parameterisation(outcome: Outcome) -> Iterator[Table]:
    """Return macro MSE by task, labels and parameters beside the paper's."""
    methods = outcome.summary["method"].unique(maintain_order=True).to_list()
    rows = []
    for (task, labels), part in outcome.summary.group_by("task", "labels", maintain_order=True):
        found = {row["method"]: row for row in part.iter_rows(named=True)}
        errors = (_cell(found.get(method), ("macro_mse",)) for method in methods)
        rows.append((str(task), f"{labels:,}", *errors))
    title = f"Macro MSE x 100 by parameters, {_seeds(outcome.summary)}"
    yield Table(title, ("task", "labels", *methods), rows)
    printed = [
        (task, f"{labels:,}", *errors)
        for task, by_labels in paper.PARAMETERISATION.items()
        for labels, errors in by_labels.items()
    ]
    title = "The paper's table of the parameters: macro MSE x 100"
    yield Table(title, ("task", "labels", "beta-gp", "beta-gp-ab"), printed)


def _coverage(outcome: Outcome) -> Iterator[Table]:
    """Return shares of intervals that hold: over tasks first, then task by task."""
    ratio = (pl.col("overall_width") / pl.col("wilson_width")).alias("ratio")
    summary = outcome.summary.with_columns(ratio)
    sizes = sorted(summary["labels"].unique().to_list())
    labels = [f"{size:,}" for size in sizes]
    methods = [(str(m), p) for (m,), p in summary.group_by("method", maintain_order=True)]

    def over_tasks(part: pl.DataFrame, metric: str) -> Iterator[str]:
        for size in sizes:
            found = part.filter(pl.col("labels") == size)[metric].to_numpy()
            if not found.size:
                yield ""
            elif metric == "ratio":
                yield f"{found.mean():.2f} ({found.max():.2f})"
            else:
                yield f"{found.mean():.0f} ({found.min():.0f})"

    for metric, name in _SHARES.items():
        rows = [(method, *over_tasks(part, metric)) for method, part in methods]
        if metric == "overall_90":
            rows += [
                (f"Wilson, {method}", *over_tasks(part, "wilson_90"))
                for method, part in methods
                if method.endswith("/random") and "+signals" not in method
            ]
        title = f"{name}: percentage held, mean of tasks (least task)"
        yield Table(title, ("method", *labels), rows)
    title = "overall: width over that of the labels alone, mean of tasks (largest)"
    rows = [(method, *over_tasks(part, "ratio")) for method, part in methods]
    yield Table(title, ("method", *labels), rows)
    for method, part in methods:
        title = f"{method}: percentage of arms held by class, of all tasks together (arms a draw)"
        yield Table(title, ("arms", *labels), [*_by_class(part, sizes, CLASS_COUNTS)])
        differences = [*_by_class(part, sizes, DIFFERENCE_COUNTS)]
        if any(cell for row in differences for cell in row[1:]):
            title = f"{method}: percentage of differences of two services held (asked a draw)"
            yield Table(title, ("difference by", *labels), differences)
    for method, part in methods:
        head = f"{method}, {int(part['seeds'].to_numpy().min())} draws"
        held, errors = [], []
        for task, curve in by_task(part):
            found = {row["labels"]: row for row in curve.iter_rows(named=True)}
            at = [found.get(size) for size in sizes]
            shares = (f"{r['arms_90']:.0f} ({r['arms_width']:.2f})" if r else "" for r in at)
            held.append((task, *shares))
            errors.append((task, *(f"{r['macro_mse']:.2f}" if r else "" for r in at)))
        yield Table(f"{head}: percentage of arms held (mean width)", ("task", *labels), held)
        yield Table(f"{head}: macro MSE x 100", ("task", *labels), errors)


def _by_class(
    part: pl.DataFrame, sizes: Sequence[int], classes: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    """Yield the share that holds in each class, by size: held over all, both summed."""
    for name, counts in classes.items():
        row = [name]
        for size in sizes:
            arms, held = part.filter(pl.col("labels") == size).select(*counts).sum().row(0)
            row.append(f"{100.0 * held / arms:.0f} ({arms:.0f})" if arms else "")
        yield tuple(row)


def _scale(outcome: Outcome) -> Iterator[Table]:
    """Return macro and worst errors by task."""
    size = shown_size(outcome.summary)
    title = f"Macro / worst MSE x 100 at {size:,} labels, {_seeds(outcome.summary)}"
    at_size = outcome.summary.filter(pl.col("labels") == size)
    yield _by_task(title, at_size, _TABLE_2, has_sd=False)


_TABLES = {
    "estimation": _estimation,
    "scale": _scale,
    "deep-kernel": _scale,
    "exploration": _exploration,
    "parameterisation": _parameterisation,
    "coverage": _coverage,
}


def _all_metrics(task: str, part: pl.DataFrame) -> Table:
    """Return every metric of each method at one size; ``part`` holds one task."""
    size = shown_size(part)
    rows = [
        (row["method"], *(_cell(row, (metric,)) for metric in _METRICS))
        for row in part.filter(pl.col("labels") == size).iter_rows(named=True)
    ]
    title = f"{_heading(task, part)}: MSE x 100 at {size:,} labels"
    return Table(title, ("method", *_METRICS.values()), rows)


def _by_task(
    title: str, at_size: pl.DataFrame, metrics: Sequence[str], *, has_sd: bool = True
) -> Table:
    """Return the errors of each method on each task at one size; seeds by task where they vary."""
    tasks = at_size["task"].unique(maintain_order=True).to_list()
    heads = tasks
    if at_size["seeds"].n_unique() > 1:
        heads = [f"{task}, {_seeds(part)}" for task, part in by_task(at_size)]
    rows = []
    for (method,), part in at_size.group_by("method", maintain_order=True):
        found = {row["task"]: row for row in part.iter_rows(named=True)}
        cells = (_cell(found.get(task), metrics, has_sd=has_sd) for task in tasks)
        rows.append((str(method), *cells))
    return Table(title, ("method", *heads), rows)


def _by_size(
    title: str,
    part: pl.DataFrame,
    metrics: Sequence[str] = ("macro_mse",),
    *,
    has_sd: bool = True,
) -> Iterator[Table]:
    """Return the errors of each method by labels, if there are several sizes, of one task.

    Rounds that pass a size by show the last of them before it.
    """
    sizes = few_sizes(sorted(part["labels"].unique().to_list()))
    if len(sizes) < 2:
        return
    rows = []
    for (method,), curve in part.group_by("method", maintain_order=True):
        cells = []
        for size in sizes:
            reached = curve.filter(pl.col("labels") <= size).sort("labels").tail(1)
            row = None if reached.is_empty() else reached.row(0, named=True)
            cells.append(_cell(row, metrics, has_sd=has_sd))
        rows.append((str(method), *cells))
    yield Table(title, ("method", *(f"{size:,}" for size in sizes)), rows)


def _cell(row: Mapping[str, Any] | None, metrics: Sequence[str], *, has_sd: bool = True) -> str:
    """Return means over seeds, with deviations where there are several, parted by strokes."""
    if row is None:
        return ""
    numbers = []
    for metric in metrics:
        digits = 1 if metric in ("coverage_90", "seconds") else 2
        sd = row[f"{metric}_sd"] if has_sd else None
        beside = "" if sd is None else f" ± {sd:.{digits}f}"
        numbers.append(f"{row[metric]:.{digits}f}{beside}")
    return " / ".join(numbers)


def _heading(task: str, part: pl.DataFrame) -> str:
    """Return a task's name, how many seeds it has, and its floor."""
    return f"{task}, {_seeds(part)}, floor {part['floor_mse'][0]:.2f}"


def _seeds(part: pl.DataFrame) -> str:
    """Return over how many seeds the means of ``part`` are: ``3 seeds``, ``1 to 3 seeds``."""
    least, most = int(part["seeds"].to_numpy().min()), int(part["seeds"].to_numpy().max())
    if least < most:
        return f"{least} to {most} seeds"
    return "1 seed" if most == 1 else f"{most} seeds"


def _papers_table_2() -> Table:
    macro, worst = (paper.TABLES[metric] for metric in _TABLE_2)
    rows = [
        (
            method,
            *(f"{m.mean:.1f} / {w.mean:.1f}" for m, w in zip(row, worst[method], strict=True)),
        )
        for method, row in macro.items()
    ]
    title = "The paper's table 2: macro / worst MSE x 100 at 2,000 labels"
    return Table(title, ("method", *paper.TASKS), rows)


def _papers_errors(metric: str) -> Table:
    rows = [
        (method, *(f"{p.mean:.1f} ± {p.sd:.1f}" for p in row))
        for method, row in paper.TABLES[metric].items()
    ]
    title = f"The paper's {_METRICS[metric]} MSE x 100 at 2,000 labels (appendix)"
    return Table(title, ("method", *paper.TASKS), rows, is_for_page=True)


def _simple_row(
    bias2: float, variance: float, mse: float, length: float | None = None
) -> list[str]:
    """Return the errors of the simple setting, and the length of f unless it stands above."""
    errors = [f"{error:.3f}" for error in (bias2, variance, mse)]
    return [*errors, "" if length is None else f"{length:.2f}"]


def _worst_arms(stats: SurfaceStats) -> Table:
    frame = stats.worst.with_columns(pl.col("accuracy").round(3))
    rows = [tuple(str(value) for value in row) for row in frame.iter_rows()]
    title = f"{stats.task}: the {len(rows)} least accurate arms"
    return Table(title, frame.columns, rows, is_folded=True)
