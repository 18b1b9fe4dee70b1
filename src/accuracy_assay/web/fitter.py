"""What fits surfaces and chooses instances behind the page, so that nobody waits for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError
from accuracy_assay.session.asking import Pick
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.past import past_surface

__all__ = ["Fitter", "LocalFitter", "fit_service"]


class Fitter(Protocol):
    """Fits surfaces and chooses instances; `pick` and `fit` may be slow."""

    def pick(self, n: int, besides: Collection[str]) -> list[Pick]:
        """Choose instances, as `Session.pick` does."""
        ...

    def fit(self, service: str, *, is_exact: bool) -> None:
        """Fit a service to all labels so far: from scratch if exact, else from the last fit."""
        ...

    def surface(self, service: str) -> AccuracySurface | None:
        """Return the last surface of a service at once; None before the first."""
        ...

    def past(self, service: str, until: float) -> AccuracySurface:
        """Return the surface of a service as it was at a time, in seconds since 1970; slow."""
        ...

    def close(self) -> None:
        """Stop."""
        ...


class LocalFitter:
    """Fits and chooses in this process, and slows down the requests that it answers."""

    def __init__(self, assay: Assay) -> None:
        self._assay = assay

    def pick(self, n: int, besides: Collection[str]) -> list[Pick]:
        """Choose instances, as `Session.pick` does."""
        return list(self._assay.session.pick(n, besides))

    def fit(self, service: str, *, is_exact: bool) -> None:
        """Fit a service to all labels so far: from scratch if exact, else from the last fit."""
        fit_service(self._assay, service, is_exact=is_exact)

    def surface(self, service: str) -> AccuracySurface | None:
        """Return the last surface of a service; None before the first."""
        latest = self._assay.session.last_parts.fits.latest(service)
        return None if latest is None or not latest.made.n_labels else latest.shown

    def past(self, service: str, until: float) -> AccuracySurface:
        """Return the surface of a service as it was at a time."""
        return past_surface(self._assay.session, service, until)

    def close(self) -> None:
        """Do nothing: whoever opened the assay closes it."""


def fit_service(assay: Assay, service: str, *, is_exact: bool) -> AccuracySurface | None:
    """Return a surface of a service; None if it can't have one, such as before it predicted."""
    try:
        parts = assay.session.parts()
        section = parts.spec.find_service(service)
        return parts.fits.surface(section) if is_exact else parts.fits.refresh(section).shown
    except AssayError:
        return None
