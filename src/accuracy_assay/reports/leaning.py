"""What the intervals of a surface rest on beside labels: the free signals that tell most."""

from __future__ import annotations

from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["leaning_on"]

_MOST = 2
"""Signals to name: those that explain most. A sentence with more is not read."""
_LEAST_VARIANCE = 0.02
"""Variance of log-odds below which a signal moves no arm by a point: a standard deviation of 0.14
is 3.5 points at an accuracy of one half, 1.3 at 90%."""
_WORDS = {
    "prediction of the service": "the service's answer",
    "confidence of the service": "its confidence",
    "agreement of the referees": "whether other services agree",
    "form of the answer": "the form of its answer",
}
"""What signals of an assay are called in a sentence; columns keep their names."""


def leaning_on(surface: AccuracySurface) -> tuple[str, ...]:
    """Return the free signals that explain most of where the service errs, the first two.

    The estimator says how much each signal and attribute varies on its own; attributes are left
    out, since they make the arms.
    """
    found = surface.details.get("alone_variance")
    if not isinstance(found, dict):
        return ()
    known = {
        name: float(variance)
        for name, variance in found.items()
        if name not in surface.space.names
        and not name.startswith(("mean of ", "predicted "))
        and float(variance) >= _LEAST_VARIANCE
    }
    ranked = sorted(known, key=lambda name: -known[name])[:_MOST]
    return tuple(_WORDS.get(name, name.replace("_", " ")) for name in ranked)
