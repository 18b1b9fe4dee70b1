"""What an experiment gave as words and tables, for the terminal and the page of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl

from assay_bench.calibration_words import calibration_words
from assay_bench.conduct import Outcome
from assay_bench.coverage_section import coverage_section
from assay_bench.error_tables import all_metrics, by_size, task_heading
from assay_bench.estimation_section import estimation_tables, order_words
from assay_bench.experiments import Experiment
from assay_bench.exploration_words import exploration_words
from assay_bench.parameter_section import parameter_tables, parameter_words
from assay_bench.results_page import Section, Table
from assay_bench.summary import Saving, few_sizes, savings

__all__ = ["experiment_section"]


def experiment_section(experiment: Experiment, outcome: Outcome) -> Section:
    """Return the section of an experiment: its words, its tables, the paper's, its figures."""
    if experiment.mode == "coverage":
        return coverage_section(experiment.title, outcome.summary, outcome.files)
    words = _WORDS.get(experiment.name, _no_words)(outcome)
    tables = _TABLES.get(experiment.name, _task_tables)(outcome)
    parts = filter(None, (_missing(outcome), _attributes(outcome), words))
    figures = [path for path in outcome.files if path.suffix == ".png"]
    return Section(experiment.title, "\n\n".join(parts), list(tables), figures)


def _missing(outcome: Outcome) -> str:
    return f"Not all of it is run: {outcome.missing}." if outcome.missing else ""


def _attributes(outcome: Outcome) -> str:
    """Say of which tasks the attributes are guessed."""
    tasks = outcome.summary["task"].unique(maintain_order=True).to_list()
    guessed = [task for task in tasks if task in outcome.guessed]
    exact = [task for task in tasks if task not in outcome.guessed]
    if not guessed:
        return f"Attributes of {', '.join(exact)} are exact."
    rest = f"; those of {', '.join(exact)} are exact" if exact else ""
    return f"Attributes of {', '.join(guessed)} are guessed, but for the seed set{rest}."


def _no_words(outcome: Outcome) -> str:
    return ""


def _space_words(outcome: Outcome) -> str:
    """Say how large each space is beside the labels, and in which order methods come."""
    lines = []
    for (task,), part in outcome.summary.group_by("task", maintain_order=True):
        last = int(part["labels"].to_numpy().max())
        at_last = part.filter(pl.col("labels") == last).sort("macro_mse", maintain_order=True)
        pairs = zip(at_last["method"], at_last["macro_mse"], strict=True)
        known = outcome.facts[str(task)]
        lines.append(
            f"{task} has {known.n_arms:,} arms, of which {known.n_active:,} have at least five of "
            f"its {known.n_rows:,} rows. Macro MSE at {last:,} labels, from the smallest: "
            f"{', '.join(f'{method} {error:.2f}' for method, error in pairs)}."
        )
    return "\n\n".join(lines)


def _task_tables(outcome: Outcome) -> Iterator[Table]:
    """Return every metric at one size, and macro MSE by labels, task by task."""
    for (task,), part in outcome.summary.group_by("task", maintain_order=True):
        yield all_metrics(str(task), part)
        sizes = sorted(part["labels"].unique().to_list())
        if len(sizes) > 1:
            title = f"{task_heading(str(task), part)}: macro MSE x 100 by labels"
            yield by_size(title, part, few_sizes(sizes))


def _exploration_tables(outcome: Outcome) -> Iterator[Table]:
    """Return what every experiment has, and how many labels a strategy saves."""
    yield from _task_tables(outcome)
    for (task,), part in outcome.summary.group_by("task", maintain_order=True):
        if saved := savings(part):
            title = f"{task}: labels asked for until the last error of random"
            columns = ("method", "labels of random", "labels of the method", "ratio")
            yield Table(title, columns, [_saving_row(saving) for saving in saved])


def _saving_row(saving: Saving) -> tuple[str, ...]:
    asked = str(saving.random_labels)
    if saving.labels is None:
        return saving.method, asked, "not reached", ""
    return saving.method, asked, str(saving.labels), f"{saving.labels / saving.random_labels:.2f}"


_WORDS: Mapping[str, Callable[[Outcome], str]] = {
    "estimation": order_words,
    "exploration": exploration_words,
    "calibration": calibration_words,
    "parameterisation": parameter_words,
    "larger-space": _space_words,
}
_TABLES: Mapping[str, Callable[[Outcome], Iterator[Table]]] = {
    "estimation": estimation_tables,
    "exploration": _exploration_tables,
    "parameterisation": parameter_tables,
}
"""What an experiment says and shows; the others have the tables of each task and no words."""
