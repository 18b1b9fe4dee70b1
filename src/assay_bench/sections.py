"""The sections of the page of results, one for each benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay_bench.conduct import Outcome
from assay_bench.experiments import Experiment
from assay_bench.findings import FINDINGS, attributes_known
from assay_bench.page import Section
from assay_bench.simple_setting import SimpleFit
from assay_bench.surface_stats import SurfaceStats
from assay_bench.tables import experiment_tables, simple_tables, stats_tables

__all__ = ["experiment_section", "simple_section", "stats_section", "unfinished_section"]


def experiment_section(experiment: Experiment, outcome: Outcome) -> Section:
    """Return the section of an experiment."""
    found = attributes_known(outcome)
    if experiment.name in FINDINGS:
        found |= FINDINGS[experiment.name](outcome)
    figures = [path for path in outcome.files if path.suffix == ".png"]
    tables = experiment_tables(experiment.name, outcome)
    return Section(
        experiment.title, experiment.name, found, tables, figures, origin=outcome.origin
    )


def unfinished_section(experiment: Experiment) -> Section:
    """Return the section of an experiment of which nothing is finished."""
    return Section(experiment.title, "nothing")


def stats_section(stats: Sequence[SurfaceStats], figures: Sequence[Path]) -> Section:
    """Return the section on the true surfaces."""
    title = "Statistics of the surfaces (appendix)"
    return Section(title, "surface-stats", {}, stats_tables(stats), figures)


def simple_section(fits: Sequence[SimpleFit], figures: Sequence[Path] = ()) -> Section:
    """Return the section on the ten arms of the appendix."""
    title = "The simple setting (appendix)"
    return Section(title, "simple-setting", {}, simple_tables(fits), figures)
