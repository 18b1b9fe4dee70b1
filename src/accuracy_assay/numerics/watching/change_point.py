"""``when_changed``: since when a rate differs, and what it has been since.

Labels before the change have one rate and those after it another, each with Jeffreys' prior; every
label may be the first after the change. It describes what the evidence found and proves nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["Change", "when_changed"]

_PRIOR = 0.5
"""Jeffreys' prior for a rate: half a right and half a wrong answer."""
_DRAWS = 4000
"""Draws of the loss: the ends of a 90% interval are known to a tenth of its width."""


class Change(NamedTuple):
    """The likeliest first block after the change, the rate since, and draws of before less now."""

    block: int
    now: float
    loss: FloatArray


def when_changed(baseline: FloatArray, blocks: FloatArray, rng: np.random.Generator) -> Change:
    """Return when the rate changed.

    Parameters
    ----------
    baseline
        Right and wrong answers of the baseline, (2,); fractional scores count as shares.
    blocks
        The same of every later block, (T, 2).
    rng
        Draws the loss.
    """
    from scipy.special import betaln

    after = np.cumsum(blocks[::-1], axis=0)[::-1] + _PRIOR
    before = blocks.sum(axis=0) - after + 2.0 * _PRIOR + baseline
    fit = betaln(before[:, 0], before[:, 1]) + betaln(after[:, 0], after[:, 1])
    chance = np.exp(fit - fit.max()) * (blocks.sum(axis=1) > 0.0)
    chance /= chance.sum()
    at = rng.choice(chance.size, _DRAWS, p=chance)
    now = rng.beta(after[at, 0], after[at, 1])
    old = rng.beta(baseline[0] + _PRIOR, baseline[1] + _PRIOR, _DRAWS)
    mean = float(chance @ (after[:, 0] / after.sum(axis=1)))
    return Change(int(chance.argmax()), mean, np.asarray(old - now))
