"""Which way of choosing labels takes the fewest, and what no way can beat.

Notation: cell c of the pool has N_c rows, W_c of the weight of an average, and labels of variance
d_c around its rate. If a label of a cell says nothing about another, n labels leave an average at
best the variance

    (sum_c W_c sqrt(d_c))^2 / n - sum_c W_c^2 d_c / N_c

with labels in proportion to W_c sqrt(d_c) (Neyman, "On the two different aspects of the
representative method", 1934); the second term is there if the average is over the pool's own rows.
The signals and attributes explain the share B / (B + sum_c s_c d_c) of the scores' variance, B the
variance of the cells' rates under the pool's shares s_c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.uniform import Random
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.protocols import Strategy

__all__ = ["AtBest", "at_best", "cheapest", "designs_for"]

_RANDOM = "at random"
_AS_GOOD = 0.1
"""Share of labels by which a choice must beat random ones to be named: less than half of the error
of a forecast, and random labels need no model to be believed."""


def designs_for(strategy: Strategy, aim: Aim, surface: AccuracySurface) -> dict[str, Strategy]:
    """Return ways to choose labels by what follows "labels chosen"; the given one comes first."""
    found: dict[str, Strategy] = {_named(strategy): strategy}
    suited = {"overall": "overall", "worst": "worst", "every-arm": "surface", "slice": "mix"}
    if aim.of == "slice":
        at = aim.arms(surface)
        mix = dict(zip(surface.arms[at].tolist(), surface.support[at].tolist(), strict=True))
        found.setdefault(f"for {aim}", VarianceReduction(goal="mix", mix=mix))
    else:
        goal = suited[aim.of]
        found.setdefault(f"for {goal}", VarianceReduction(goal=goal))  # type: ignore[arg-type]
    found.setdefault(_RANDOM, Random())
    return found


def _named(strategy: Strategy) -> str:
    if strategy.is_random:
        return _RANDOM
    goal = getattr(strategy, "goal", None)
    return f"for {goal}" if goal else "by the strategy"


def cheapest(designs: Mapping[str, int]) -> str:
    """Return the design with the fewest labels; random ones, where they are as good as any.

    Examples
    --------
    >>> cheapest({"for surface": 400, "for overall": 290, "at random": 310})
    'at random'
    """
    fewest = min(designs, key=lambda name: designs[name])
    is_as_good = designs.get(_RANDOM, np.inf) <= (1.0 + _AS_GOOD) * designs[fewest]
    return _RANDOM if is_as_good else fewest


@dataclass(frozen=True)
class AtBest:
    """What can be reached at all.

    Parameters
    ----------
    labels
        Labels in all that an average takes if they fall where they say most; None for single arms.
    explained
        Share of the variance of scores that attributes and signals explain; None without labels.
    """

    labels: int | None
    explained: float | None


def at_best(surface: AccuracySurface, posterior: CellPosterior, aim: Aim) -> AtBest:
    """Return what the labels so far say can be reached."""
    if not surface.n_labels:
        return AtBest(None, None)
    support = posterior.support
    noise = np.maximum(posterior.label_variance - posterior.variance, 0.0)
    share = support.size / support.size.sum()
    between = float(share @ (posterior.rate - share @ posterior.rate) ** 2)
    within = float(share @ noise)
    explained = between / (between + within) if between + within > 0.0 else None
    if aim.of not in ("overall", "slice"):
        return AtBest(None, explained)
    at = np.searchsorted(surface.arms, support.arms)
    arm = support.arm_of_cell
    weight = aim.weights(surface)[0][at][arm] * support.size / support.arm_size[arm]
    wanted = (aim.half_width / NormalDist().inv_cdf(0.5 + surface.level / 2.0)) ** 2
    known = float(weight**2 @ (noise / support.size)) * support.is_pool
    return AtBest(round(float(weight @ np.sqrt(noise)) ** 2 / (wanted + known)), explained)
