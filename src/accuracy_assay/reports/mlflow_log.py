"""A surface in an MLflow run: its numbers as metrics, its page, card and file as artifacts."""

from __future__ import annotations

from contextlib import nullcontext
from tempfile import TemporaryDirectory

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.tracked import Tracked, tracker

__all__ = ["log_to_mlflow"]


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
    mlflow = tracker("mlflow", "MLflow")
    tracked, active = Tracked.of(surface, title), mlflow.active_run()
    with mlflow.start_run(run_name=title) if active is None else nullcontext(active) as run:
        mlflow.log_metrics(tracked.metrics, step=step)
        mlflow.set_tags({f"accuracy_assay.{k}": v for k, v in tracked.facts.items()})
        with TemporaryDirectory() as folder:
            tracked.write(folder)
            mlflow.log_artifacts(folder)
        return str(run.info.run_id)
