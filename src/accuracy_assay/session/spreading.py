"""From a section of the spec to a service that the workers of an engine call."""

from __future__ import annotations

from functools import partial
from typing import Any

from accuracy_assay.registry import build_service
from accuracy_assay.runtime.engine import engine
from accuracy_assay.services.pace import SLOWEST_PER_SECOND
from accuracy_assay.services.spread import SpreadService
from accuracy_assay.spec.answerers import AnswererSection

__all__ = ["spread"]


def spread(section: AnswererSection, engine_name: str) -> SpreadService:
    """Return the service, or the judge, of a section, called by an engine.

    The limits of an endpoint hold for all workers together: no more of them than calls are
    allowed at once, and each has its share of the calls per second.
    """
    is_endpoint = section.url is not None
    most_workers = section.concurrency if is_endpoint else None
    chosen = engine(engine_name, gpus=section.gpus, most_workers=most_workers)
    kind, settings = section.made_from()
    if is_endpoint:
        settings |= _share(section, chosen.n_workers)
    build = partial(build_service, kind, settings)
    return SpreadService(section.name, build, chosen, section.batch_rows)


def _share(section: AnswererSection, n_workers: int) -> dict[str, Any]:
    """Return the limits of one worker."""
    share: dict[str, Any] = {"concurrency": section.concurrency // n_workers}
    if section.requests_per_second is not None:
        # The first call of a part waits for no other, so the gaps are one fewer than the calls.
        gaps = max(section.batch_rows - 1, 1) / section.batch_rows
        per_second = section.requests_per_second * gaps / n_workers
        share["requests_per_second"] = max(per_second, SLOWEST_PER_SECOND)
    return share
