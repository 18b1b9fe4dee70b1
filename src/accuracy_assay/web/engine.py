"""What fits surfaces and chooses instances behind a page, where nobody waits for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.session.asking import Pick
from accuracy_assay.session.assay import Assay

__all__ = ["Engine", "LocalEngine", "fit_service"]


class Engine(Protocol):
    """Fits and chooses; each call takes as long as it takes."""

    def pick(self, n: int, besides: Collection[str]) -> list[Pick]:
        """Choose instances, as `Session.pick` does."""
        ...

    def fit(self, service: str, *, is_exact: bool) -> None:
        """Fit a service to all labels so far: from the fit before, or from nothing."""
        ...

    def surface(self, service: str) -> AccuracySurface | None:
        """Return the last surface of a service; None before there is one. Waits for nothing."""
        ...

    def close(self) -> None:
        """Stop."""
        ...


class LocalEngine:
    """Fits and chooses in this process; what answers requests shares its processor with it."""

    def __init__(self, assay: Assay) -> None:
        self._assay = assay

    def pick(self, n: int, besides: Collection[str]) -> list[Pick]:
        """Choose instances, as `Session.pick` does."""
        return list(self._assay.session.pick(n, besides))

    def fit(self, service: str, *, is_exact: bool) -> None:
        """Fit a service to all labels so far: from the fit before, or from nothing."""
        fit_service(self._assay, service, is_exact=is_exact)

    def surface(self, service: str) -> AccuracySurface | None:
        """Return the last surface of a service; None before there is one."""
        latest = self._assay.session.last_parts.fits.latest(service)
        return None if latest is None or not latest.made.n_labels else latest.shown

    def close(self) -> None:
        """Do nothing: the assay is closed by who opened it."""


def fit_service(assay: Assay, service: str, *, is_exact: bool) -> AccuracySurface | None:
    """Return a surface of a service; None where it cannot have one, as before it has predicted."""
    try:
        parts = assay.session.parts()
        section = parts.spec.find_service(service)
        return parts.fits.surface(section) if is_exact else parts.fits.refresh(section).shown
    except AssayError:
        return None
