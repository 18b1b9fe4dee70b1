"""Every study by name, and what is shown and kept of its draws.

Each stands in a file of its own and has a line in `STUDIES`. It takes the data folder, the number
of draws and of labels, and returns a frame with one row per draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from accuracy_assay.errors import UnknownNameError
from assay_bench.annotators import ANNOTATORS
from assay_bench.judge_certificates import JUDGE_CERTIFICATES
from assay_bench.judge_prices import JUDGE_PRICES
from assay_bench.many_services import MANY_SERVICES
from assay_bench.over_time import OVER_TIME
from assay_bench.page import Section, Table
from assay_bench.study import Study

__all__ = ["STUDIES", "load_study", "study_section", "write_draws"]

STUDIES: Mapping[str, Study] = {
    "annotators": ANNOTATORS,
    "judge-certificates": JUDGE_CERTIFICATES,
    "judge-prices": JUDGE_PRICES,
    "many-services": MANY_SERVICES,
    "over-time": OVER_TIME,
}


def load_study(name: str) -> Study:
    """Return the study of that name."""
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES)
    return STUDIES[name]


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
