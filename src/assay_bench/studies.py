"""Studies: benchmarks whose result is one table of draws, and a table or two that sum it up.

Each study stands in a file of its own and has a line in `STUDIES`. It takes the data folder, the
number of draws and of labels, and returns a frame with one row per draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import polars as pl

from accuracy_assay.errors import UnknownNameError
from assay_bench.page import Section, Table

__all__ = ["STUDIES", "Advance", "Study", "load_study", "study_section", "write_draws"]

Advance = Callable[[int, int, str], None]
"""Called with what is finished, all of it, and what is at work."""


@dataclass(frozen=True, slots=True)
class Study:
    """How to make the draws of a study, and how to sum them up.

    Parameters
    ----------
    title
        What stands above its tables.
    draw
        Takes the data folder, the number of draws, the numbers of labels and a function that
        hears of progress; returns one row per draw.
    summarise
        Takes the draws and returns tables by title.
    n_draws, labels
        What is drawn if nothing is asked for.
    """

    title: str
    draw: Callable[[Path | None, int, tuple[int, ...], Advance | None], pl.DataFrame]
    summarise: Callable[[pl.DataFrame], Mapping[str, pl.DataFrame]]
    n_draws: int
    labels: tuple[int, ...]


STUDIES: Mapping[str, str] = {
    "annotators": "assay_bench.annotators:ANNOTATORS",
    "many-services": "assay_bench.many_services:MANY_SERVICES",
    "over-time": "assay_bench.over_time:OVER_TIME",
}
"""Where each study is, by name."""


def load_study(name: str) -> Study:
    """Return the study of that name."""
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES)
    module, attribute = STUDIES[name].split(":")
    study = getattr(import_module(module), attribute)
    assert isinstance(study, Study)
    return study


def study_section(name: str, study: Study, draws: pl.DataFrame) -> Section:
    """Return the section of a study on the page and at the terminal."""
    tables = [
        Table(title, table.columns, [tuple(map(_shown, row)) for row in table.iter_rows()])
        for title, table in study.summarise(draws).items()
    ]
    return Section(study.title, name, {}, tables)


def write_draws(name: str, draws: pl.DataFrame, folder: Path) -> list[Path]:
    """Write the draws as CSV and return where."""
    path = folder / f"{name}.csv"
    draws.write_csv(path)
    return [path]


def _shown(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
