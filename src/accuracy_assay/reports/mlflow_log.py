"""A surface in an MLflow run: its numbers as metrics, its page, card and file as artifacts."""

from __future__ import annotations

import re
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import MissingExtraError
from accuracy_assay.reports.card import write_card
from accuracy_assay.reports.page import write_page
from accuracy_assay.reports.report import Report, report_of

__all__ = ["log_to_mlflow", "metrics_of"]

_REFUSED = re.compile(r"[^\w.\- ]")
"""Characters that MLflow refuses in the name of a metric; a slash would make a folder."""
_LONGEST_NAME, _LONGEST_MEASURE = 180, 50
"""Characters of the name of a slice and of a measure: MLflow takes 250 of a whole name."""


def log_to_mlflow(
    surface: AccuracySurface, title: str = "surface", *, step: int | None = None
) -> str:
    """Log a surface to the active run, or to one of its own, and return the id of the run.

    Parameters
    ----------
    surface
        The surface.
    title
        Headline of the page, and name of the files among the artifacts.
    step
        Step of the metrics, where a run logs several surfaces.

    Raises
    ------
    MissingExtraError
        If MLflow is not installed.
    """
    mlflow = _mlflow()
    report = report_of(surface, title)
    active = mlflow.active_run()
    with mlflow.start_run(run_name=title) if active is None else nullcontext(active) as run:
        mlflow.log_metrics(metrics_of(report), step=step)
        mlflow.set_tags({f"accuracy_assay.{k}": v for k, v in _tags(report).items()})
        with TemporaryDirectory() as folder:
            name = _REFUSED.sub("_", title)[:_LONGEST_NAME].strip(" .") or "surface"
            write_page(report, Path(folder, f"{name}.html"))
            write_card(report, Path(folder, f"{name}.md"))
            surface.save(Path(folder, f"{name}.surface"))
            mlflow.log_artifacts(folder)
        return str(run.info.run_id)


def metrics_of(report: Report) -> dict[str, float]:
    """Return the numbers to log: the whole under both mixes, then the weak slices.

    Examples of names: ``overall/accuracy``, ``overall/lower``, ``equal_arms/accuracy``,
    ``slices/found`` and ``slice/accent german and digit 7/accuracy``.
    """
    surface = report.surface
    name = _REFUSED.sub("_", surface.measure)[:_LONGEST_MEASURE].strip(" .") or "measure"
    found = _numbers("overall", name, report.overall)
    found |= _numbers("equal_arms", name, report.equal)
    found |= {"labels": surface.n_labels, "slices/found": float(len(report.slices))}
    if surface.expected_macro_mse is not None:
        found["expected_macro_mse"] = surface.expected_macro_mse
    for part in report.slices:
        words = " and ".join(f"{which} {value}" for which, value in part.where.items())
        plain = _REFUSED.sub("_", words)[:_LONGEST_NAME].strip(" .") or "_"
        place, number = f"slice/{plain}", 1
        while f"{place}/{name}" in found:
            number += 1
            place = f"slice/{plain}-{number}"
        found |= _numbers(place, name, part.estimate) | {f"{place}/go_wrong": part.wrong}
    return found


def _numbers(place: str, measure: str, estimate: Estimate) -> dict[str, float]:
    return {
        f"{place}/{measure}": estimate.mean,
        f"{place}/lower": estimate.lower,
        f"{place}/upper": estimate.upper,
    }


def _tags(report: Report) -> dict[str, str]:
    return {re.sub(r"\W", "_", name): value for name, value in report.facts.items()}


def _mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mlflow":
            raise
        raise MissingExtraError("logging to MLflow", "mlflow") from None
