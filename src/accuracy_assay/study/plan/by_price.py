"""``plan_by_price``: which rows go to people and which to a judge, given what both cost.

A judge's score is worth as much as it explains of people's score within an arm; what it leaves
unexplained, people must tell. Both are learned from the labels so far. Arms where the judge errs
more get more people; a judge that says what another says already explains nothing more, and is
not bought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.judges import judge_scores
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind, kind_of
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.numerics.two_phase import Spending, Strata, cheapest, fixed_mix
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.runtime.number_text import plural, points_text
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.texts import derive_values

__all__ = ["AND", "PEOPLE", "PriceGoal", "PricePlan", "plan_by_price"]

PEOPLE = "people"
"""Name of people among the prices."""
AND = ", "
"""Between the names of judges that score a row."""
PriceGoal = Literal["overall", "every-arm"]
_LEVEL = 0.9
"""Probability of the intervals, as everywhere."""
_LEAST_LABELS = 20
"""Fewest labels to learn from what a judge is worth. Chosen by hand: with fewer, one row moves
the unexplained share by more than a twentieth."""
_PRIOR_LABELS = 10.0
"""Labels that the variance of all arms is worth in each: an arm's own counts half at ten. Chosen
by hand."""
_MOST_JUDGES = 6
"""Most judges: all their subsets are compared."""


@dataclass(frozen=True)
class PricePlan:
    """How many rows go to people and to judges, arm by arm, and what that costs.

    Parameters
    ----------
    judges
        The judges that are worth their price; they may have scored all that is needed.
    of, half_width
        The goal: ``"overall"`` or ``"every-arm"``, and half the width of its 90% interval.
    cost, people_alone, fixed_mix
        What the plan costs, what people alone would, and a fixed mix: every row scored, and the
        same share of each arm labelled.
    arms
        One row per arm: its attributes, ``rows``, ``labels`` so far, ``people`` and ``judged``,
        how many more rows go to each, and ``unexplained``, the share of the variance of people's
        score that the judges leave.
    """

    judges: tuple[str, ...]
    of: str
    half_width: float
    cost: float
    people_alone: float
    fixed_mix: float
    arms: pl.DataFrame
    frames: FrameKind = "polars"
    _rows: pl.DataFrame = field(default_factory=pl.DataFrame, compare=False, repr=False)

    @property
    def people(self) -> int:
        """Rows that go to people."""
        return int(self.arms.get_column("people").sum())

    @property
    def judged(self) -> int:
        """Rows that the judges score."""
        return int(self.arms.get_column("judged").sum())

    @property
    def saved(self) -> float:
        """What the plan saves against the cheaper of people alone and a fixed mix."""
        return max(min(self.people_alone, self.fixed_mix) - self.cost, 0.0)

    def to_frame(self) -> Frame:
        """Return one row per arm."""
        return as_kind(self.arms, self.frames)

    def rows(self) -> Frame:
        """Return the rows to buy something for.

        ``people`` and ``judged`` are true or false, ``judges`` names who scores the row.
        """
        return as_kind(self._rows, self.frames)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        names = ("of", "half_width", "cost", "people_alone", "fixed_mix", "saved")
        found = {name: getattr(self, name) for name in names}
        judges = {"judges": list(self.judges), "people": self.people, "judged": self.judged}
        return {**found, **judges, "arms": self.arms.to_dicts()}

    def __str__(self) -> str:
        goal = "the whole" if self.of == "overall" else "every arm"
        said = f"for {points_text(self.half_width)} points to either side of {goal}: "
        if not self.people and not self.judged:
            return f"{said}nothing more to buy, it is known as closely by what there is"
        said += f"{plural(self.people, 'row')} to people"
        if self.judges:
            said += f", {plural(self.judged, 'row')} to {' and '.join(self.judges)}"
        else:
            said += ", none to a judge: none is worth its price"
        return (
            f"{said}; costs {self.cost:,.2f}, people alone {self.people_alone:,.2f}, every row "
            f"judged and a fixed share labelled {self.fixed_mix:,.2f}; saves {self.saved:,.2f}"
        )


def plan_by_price(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    judges: Sequence[str],
    prices: Mapping[str, float],
    half_width: float,
    of: PriceGoal = "overall",
    passes: Sequence[str] = (),
    seed: int = 0,
    **options: Any,
) -> PricePlan:
    """Say how many rows go to people and how many to judges, arm by arm, for the least money.

    Parameters
    ----------
    rows, attributes, score, options
        All rows, as in ``plan``; the score is that of people, null without a label. Some rows must
        have a label and the judges' scores.
    judges
        Columns of the judges' scores, in [0, 1], boolean or texts; null where a judge was not
        asked yet.
    prices
        What a label costs, ``"people"``, and what a score of each judge costs.
    half_width
        Half the width of the 90% interval to reach.
    of
        ``"overall"``, or ``"every-arm"``: each arm by its own labels.
    passes
        Verdicts that pass an answer, where judges give texts.
    seed
        Seed of which rows are picked within an arm.

    Returns
    -------
    PricePlan

    Raises
    ------
    InputError
        If a price is missing, or labels are too few.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> right = (rng.random(4_000) < 0.7).astype(float)
    >>> llm = np.where(rng.random(4_000) < 0.95, right, 1.0 - right)
    >>> rows = pl.DataFrame({"kind": rng.choice(["a", "b"], 4_000), "right": right, "llm": llm})
    >>> known = pl.when(pl.int_range(4_000) < 100)
    >>> rows = rows.with_columns(known.then(name).alias(name) for name in ("right", "llm"))
    >>> prices = {"people": 1.0, "llm": 0.02}
    >>> found = plan_by_price(
    ...     rows, ["kind"], "right", judges=["llm"], prices=prices, half_width=0.02
    ... )
    >>> found.judges, found.cost < 0.5 * found.people_alone
    (('llm',), True)
    """
    if of not in get_args(PriceGoal):
        raise UnknownNameError("goal", of, get_args(PriceGoal))
    _check(judges, prices, half_width)
    asked = Columns.of(attributes, score=score, **options)
    columns, own, _ = derive_values(asked, rows)
    columns, own, *_ = settle_answers(columns, own)
    table = read_table(own)
    pilot = _Pilot.read(columns, table, judges, passes)
    variance = (half_width / NormalDist().inv_cdf((1.0 + _LEVEL) / 2.0)) ** 2
    subsets = [s for size in range(len(judges) + 1) for s in combinations(judges, size)]
    fixed = [pilot.fixed(s, prices, variance, of) for s in subsets if len(s) < 2]
    found = [pilot.plan(subset, prices, variance, of) for subset in subsets]
    best = min([*found, *fixed], key=lambda each: each.cost)
    alone, mixes = fixed[0].cost, min(each.cost for each in fixed[1:])
    people, judged = pilot.more(best)
    arms = pilot.arms.with_columns(
        pl.Series("people", people.astype(np.int64)),
        pl.Series("judged", judged.astype(np.int64)),
        pl.Series("unexplained", best.strata.left / np.maximum(best.strata.variance, 1e-12)),
    )
    used = best.judges if best.spending.scored.any() else ()
    picked = pilot.pick(table, people, judged, used, np.random.default_rng(seed), columns.id)
    return PricePlan(used, of, half_width, best.cost, alone, mixes, arms, kind_of(rows), picked)


@dataclass(frozen=True, eq=False)
class _Plan:
    """One subset of judges: what is bought, what it costs, and the variances behind it."""

    judges: tuple[str, ...]
    cost: float
    spending: Spending
    strata: Strata


@dataclass(frozen=True, eq=False)
class _Pilot:
    """The rows so far: the arm of each, people's scores and the judges', NaN where none."""

    arms: pl.DataFrame
    arm: IntArray
    people: FloatArray
    said: Mapping[str, FloatArray]

    @classmethod
    def read(
        cls,
        columns: Columns,
        table: pl.DataFrame,
        judges: Sequence[str],
        passes: Sequence[str],
    ) -> _Pilot:
        require_columns(table, [*columns.needed, *columns.scored_by, *judges])
        space = resolve_space(columns.attributes, table)
        index = space.arm_index(space.encode(table))
        listed, arm = np.unique(index, return_inverse=True)
        people = np.full(table.height, np.nan)
        if columns.label is not None:
            is_known = table.get_column(columns.label).is_not_null()
            if is_known.any():
                found = columns.scores(table.filter(is_known))
                people[is_known.to_numpy()] = check_scores(found.to_numpy())
        n_labels = int(np.isfinite(people).sum())
        if n_labels < _LEAST_LABELS:
            raise InputError(
                f"a plan by price must have at least {_LEAST_LABELS} labels to learn what a judge "
                f"is worth; got {n_labels}."
            )
        said = {
            name: judge_scores(table.get_column(name), passes).cast(pl.Float64).to_numpy()
            for name in judges
        }
        count = np.bincount(arm, minlength=listed.size)
        labels = sum_by_group(arm, np.isfinite(people).astype(float), listed.size)
        frame = space.frame(listed).with_columns(
            pl.Series("rows", count.astype(np.int64)),
            pl.Series("labels", labels.astype(np.int64)),
        )
        return cls(frame, arm, people, said)

    @property
    def _n_arms(self) -> int:
        return self.arms.height

    def plan(
        self,
        judges: tuple[str, ...],
        prices: Mapping[str, float],
        variance: float,
        of: PriceGoal,
    ) -> _Plan:
        """Return the cheapest plan with these judges."""
        price = sum(prices[name] for name in judges) if judges else None

        def spend(strata: Strata) -> Spending:
            return cheapest(strata, variance, prices[PEOPLE], price)

        return self._plan(judges, prices, of, spend)

    def fixed(
        self,
        judges: tuple[str, ...],
        prices: Mapping[str, float],
        variance: float,
        of: PriceGoal,
    ) -> _Plan:
        """Return the plan that labels the same share of every arm, all scored by these judges."""

        def spend(strata: Strata) -> Spending:
            return fixed_mix(strata, variance, is_judged=bool(judges))

        return self._plan(judges, prices, of, spend)

    def _plan(
        self,
        judges: tuple[str, ...],
        prices: Mapping[str, float],
        of: PriceGoal,
        spend: Callable[[Strata], Spending],
    ) -> _Plan:
        strata = self.strata(judges)
        found = [spend(each) for each in ([strata] if of == "overall" else _alone(strata))]
        spent = Spending(
            np.concatenate([each.labels for each in found]),
            np.concatenate([each.scored for each in found]),
        )
        cost = spent.cost(strata, prices[PEOPLE], sum(prices[name] for name in judges))
        return _Plan(judges, cost, spent, strata)

    def strata(self, judges: tuple[str, ...]) -> Strata:
        """Return the arms with the variance of people's scores, and what judges leave of it."""
        is_asked = self._is_asked(judges)
        is_known = np.isfinite(self.people)
        whole = self._shrunk(self._rest((), is_known), is_known, 0)
        left = whole
        both = is_known & is_asked
        if judges and both.sum() >= _LEAST_LABELS:
            known = self._rest(judges, both)
            left = np.minimum(self._shrunk(known, both, len(judges)), whole)
        rows = self.arms.get_column("rows").to_numpy().astype(np.float64)
        return Strata(
            rows,
            whole,
            left,
            self.arms.get_column("labels").to_numpy().astype(np.float64),
            sum_by_group(self.arm, is_asked.astype(np.float64), self._n_arms),
            rows / rows.sum(),
        )

    def _is_asked(self, judges: Sequence[str]) -> BoolArray:
        """Return which rows all of some judges have scored, (m,); none without a judge."""
        scored = [np.isfinite(self.said[name]) for name in judges]
        return np.asarray(np.all(scored, axis=0)) if scored else np.zeros(self.arm.size, bool)

    def _rest(self, judges: tuple[str, ...], used: Any) -> FloatArray:
        """Return what is left of people's scores within arms, given the judges', (m,)."""
        arm = self.arm[used]
        y = _centred(self.people[used], arm, self._n_arms)
        if not judges:
            return y
        x = np.stack(
            [_centred(self.said[name][used], arm, self._n_arms) for name in judges], axis=1
        )
        slope = np.linalg.lstsq(x, y, rcond=None)[0]
        return np.asarray(y - x @ slope)

    def _shrunk(self, rest: FloatArray, used: Any, n_slopes: int) -> FloatArray:
        """Return the variance within each arm, drawn to that of all by the few labels of each."""
        arm = self.arm[used]
        squares = sum_by_group(arm, rest**2, self._n_arms)
        count = sum_by_group(arm, np.ones(arm.size), self._n_arms)
        free = max(float(rest.size - np.count_nonzero(count) - n_slopes), 1.0)
        pooled = squares.sum() / free
        own = np.maximum(count - 1.0, 0.0)
        return np.asarray((_PRIOR_LABELS * pooled + squares) / (_PRIOR_LABELS + own))

    def more(self, found: _Plan) -> tuple[FloatArray, FloatArray]:
        """Return how many more rows of each arm go to people and to judges, (A,) each."""
        strata, spent = found.strata, found.spending
        people = np.maximum(spent.labels - strata.labels, 0.0)
        return people, np.maximum(spent.scored - strata.scored, 0.0)

    def pick(
        self,
        table: pl.DataFrame,
        people: FloatArray,
        judged: FloatArray,
        judges: Sequence[str],
        rng: np.random.Generator,
        id_column: str | None,
    ) -> pl.DataFrame:
        """Return the rows, at random within each arm; those for people are judged too."""
        order = rng.permutation(self.arm.size)
        to_people = np.zeros(self.arm.size, dtype=bool)
        to_judge = np.zeros(self.arm.size, dtype=bool)
        is_asked = self._is_asked(judges)
        for a in range(self._n_arms):
            own = order[self.arm[order] == a]
            free = own[~np.isfinite(self.people[own])]
            to_people[free[: int(people[a])]] = True
            silent = own[~is_asked[own]]
            silent = silent[np.argsort(~to_people[silent], kind="stable")]
            to_judge[silent[: int(judged[a])]] = True
        at = np.flatnonzero(to_people | to_judge)
        key = pl.Series("row", at) if id_column is None else table.get_column(id_column)[at]
        is_judged = pl.Series("judged", to_judge[at])
        named = pl.select(judges=pl.when(is_judged).then(pl.lit(AND.join(judges)))).to_series()
        return pl.DataFrame([key, pl.Series("people", to_people[at]), is_judged, named])


def _alone(strata: Strata) -> list[Strata]:
    """Return every arm as a plan of its own."""
    return [
        Strata(
            strata.rows[a : a + 1],
            strata.variance[a : a + 1],
            strata.left[a : a + 1],
            strata.labels[a : a + 1],
            strata.scored[a : a + 1],
            np.ones(1),
        )
        for a in range(strata.rows.size)
    ]


def _centred(values: FloatArray, arm: IntArray, n_arms: int) -> FloatArray:
    count = np.maximum(sum_by_group(arm, np.ones(arm.size), n_arms), 1.0)
    return np.asarray(values - (sum_by_group(arm, values, n_arms) / count)[arm])


def _check(judges: Sequence[str], prices: Mapping[str, float], half_width: float) -> None:
    if not 0.0 < half_width < 1.0:
        raise InputError(f"half_width must be between 0 and 1; got {half_width!r}.")
    if isinstance(judges, str) or not 1 <= len(judges) <= _MOST_JUDGES:
        raise InputError(f"judges must be a list of 1 to {_MOST_JUDGES} columns; got {judges!r}.")
    if lacking := [name for name in (PEOPLE, *judges) if name not in prices]:
        raise InputError(
            f"prices must have {PEOPLE!r} and every judge; got none of {lacking[0]!r}."
        )
    if bad := [name for name, price in prices.items() if not price >= 0.0]:
        raise InputError(f"prices must be at least 0; got {prices[bad[0]]!r} of {bad[0]!r}.")
    if not prices[PEOPLE] > 0.0:
        raise InputError("prices must have people at more than 0; got 0.")
