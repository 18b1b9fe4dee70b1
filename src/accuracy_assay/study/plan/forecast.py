"""How many more labels a goal takes, what they cost, and how sure the forecast is.

The next labels are those that the strategy would choose now. ``metrics.lookahead`` says how narrow
the goal's interval will be after each number of them; the plan is the number at which it is narrow
enough. Labels chosen for the goal itself and random ones are looked at in the same way, so that
the plan can name the cheapest (``study.plan.designs``). Beyond the labels looked at, the width is
extrapolated as a power of the labels. The forecast is uncertain for two reasons: the accuracy
itself is known only to its interval, and such forecasts have been off by as much as
``benchmarks/plan_forecast.py`` found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from math import exp, hypot, log
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.metrics.aim import Aim, AimOf
from accuracy_assay.metrics.lookahead import Lookahead
from accuracy_assay.protocols import Candidates, Strategy
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.study.plan.designs import at_best, cheapest, designs_for
from accuracy_assay.study.read.problem import Problem

__all__ = ["Forecast", "PlanFor", "forecast", "forecast_goal", "forecast_ranking"]

PlanFor: TypeAlias = AimOf | Literal["ranking"]

_MANY_PER_ARM = 10.0  # with as many, a fraction of a label is not told
_CHOSEN_LABELS, _RANDOM_LABELS = 400, 4_000
"""Coming labels looked at. The time of a strategy's own picks grows with the square of their
number, some seconds for 400; uniform ones take none."""
_STEPS = 12
"""Numbers of labels at which the half-width is computed; between them it is interpolated."""
_DRAWS = 16
"""Draws of the surface that say which arm may turn out worst: the median of 16 is known to a
quarter of their spread."""
_SLOWEST, _FASTEST = 0.25, 1.0
"""Powers at which a half-width may fall beyond the labels looked at: a mean has one half, and arms
that wait for their labels are slower."""
_LEAST_SD = 1e-9  # of a difference of services, which must not divide by zero
_NEVER = 1e12  # labels if none is left: more than any pool
_OFF: Mapping[str, float] = {
    "overall": 0.15,
    "slice": 0.6,
    "every-arm": 0.45,
    "worst": 0.7,
    "ranking": 0.15,
}
"""Root mean square of the log of forecast over truth, as ``benchmarks/plan_forecast.py`` measured
it at 100 and 300 labels: averages on bbq, whisper-text, mmlu_pair and adult5 (50 forecasts),
single arms on the first three (15); a ranking is one of overall accuracies."""


@dataclass(frozen=True)
class Forecast:
    """How many more labels a goal takes.

    Parameters
    ----------
    goal
        The goal in words.
    now, wanted
        Present and wanted half-width; None for a ranking without one.
    labels_so_far, pool
        Labels behind the forecast, and instances that could still be labelled.
    labels, lower, upper
        Further labels needed, and the interval of that forecast; ``upper`` is at most the pool.
    level
        Probability of the interval.
    is_within_pool
        Whether the pool seems to have enough rows.
    cost, cost_lower, cost_upper
        The same in money; None if no price is known.
    design, cheapest
        How the labels of the forecast are chosen, and which choice takes the fewest, as words
        that follow "labels chosen"; random labels are named where they are as good as any.
    designs
        Further labels by how they are chosen; empty for a ranking.
    at_best, explained
        Labels in all that an average takes if they fall where they say most, and the share of the
        variance of scores that attributes and signals explain; None where that is not known.
    labels_per_arm
        Labels so far and those of the forecast, for each arm that the goal is about.
    """

    goal: str
    now: float | None
    wanted: float | None
    labels_so_far: int
    pool: int
    labels: int
    lower: int
    upper: int
    level: float
    is_within_pool: bool
    cost: float | None = None
    cost_lower: float | None = None
    cost_upper: float | None = None
    design: str = ""
    cheapest: str = ""
    designs: Mapping[str, int] = field(default_factory=dict)
    at_best: int | None = None
    explained: float | None = None
    labels_per_arm: float | None = None

    def __str__(self) -> str:
        return ". ".join([self._labels, *self._choice, *self._best])

    @property
    def _choice(self) -> list[str]:
        """Which choice of labels is the cheapest, in words."""
        if not self.cheapest or self.labels == 0:
            return []
        first = f"Cheapest: about {self.designs[self.cheapest]:,} chosen {self.cheapest}"
        others = [f"{n:,} {name}" for name, n in self.designs.items() if name != self.cheapest]
        return ["; ".join([first, *others])]

    @property
    def _best(self) -> list[str]:
        """What can be reached at all, in words."""
        said = []
        if self.explained is not None:
            said.append(f"Attributes and signals explain {self.explained:.0%} of the scores")
            if self.at_best is not None:
                said[-1] += f", so {self.at_best:,} labels in all are the least to hope for"
        if self.labels_per_arm is not None:
            per_arm = self.labels_per_arm
            many = f"{per_arm:,.0f}" if per_arm >= _MANY_PER_ARM else f"{per_arm:.2g}"
            said.append(f"That is {many} labels per arm")
        return said

    @property
    def _labels(self) -> str:
        """How many labels, in words."""
        if self.labels == 0 and self.is_within_pool:
            return f"{self.goal}: reached with the {self.labels_so_far:,} labels so far"
        cost = "" if self.cost is None else f", at a cost of {self.cost:,.2f}"
        if self.cost_lower is not None:
            cost += f" ({self.cost_lower:,.2f} to {self.cost_upper:,.2f})"
        if not self.is_within_pool:
            return (
                f"{self.goal}: more labels than the {self.pool:,} instances left, as far as can "
                "be told now"
            )
        return (
            f"{self.goal}: about {self.labels:,} more labels ({self.level:.0%} interval "
            f"{self.lower:,} to {self.upper:,}) after the {self.labels_so_far:,} so far{cost}"
        )


def forecast(
    surfaces: Mapping[str, AccuracySurface],
    problems: Sequence[Problem],
    candidates: Sequence[Candidates],
    strategy: Strategy,
    rng: np.random.Generator,
    *,
    half_width: float | None,
    of: PlanFor,
    where: Mapping[str, object] | None,
    cost_per_label: float,
) -> Forecast:
    """Return the forecast for a goal, given the surface of each service that it is about."""
    if of == "ranking":
        return forecast_ranking(
            surfaces,
            problems,
            candidates,
            strategy,
            rng,
            tie=half_width,
            cost_per_label=cost_per_label,
        )
    if len(surfaces) != 1:
        raise InputError(f"a plan for {of!r} must be about one service; got {list(surfaces)}.")
    surface = next(iter(surfaces.values()))
    aim = _halving(surface, of, where) if half_width is None else Aim(half_width, of, where or {})
    parts = (surface, problems[0], candidates[0], strategy, aim, rng, cost_per_label)
    found = forecast_goal(*parts)
    if half_width is None:
        found = replace(found, goal=f"{found.goal}, half of what it is now")
    return found


def _halving(surface: AccuracySurface, of: AimOf, where: Mapping[str, object] | None) -> Aim:
    """Return the aim to halve an interval; that of a pool without labels says nothing yet."""
    if not surface.n_labels:
        raise InputError(
            f"a plan for {of!r} from no labels must have a half-width; got none. Say how narrow "
            "the interval should be: half_width=0.05 (--half-width 0.05) is 5 points either side."
        )
    now = Aim(0.25, of, where or {}).measure(surface)  # of any width: it is only measured
    return Aim(max(now / 2.0, _LEAST_SD), of, where or {})


def forecast_goal(
    surface: AccuracySurface,
    problem: Problem,
    candidates: Candidates,
    strategy: Strategy,
    aim: Aim,
    rng: np.random.Generator,
    cost_per_label: float = 0.0,
) -> Forecast:
    """Return how many more labels, chosen by the strategy, make an interval narrow enough.

    A ``cost_per_label`` of zero means that it is unknown.
    """
    now = aim.measure(surface)
    designs = designs_for(strategy, aim, surface)
    ahead = {name: _ahead(surface, candidates, s, aim, rng) for name, s in designs.items()}
    goal = f"{aim} to within {aim.half_width:.1%}"
    n_free, so_far = candidates.instances.size, round(surface.n_labels)
    uniform = next(ahead[name] for name, s in designs.items() if s.is_random)
    if now <= aim.half_width and so_far:
        needed = dict.fromkeys(designs, (0.0, 0.0, 0.0))
    else:
        is_average = aim.of in ("overall", "slice")
        needed = {
            name: _with_interval(
                [part, uniform] if is_average and part is not uniform else [part],
                surface,
                so_far,
                rng,
            )
            for name, part in ahead.items()
        }
    own = next(iter(designs))
    found = _forecast(
        goal, now, aim.half_width, so_far, n_free, needed[own], surface, problem, cost_per_label
    )
    labels = {name: min(round(min(n, 1e18)), n_free) for name, (n, _, _) in needed.items()}
    best = at_best(surface, uniform.posterior, aim)
    return replace(
        found,
        design=own,
        cheapest=cheapest(labels),
        designs=labels,
        at_best=None if best.labels is None else min(best.labels, so_far + n_free),
        explained=best.explained,
        labels_per_arm=(so_far + found.labels) / max(_n_arms(surface, aim), 1),
    )


def _n_arms(surface: AccuracySurface, aim: Aim) -> int:
    """Return the number of arms that could be the one that an aim is about."""
    every = Aim(aim.half_width, "every-arm") if aim.of == "worst" else aim
    return int(every.arms(surface).size)


def forecast_ranking(
    surfaces: Mapping[str, AccuracySurface],
    problems: Sequence[Problem],
    candidates: Sequence[Candidates],
    strategy: Strategy,
    rng: np.random.Generator,
    *,
    tie: float | None = None,
    cost_per_label: float = 0.0,
) -> Forecast:
    """Return how many more labels settle the order of services over the pool.

    It is settled once the interval of every difference between neighbours excludes zero, as
    ``compare`` judges it, or is no wider than ``tie`` to either side.
    """
    if len(surfaces) < 2:
        raise InputError(f"a ranking must be of two or more services; got {list(surfaces)}.")
    first = next(iter(surfaces.values()))
    so_far, n_free = round(first.n_labels), candidates[0].instances.size
    if not so_far:
        raise InputError(
            "a ranking must have some labels to start from; got none. Label a batch first."
        )
    aim = Aim(0.25)  # any: only the half-widths are used
    ahead = [
        _ahead(surface, part, strategy, aim, rng)
        for surface, part in zip(surfaces.values(), candidates, strict=True)
    ]
    n_looked_at = min(part.rows.n_rows for part in ahead)
    z = NormalDist().inv_cdf(0.5 + first.level / 2.0)
    means = np.asarray([surface.overall.mean for surface in surfaces.values()])
    order = np.argsort(-means)
    pairs = list(pairwise(order.tolist()))

    def labels_for(part: float) -> float:
        """Return the labels that settle every pair if gaps differ by ``part`` deviations."""
        worst = 0.0
        for better, poorer in pairs:
            reach = _reach(ahead[better], ahead[poorer], 0)
            gap = abs(means[better] - means[poorer] + part * reach / z)
            wanted = max(gap, tie or 0.0, _LEAST_SD)
            fall = _Fall(partial(_reach, ahead[better], ahead[poorer]), n_looked_at, so_far)
            worst = max(worst, fall.labels_for(wanted))
        return worst

    middle = labels_for(0.0)
    ends = sorted([labels_for(-1.0), labels_for(1.0), middle])
    found = _widened(middle, ends[0], ends[2], _OFF["ranking"], so_far, first.level)
    names = [list(surfaces)[i] for i in order]
    goal = "the order " + " > ".join(names)
    problem = problems[0]
    return _forecast(goal, None, tie, so_far, n_free, found, first, problem, cost_per_label)


def _reach(first: Lookahead, second: Lookahead, n_labels: int) -> float:
    """Return the half-width of the difference of two services as if independent."""
    return hypot(first.half_width(n_labels), second.half_width(n_labels))


def _ahead(
    surface: AccuracySurface,
    candidates: Candidates,
    strategy: Strategy,
    aim: Aim,
    rng: np.random.Generator,
) -> Lookahead:
    most = _RANDOM_LABELS if strategy.is_random else _CHOSEN_LABELS
    choice = strategy.choose(surface, candidates, most, rng)
    rows = candidates.affiliation.take(choice.positions)
    ahead = Lookahead(surface, aim, rows)
    n_strata = ahead.posterior.support.n_strata
    if n_strata == candidates.n_strata:
        return ahead
    # The posterior may know of fewer strata: of no signals, or of no clusters.
    known = candidates.over_arms(n_strata).affiliation
    return Lookahead(surface, aim, known.take(choice.positions))


def _with_interval(
    ahead: Sequence[Lookahead],
    surface: AccuracySurface,
    so_far: int,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Return the further labels and the ends of their interval.

    As a strategy learns, it spreads its labels more evenly than it would now, so an average is
    forecast halfway (in the log) between its present picks and uniform ones.
    """
    aim = ahead[0].aim

    def needed(draw: FloatArray | None) -> float:
        found = [
            _Fall(partial(part.half_width, draw=draw), part.rows.n_rows, so_far).labels_for(
                aim.half_width
            )
            for part in ahead
        ]
        return exp(float(np.mean([log(max(so_far + m, 1.0)) for m in found]))) - so_far

    draws, level = surface.joint_draws, surface.level
    if aim.of == "worst" and draws is not None:
        some = draws[rng.choice(draws.shape[0], _DRAWS, replace=False)].astype(np.float64)
        found = [needed(draw) for draw in some]
        low, middle, high = np.quantile(found, [(1 - level) / 2, 0.5, (1 + level) / 2]).tolist()
    else:
        middle = needed(None)
        ends = [needed(_shifted(surface, end)) for end in ("lower", "upper")]
        low, high = min(*ends, middle), max(*ends, middle)
    return _widened(middle, low, high, _OFF[aim.of], so_far, level)


def _shifted(surface: AccuracySurface, end: str) -> FloatArray:
    """Return the arms' accuracies if the overall accuracy is at one end of its interval."""
    from scipy.special import expit, logit

    overall = surface.overall
    least = 1e-3  # an interval may reach 0 or 1, where nothing would be left to label
    mean, moved = (
        float(np.clip(value, least, 1.0 - least))
        for value in (overall.mean, getattr(overall, end))
    )
    arms = np.clip(surface.mean, least, 1.0 - least)
    return np.asarray(expit(logit(arms) + float(logit(moved)) - float(logit(mean))))


def _widened(
    middle: float, low: float, high: float, off: float, so_far: int, level: float
) -> tuple[float, float, float]:
    """Return the forecast and its ends, with the error of forecasts added in the log."""
    reach = NormalDist().inv_cdf(0.5 + level / 2.0) * off
    total = max(so_far + middle, 1.0)
    below = hypot(log(total / max(so_far + low, 1.0)), reach)
    above = hypot(log(max(so_far + high, 1.0) / total), reach)
    return middle, max(total * exp(-below) - so_far, 0.0), total * exp(above) - so_far


class _Fall:
    """The half-width at a few numbers of further labels, computed on demand."""

    def __init__(self, half_width: Callable[[int], float], most: int, so_far: int) -> None:
        grid = np.geomspace(1, max(most, 1), _STEPS).round().astype(int)
        self._steps = [0, *np.unique(grid[grid <= most]).tolist()]
        self._half_width = cache(half_width)
        self._so_far = so_far

    def at(self, step: int) -> tuple[float, float]:
        """Return the total labels and the half-width then."""
        return max(self._so_far + self._steps[step], 1.0), self._half_width(self._steps[step])

    def labels_for(self, wanted: float) -> float:
        """Return the further labels at which the half-width falls to ``wanted``."""
        low, high = 0, len(self._steps) - 1
        if self.at(low)[1] <= wanted:
            return 0.0
        if not high:
            return _NEVER
        if self.at(high)[1] > wanted:
            return _extrapolated(self.at(high - 1), self.at(high), wanted) - self._so_far
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.at(middle)[1] <= wanted else (middle, high)
        (m, before), (n, after) = self.at(low), self.at(high)
        part = log(before / wanted) / max(log(before / max(after, _LEAST_SD)), _LEAST_SD)
        return float(m * exp(part * log(n / m)) - self._so_far)


def _extrapolated(before: tuple[float, float], last: tuple[float, float], wanted: float) -> float:
    """Return the total labels if the half-width keeps falling as it last did."""
    (m, wide), (n, narrow) = before, last
    fall = log(wide / narrow) / max(log(n / m), _LEAST_SD)
    return float(n * (narrow / wanted) ** (1.0 / min(max(fall, _SLOWEST), _FASTEST)))


def _forecast(
    goal: str,
    now: float | None,
    wanted: float | None,
    so_far: int,
    n_free: int,
    found: tuple[float, float, float],
    surface: AccuracySurface,
    problem: Problem,
    cost_per_label: float,
) -> Forecast:
    # A fully labelled pool is known; the rate behind it is not.
    is_within = found[0] <= n_free or problem.support.is_pool
    labels, lower, upper = (min(round(min(value, 1e18)), n_free) for value in found)
    level, price = surface.level, cost_per_label
    counts = (so_far, n_free, labels, lower, upper)
    if not price:
        return Forecast(goal, now, wanted, *counts, level, is_within)
    cost = (price * labels, price * lower, price * upper)
    return Forecast(goal, now, wanted, *counts, level, is_within, *cost)
