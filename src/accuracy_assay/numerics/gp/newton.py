"""Guarded Newton steps: what every search for a posterior mode shares.

Notation: see the sub-package. Besides: a (J,) stands for g during the search, f = K a.
"""

from collections.abc import Callable

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = [
    "LARGEST_STEP",
    "LEAST_STEP",
    "LEAST_STEP_SINGLE",
    "MOST_STEPS",
    "NEARLY_THERE",
    "ROUNDING",
    "STEP_SIZES",
    "TINY",
    "step_size",
]

LARGEST_STEP = 4.0  # change of any logit in one step, as in the prototype: 50% to 98%
LEAST_STEP = 1e-8  # change of any logit that ends a search: far below what an estimate shows
LEAST_STEP_SINGLE = 1e-3  # the same of a search in 32 bits; the next step would be rounding alone
# Ends a search that rounding keeps alive: from zero about a dozen steps are usual.
MOST_STEPS = 300
# At such a change of any logit, a Newton step with a new factor is far smaller than the one before
# it. If it is not, only rounding is left, as with millions of labels.
NEARLY_THERE = 1e-4
ROUNDING = 1e-11  # relative error of a sum over all labels: heights closer than this are equal
# Shares of a Newton step that are tried at once. The whole step is best near the mode; the others
# are for the first steps, chosen by hand from a half down to what any height should allow.
STEP_SIZES = (1.0, 0.5, 0.25, 0.1, 0.02)
TINY = 1e-300  # divides a step of length zero


def step_size(
    height: Callable[[FloatArray, FloatArray], float],
    f: FloatArray,
    a: FloatArray,
    to_f: FloatArray,
    to_a: FloatArray,
) -> float:
    """Return the share of a step from (f, a) that leads highest; the largest of equals."""
    largest = float(np.abs(to_f).max(initial=0.0))
    sizes = min(1.0, LARGEST_STEP / max(largest, TINY)) * np.asarray(STEP_SIZES)
    heights = np.array([height(f + s * to_f, a + s * to_a) for s in sizes])
    best = heights.max()
    # Near the mode all are equal up to rounding, and the largest is the Newton step.
    return float(sizes[np.argmax(heights >= best - ROUNDING * (1.0 + abs(best)))])
