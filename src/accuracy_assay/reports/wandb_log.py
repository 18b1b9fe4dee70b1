"""A surface in a W&B run: its numbers as metrics, its page, card and file as an artifact."""

from __future__ import annotations

import re
from tempfile import TemporaryDirectory
from typing import Any

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.tracked import Tracked, tracker

__all__ = ["log_to_wandb"]

_REFUSED = re.compile(r"[^A-Za-z0-9._-]")
"""Characters that W&B refuses in the name of an artifact."""
_LONGEST_NAME = 128
"""Characters of the name of an artifact."""
_KIND = "accuracy-surface"


def log_to_wandb(
    surface: AccuracySurface, title: str = "surface", *, run: Any = None, step: int | None = None
) -> str:
    """Log a surface to a run and return the id of the run.

    Parameters
    ----------
    surface
        The surface.
    title
        Headline of the page, and name of the artifact.
    run
        The run; by default the active one, or one of its own, which is finished.
    step
        Step of the metrics, where a run logs several surfaces.

    Raises
    ------
    MissingExtraError
        If W&B is not installed.
    """
    wandb = tracker("wandb", "W&B")
    active = wandb.run if run is None else run
    used = wandb.init(name=title) if active is None else active
    tracked = Tracked.of(surface, title)
    used.config.update({"accuracy_assay": tracked.facts}, allow_val_change=True)
    used.log(tracked.metrics, step=step)
    name = _REFUSED.sub("_", tracked.name)[:_LONGEST_NAME]
    artifact = wandb.Artifact(name, type=_KIND)
    with TemporaryDirectory() as folder:
        for path in tracked.write(folder):
            artifact.add_file(str(path), name=path.name)
        used.log_artifact(artifact)
    if active is None:
        used.finish()
    return str(used.id)
