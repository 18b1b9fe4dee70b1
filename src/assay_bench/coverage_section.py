"""What the check of intervals gave as words and tables: over tasks first, then task by task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assay_bench.results_page import Section, Table

__all__ = ["COVERAGE_INTRODUCTION", "COVERAGE_TITLE", "coverage_section"]

COVERAGE_TITLE = "How intervals were checked"
COVERAGE_INTRODUCTION = """\
A 90 % interval should hold the truth nine times out of ten, with thirty labels as with three
thousand. Here that is counted, on pools whose truth is known because every row has a label
that is shown to the estimator only when it is asked for.

A *draw* starts from nothing: no label, no seed set. Random labels are the first 24, 30, 50 and
so on of one random order of the pool, the same for every method; each size is fitted on from
the last, as in a session. Chosen labels (`variance-reduction`) come in rounds of 12 with a fit
each; from 100 labels on, to spare time, a round is a quarter of the labels so far. At each
size the surface is asked for

- its **arms**: those with at least 20 rows in the pool, whose true accuracy is the mean over
  these rows,
- the **overall** accuracy of the pool, beside Wilson's interval of the same labels (for
  fractional scores the mean with its standard errors), which knows of no attributes and is right
  for random labels alone,
- 100 **mixes**: random weights (Dirichlet) on a random part of the combinations of some
  attributes, by `under`; 100 **slices**: a value of one or two attributes, by `at`; and every
  **marginal**, each value of each attribute, by `marginal`; where at least 20 rows have it.

Shares are means over draws, and those over tasks are means of the tasks' means. `overall` is
one interval per draw, so a task's share of it is known to 7 points with 20 draws, to 3 with
100; arms of one draw share their labels and go up and down together. With signals, tasks that
have none are left out.

The whole takes hours, and parts of it add up in one folder
([how](how-to/run-benchmarks.md)). It is `assay bench coverage --data DIR`; the share of `overall`
is best measured alone, by `assay bench coverage --method anova-gp/random --seeds 100 --labels 24
--labels 50 --labels 100 --labels 400 --labels 1000 --data DIR`. `--report PAGE` writes a page like
this one, and `coverage.csv` has every draw."""

_LEAST_SHARE, _LEAST_MEAN, _MOST_MEAN = 80.0, 85.0, 95.0
"""Per cent of intervals: what no task should be under, and between what the mean of tasks should
lie."""

_SHARES = {
    "arms_90": "arms",
    "overall_90": "overall",
    "mixes_90": "mixes",
    "marginals_90": "marginals",
    "slices_90": "slices",
}


def coverage_section(title: str, summary: pl.DataFrame, files: tuple[Path, ...]) -> Section:
    """Return the section of the coverage experiment."""
    tables = [*_over_tasks(summary), *_by_task(summary)]
    figures = [path for path in files if path.suffix == ".png"]
    return Section(title, _what_misses(summary), tables, figures)


def _over_tasks(summary: pl.DataFrame) -> Iterator[Table]:
    sizes = _sizes(summary)
    columns = ("method", *(f"{size:,}" for size in sizes))
    for metric, name in _SHARES.items():
        rows = [(method, *_cells(part, sizes, metric)) for method, part in _methods(summary)]
        if metric == "overall_90":
            rows += [
                (f"Wilson, {method}", *_cells(part, sizes, "wilson_90"))
                for method, part in _methods(summary)
                if method.endswith("/random") and "+signals" not in method
            ]
        yield Table(f"{name}: per cent held, mean of tasks (least task)", columns, rows)
    ratio = pl.col("overall_width") / pl.col("wilson_width")
    widths = summary.with_columns(ratio.alias("ratio"))
    rows = [(method, *_ratios(part, sizes)) for method, part in _methods(widths)]
    title = "overall: width over that of the labels alone, mean of tasks (largest)"
    yield Table(title, columns, rows)


def _by_task(summary: pl.DataFrame) -> Iterator[Table]:
    sizes = _sizes(summary)
    columns = ("task", *(f"{size:,}" for size in sizes))
    for method, part in _methods(summary):
        seeds = f"{int(part['seeds'].to_numpy().min())} draws"
        rows, errors = [], []
        for (task,), curve in part.group_by("task", maintain_order=True):
            found = {row["labels"]: row for row in curve.iter_rows(named=True)}
            listed = [found.get(size) for size in sizes]
            held = (f"{r['arms_90']:.0f} ({r['arms_width']:.2f})" if r else "" for r in listed)
            rows.append((str(task), *held))
            errors.append((str(task), *(f"{r['macro_mse']:.2f}" if r else "" for r in listed)))
        yield Table(f"{method}, {seeds}: per cent of arms held (mean width)", columns, rows)
        yield Table(f"{method}, {seeds}: macro MSE x 100", columns, errors)


def _what_misses(summary: pl.DataFrame) -> str:
    """Say in words which shares of arms are outside what is promised, a line per method."""
    lines = []
    for method, part in _methods(summary):
        mean = part.group_by("labels").agg(pl.col("arms_90").mean())
        outside = mean.filter(~pl.col("arms_90").is_between(_LEAST_MEAN, _MOST_MEAN))
        low = part.filter(pl.col("arms_90") < _LEAST_SHARE).group_by("task", maintain_order=True)
        found = [f"{task} {_at_sizes(curve)}" for (task,), curve in low]
        if not outside.is_empty():
            lines.append(
                f"- {method}: the mean of tasks is outside {_LEAST_MEAN:.0f} to "
                f"{_MOST_MEAN:.0f} %, {_at_sizes(outside)}."
            )
        if found:
            lines.append(f"- {method}: under {_LEAST_SHARE:.0f} % are {'; '.join(found)}.")
    if not lines:
        return (
            f"At every size arms hold {_LEAST_MEAN:.0f} to {_MOST_MEAN:.0f} % over tasks, and "
            f"no task is under {_LEAST_SHARE:.0f} %."
        )
    return "\n".join(["What misses among arms:\n", *lines])


def _at_sizes(curve: pl.DataFrame) -> str:
    pairs = curve.sort("labels").select("labels", "arms_90").iter_rows()
    return ", ".join(f"{share:.1f} % at {size:,}" for size, share in pairs)


def _methods(summary: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    groups = summary.group_by("method", maintain_order=True)
    return [(str(method), part) for (method,), part in groups]


def _sizes(summary: pl.DataFrame) -> list[int]:
    return sorted(summary["labels"].unique().to_list())


def _cells(part: pl.DataFrame, sizes: list[int], metric: str) -> Iterator[str]:
    for size in sizes:
        found = part.filter(pl.col("labels") == size)[metric].to_numpy()
        yield f"{found.mean():.0f} ({found.min():.0f})" if found.size else ""


def _ratios(part: pl.DataFrame, sizes: list[int]) -> Iterator[str]:
    for size in sizes:
        found = part.filter(pl.col("labels") == size)["ratio"].to_numpy()
        yield f"{found.mean():.2f} ({found.max():.2f})" if found.size else ""
