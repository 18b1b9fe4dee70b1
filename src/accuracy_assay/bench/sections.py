"""What the experiments gave as words and tables, for the terminal and the page of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.bench import paper
from accuracy_assay.bench.conduct import Outcome
from accuracy_assay.bench.coverage_section import coverage_section
from accuracy_assay.bench.experiments import Experiment
from accuracy_assay.bench.results_page import Section, Table
from accuracy_assay.bench.simple_setting import LABELS, SimpleFit
from accuracy_assay.bench.summary import Saving, few_sizes, savings
from accuracy_assay.bench.surface_stats import SurfaceStats

__all__ = ["experiment_section", "simple_section", "stats_section"]

_METRICS = {
    "macro_mse": "macro",
    "worst_mse": "worst",
    "micro_mse": "micro",
    "infrequent_mse": "infrequent",
    "coverage_90": "coverage of 90 %",
    "seconds": "seconds per fit",
}
_USUAL_SIZE = 2_000
"""Labels of the paper's table 2."""


def experiment_section(experiment: Experiment, outcome: Outcome) -> Section:
    """Return the section of an experiment: its tables by task, the paper's, its figures."""
    if experiment.mode == "coverage":
        return coverage_section(experiment.title, outcome.summary, outcome.files)
    tables: list[Table] = []
    remarks: list[str] = []
    for (task,), part in outcome.summary.group_by("task", maintain_order=True):
        tables += _task_tables(str(task), part, has_rounds=experiment.mode == "rounds")
        if experiment.name == "estimation":
            remarks += _order_remark(str(task), part)
    tables += {"estimation": _paper_estimation, "parameterisation": _paper_parameters}.get(
        experiment.name, list
    )()
    figures = [path for path in outcome.files if path.suffix == ".png"]
    return Section(experiment.title, " ".join(remarks), tables, figures)


def stats_section(stats: Sequence[SurfaceStats], figures: Sequence[Path]) -> Section:
    """Return the section on the true surfaces."""
    probabilities = list(stats[0].quantiles)
    rows = [
        (
            s.task,
            f"{s.n_rows:,}",
            f"{s.n_arms:,}",
            f"{s.n_active:,}",
            f"{s.accuracy:.3f}",
            f"{s.macro_accuracy:.3f}",
            f"{s.floor_mse:.2f}",
            *(f"{s.quantiles[p]:.3f}" for p in probabilities),
        )
        for s in stats
    ]
    columns = ("task", "rows", "arms", "active", "accuracy", "mean of arms", "floor")
    tables = [
        Table("True surfaces", (*columns, *(f"q{p:g}" for p in probabilities)), rows),
        Table(
            "The paper's data",
            ("data", "arms", "active"),
            [(name, f"{a:,}", f"{b:,}") for name, (a, b) in paper.ACTIVE_ARMS.items()],
        ),
    ]
    tables += [_worst_arms(s) for s in stats]
    text = "Active arms have at least five rows; quantiles are of their accuracies."
    return Section("Statistics of the surfaces (appendix)", text, tables, figures)


def simple_section(fits: Sequence[SimpleFit], figures: Sequence[Path] = ()) -> Section:
    """Return the section on the ten arms of the appendix."""
    errors: list[tuple[str, ...]] = []
    scales: list[tuple[str, ...]] = []
    for fit in fits:
        ours = fit.as_read
        errors.append(
            (fit.method, *_three(ours.bias2, ours.variance, ours.mse), f"{fit.length:.2f}")
        )
        scales.append((fit.method, *(f"{v:.2f}" for v in fit.scales)))
        if fit.method in paper.SIMPLE_SETTING:
            printed = paper.SIMPLE_SETTING[fit.method]
            name = f"{fit.method}, the paper's"
            numbers = _three(printed.bias2, printed.variance, printed.mse)
            errors.append((name, *numbers, f"{printed.length:.2f}"))
            scales.append((name, *(f"{v:.2f}" for v in printed.scales)))
        exact = fit.exact
        name = f"{fit.method}, exact expectation"
        errors.append((name, *_three(exact.bias2, exact.variance, exact.mse), ""))
    arms = tuple(f"{arm} (n = {n:.0f})" for arm, n in enumerate(LABELS, start=1))
    tables = (
        Table(
            "Bias² and variance, sums over the arms",
            ("method", "bias²", "variance", "MSE", "length of f"),
            errors,
        ),
        Table("Scale by arm", ("method", *arms), scales),
    )
    return Section("The simple setting (appendix)", "", tables, figures)


def _task_tables(task: str, part: pl.DataFrame, *, has_rounds: bool) -> Iterator[Table]:
    sizes = sorted(part["labels"].unique().to_list())
    seeds = int(part["seeds"].to_numpy().max())
    shown = _USUAL_SIZE if _USUAL_SIZE in sizes else sizes[-1]
    heading = f"{task}, {seeds} seeds, floor {part['floor_mse'][0]:.2f}"
    at_size = part.filter(pl.col("labels") == shown)
    rows = [
        (row["method"], *(_figure(row, metric) for metric in _METRICS))
        for row in at_size.iter_rows(named=True)
    ]
    yield Table(f"{heading}: MSE x 100 at {shown:,} labels", ("method", *_METRICS.values()), rows)
    if len(sizes) > 1:
        yield _by_size(f"{heading}: macro MSE x 100 by labels", part, few_sizes(sizes))
    if has_rounds and (saved := savings(part)):
        title = f"{task}: labels asked for until the last error of random"
        columns = ("method", "labels of random", "labels of the method", "ratio")
        yield Table(title, columns, [_saving_row(saving) for saving in saved])


def _saving_row(saving: Saving) -> tuple[str, ...]:
    asked = str(saving.random_labels)
    if saving.labels is None:
        return saving.method, asked, "not reached", ""
    return saving.method, asked, str(saving.labels), f"{saving.labels / saving.random_labels:.2f}"


def _by_size(title: str, part: pl.DataFrame, sizes: Sequence[int]) -> Table:
    rows = []
    for (method,), curve in part.group_by("method", maintain_order=True):
        found = {row["labels"]: row for row in curve.iter_rows(named=True)}
        errors = (_figure(found[size], "macro_mse") if size in found else "" for size in sizes)
        rows.append((str(method), *errors))
    return Table(title, ("method", *(f"{size:,}" for size in sizes)), rows)


def _order_remark(task: str, part: pl.DataFrame) -> list[str]:
    """Say in words where the order of the paper's methods is not the paper's."""
    size = _USUAL_SIZE if _USUAL_SIZE in part["labels"].to_list() else int(part["labels"][-1])
    at_size = part.filter(pl.col("labels") == size)
    ours = dict(zip(at_size["method"], at_size["macro_mse"], strict=True))
    ranking, differing = paper.compare_order(ours)
    if len(ranking) < 2:
        return []
    words = f"On {task} the paper's methods rank {', '.join(ranking)} at {size:,} labels"
    if not differing:
        return [f"{words}, as in the paper."]
    pairs = "; ".join(f"{a} before {b}" for a, b in differing)
    return [
        f"{words}. The paper, on more of its tasks than not, has it the other way for {pairs}."
    ]


def _paper_estimation() -> list[Table]:
    rows = [
        (method, *(f"{m:.1f} / {w:.1f}" for m, w in zip(macro, paper.WORST[method], strict=True)))
        for method, macro in paper.MACRO.items()
    ]
    title = "The paper's table 2: macro / worst MSE at 2,000 labels"
    return [Table(title, ("method", *paper.TASKS), rows)]


def _paper_parameters() -> list[Table]:
    rows = [
        (task, f"{labels:,}", ours, theirs)
        for task, by_size in paper.PARAMETERISATION.items()
        for labels, (ours, theirs) in by_size.items()
    ]
    title = "The paper's table of the parameters: macro MSE"
    return [Table(title, ("task", "labels", "beta-gp", "beta-gp-ab"), rows)]


def _worst_arms(stats: SurfaceStats) -> Table:
    frame = stats.worst.with_columns(pl.col("accuracy").round(3))
    rows = [tuple(str(value) for value in row) for row in frame.iter_rows()]
    return Table(f"{stats.task}: the {len(rows)} least accurate arms", frame.columns, rows)


def _figure(row: Mapping[str, float | None], metric: str) -> str:
    mean, sd = row[metric], row[f"{metric}_sd"]
    digits = 1 if metric in ("coverage_90", "seconds") else 2
    return f"{mean:.{digits}f}" + ("" if sd is None else f" ± {sd:.{digits}f}")


def _three(*values: float) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in values)
