"""Choosing the instances that are worth a label next, and when there are none."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from accuracy_assay.domain.events import Asked
from accuracy_assay.domain.label_attribute import LabelAttribute
from accuracy_assay.domain.question import Question, confirm_price_columns
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import (
    Candidates,
    CountingStrategy,
    Picks,
    SharedStrategy,
    Strategy,
)
from accuracy_assay.registry import build_strategy_for
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.cache.cells import KeptCells
from accuracy_assay.session.cache.fits import NotKeptError, watched
from accuracy_assay.session.fits import Fit, Fits
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.second_opinions import choose_extras
from accuracy_assay.spec.model import ServiceSection, Spec

if TYPE_CHECKING:
    from accuracy_assay.study.plan.forecast import Forecast, PlanFor

__all__ = ["Asking", "Pick"]

_ByArm: TypeAlias = Mapping[int, float]

_AGAIN = "another opinion"
_USUAL_REASON = "covers the pool"
"""Why a check is asked, as the page says it, where no new instance lends its reason."""

_LOOKS = 2
"""Fits in a row at which the goal must be reached (see ``benchmarks/stop_when_narrow.py``)."""
_MARGIN = 1.1
"""Factor by which intervals must be narrower than the goal. Stopping where one happens to be
narrow makes it hold less often than it says; the goal, which is wider, holds as often as promised
(``benchmarks/stop_when_narrow.py``)."""


@dataclass(frozen=True)
class Pick:
    """A question that is worth asking, with all that is recorded when it is asked.

    ``services`` are the names of those whose surfaces guided the choice, joined by commas;
    ``probability``, ``least`` and ``at_random`` are as in `Picks`, ``purpose`` as in `Asked`.
    """

    question: Question
    reason: str
    probability: float
    least: float
    services: str
    at_random: bool = False
    purpose: str = ""

    @property
    def instance(self) -> str:
        """The instance that it is about."""
        return self.question.instance


@dataclass(frozen=True)
class Asking:
    """Chooses by the fits of the services; requests give the instances out."""

    spec: Spec
    rows: AssayRows
    journal: Journal
    fits: Fits
    _stale: dict[tuple[str, int, int], tuple[_ByArm, _ByArm | None]] = field(default_factory=dict)

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy of the spec; imported when the first choice is made."""
        assay = self.spec.assay
        return build_strategy_for(
            assay.strategy, goal=assay.goal, mix=assay.mix, random_share=assay.random_share
        )

    def is_reached(self) -> bool:
        """Return whether every service's interval is as narrow as the spec wants it, and stays so.

        For a ranking that means that its first places are settled, or as good as tied.

        One narrow fit may be luck, and stopping there would favour lucky fits. So two fits in a
        row must be narrower than the goal by a margin.
        """
        stop = self.spec.assay.stop
        if stop is None:
            return False
        with self.journal.reading() as ledger:
            scored = self.fits.snapshots.in_turn(ledger)
        if len(scored) < len(self.spec.service):
            return False
        for service in scored:
            self.fits.to_choose_by(service)
        looks = [self._half_widths(service)[-_LOOKS:] for service in scored]
        return all(
            len(found) == _LOOKS and _MARGIN * max(found) <= stop.half_width for found in looks
        )

    def _half_widths(self, service: ServiceSection) -> list[float]:
        """Return the half-widths of the goal so far, by labels: of this process and of others."""
        with self.journal.reading() as ledger:
            known = {**ledger.half_widths.get(service.name, {})}
        known |= self.fits.half_widths.get(service.name, {})
        return [known[n] for n in sorted(known)]

    def end(self, annotator: str) -> str | None:
        """Return why there is nothing to ask an annotator for, or None where there is."""
        if self.is_reached():
            assert self.spec.assay.stop is not None
            return f"the goal is reached: {self.spec.assay.stop.reached}"
        with self.journal.reading() as ledger:
            now = self.journal.clock()
            if ledger.used + 1 > self.spec.assay.budget:
                return "the budget is spent"
            if ledger.room(now) < 1:
                return "all that is left of the budget is held by annotators"
            n_free = self.rows.n_pool - self._taken(ledger, annotator, now).size
            if not n_free and not self._begun(ledger, annotator, now):
                return "all instances are answered, held or skipped"
            crowd = self.fits.snapshots.recent_crowd(ledger)
            if crowd is not None and annotator in crowd.guessers:
                return (
                    f"the answers of {annotator} look like guesses beside those of others, so "
                    f"nothing new is asked of {annotator}; whoever leads the team sees why"
                )
        return None

    def plan(
        self,
        services: Sequence[ServiceSection],
        half_width: float | None,
        of: PlanFor,
        where: Mapping[str, Any] | None,
        cost_per_label: float,
    ) -> Forecast:
        """Return how many more labels a goal of some services takes."""
        # Here and not above: asking loads nothing that only plans need.
        from accuracy_assay.study.plan.forecast import forecast

        fits = [self.fits.cold(service) for service in services]
        with self.journal.reading() as ledger:
            taken = self._taken(ledger, "", self.journal.clock())
        free = np.setdiff1d(np.arange(self.rows.n_pool), taken, assume_unique=True)
        problems = [fit.solved.whole.problem for fit in fits]
        return forecast(
            {fit.solved.service.name: fit.surface for fit in fits},
            problems,
            [problem.candidates(free) for problem in problems],
            self._strategy_for(fits),
            np.random.default_rng([self.spec.assay.seed, 3]),
            half_width=half_width,
            of=of,
            where=_observed(where, fits[0].solved.label),
            cost_per_label=cost_per_label,
        )

    def proposal(self, annotator: str, picks: Sequence[Pick]) -> Asked:
        """Return the event that gives picks to an annotator."""
        return Asked(
            tuple(pick.instance for pick in picks),
            annotator,
            self.journal.clock() + 60.0 * self.spec.assay.lease_minutes,
            next((pick.services for pick in picks if pick.services), ""),
            tuple(pick.reason for pick in picks),
            tuple(pick.probability for pick in picks),
            tuple(pick.least for pick in picks),
            tuple(pick.at_random for pick in picks),
            tuple(pick.purpose for pick in picks) if any(pick.purpose for pick in picks) else (),
            tuple(p.question.confirm for p in picks)
            if any(p.question.confirm for p in picks)
            else (),
        )

    def mixed(
        self, ledger: Ledger, annotator: str, now: float, count: int, picks: Sequence[Pick]
    ) -> list[Pick]:
        """Return at most ``count`` picks, with those among them that somebody has answered.

        Checks stand anywhere among new instances, for the reason of one of them, so that nobody
        can tell them.
        """
        if not self.spec.asks_again and self.spec.label.annotators == 1:
            return list(picks[:count])
        crowd = self.fits.snapshots.recent_crowd(ledger)
        extras = choose_extras(self.spec, self.rows, ledger, crowd, annotator, count, now)
        if crowd is not None and annotator in crowd.guessers:
            picks = []
        if not extras:
            return list(picks[:count])
        names = ", ".join(service.name for service in self._guides(ledger))
        new = list(picks[: max(count - len(extras), 0)])
        reasons = [pick.reason for pick in new] or [_USUAL_REASON]
        place = np.random.default_rng([self.spec.assay.seed, 9, ledger.n_rounds])
        price = self.spec.price_of(annotator)
        for extra in extras:
            is_check = extra.purpose == "check"
            reason = str(place.choice(reasons)) if is_check else _AGAIN
            question = Question(extra.instance, of=annotator, price=price)
            pick = Pick(question, reason, extra.probability, 0.0, names, purpose=extra.purpose)
            new.insert(int(place.integers(len(new) + 1)), pick)
        return new

    def again(self, ledger: Ledger, annotator: str, now: float, count: int) -> list[Pick]:
        """Return instances that want another opinion, which this annotator may give."""
        begun = self._begun(ledger, annotator, now)[: max(count, 0)]
        if not begun:
            return []
        names = ", ".join(service.name for service in self._guides(ledger))
        return [Pick(Question(i), _AGAIN, 1.0, 0.0, names) for i in begun]

    def pick(
        self,
        count: int,
        annotator: str,
        besides: Set[str] = frozenset(),
        among: Set[str] | None = None,
    ) -> list[Pick]:
        """Choose instances that nobody has begun; those in ``besides`` count as begun.

        With ``among`` they are some of these.
        """
        with self.journal.reading() as ledger:
            now = self.journal.clock()
            taken = self._taken(ledger, annotator, now)
            begun = self.rows.numbers([*ledger.answers, *ledger.leases.held(now), *besides])
            services = self._guides(ledger)
            # Processes that ask at the same moment should not draw the same instances.
            seed = [
                self.spec.assay.seed,
                2,
                ledger.n_rounds,
                zlib.crc32(annotator.encode("utf-8", "replace")),
            ]
        if besides:
            taken = np.union1d(taken, self.rows.numbers(besides))
        if among is not None:
            others = np.setdiff1d(np.arange(self.rows.n_pool), self.rows.numbers(among))
            taken = np.union1d(taken, others)
        if count <= 0 or taken.size >= self.rows.n_pool:
            return []
        self.rows.read_now()
        fits = self._fits_of(services)
        pending, cells = _pending(fits, begun), self._kinds
        prices = confirm_price_columns(self.rows.space.names, self.spec.confirm_prices)
        if cells is None:
            free = np.setdiff1d(np.arange(self.rows.n_pool), taken, assume_unique=True)
            candidates = [
                replace(fit.solved.candidates(free, pending), confirm_price=prices) for fit in fits
            ]
            choice = self._choose_by(fits, candidates, count, seed)
            chosen = free[choice.positions].tolist()
        else:
            candidates = [fit.solved.counted(taken, pending) for fit in fits]
            choice = self._choose_by(fits, candidates, count, seed)
            chosen = cells.locate(choice.positions, self._rank(choice), taken)
        picked = zip(choice.positions.tolist(), chosen, strict=True)
        questions = [
            candidates[0].question(p, self.rows.ids[row], confirm)
            for (p, row), confirm in zip(picked, self._confirm(choice), strict=True)
        ]
        least = np.zeros(choice.positions.size) if choice.least is None else choice.least
        drawn = np.zeros(least.size, bool)  # among some, nothing is drawn from all alike
        if among is None and choice.at_random is not None:
            drawn = choice.at_random
        names = ", ".join(service.name for service in services)
        return [
            Pick(question, reason, probability, lowest, names, is_random)
            for question, reason, probability, lowest, is_random in zip(
                questions,
                choice.reason,
                choice.probability.tolist(),
                least.tolist(),
                drawn.tolist(),
                strict=True,
            )
        ]

    def _confirm(self, choice: Picks) -> list[dict[str, float]]:
        """Return what is to be confirmed with each pick, and the prices."""
        names, prices = self.rows.space.names, self.spec.confirm_prices
        chosen = choice.confirm or ((),) * choice.positions.size
        return [{names[k]: prices[names[k]] for k in at} for at in chosen]

    def rank(self, ids: Sequence[str]) -> list[str]:
        """Return instances in the order of what a label of each is worth now, the best first.

        It is the order in which the strategy would choose them if there were no others.
        """
        rows = np.sort(self.rows.numbers(ids))
        if not rows.size:
            return []
        with self.journal.reading() as ledger:
            now = self.journal.clock()
            begun = self.rows.numbers([*ledger.answers, *ledger.leases.held(now)])
            services = self._guides(ledger)
            seed = [self.spec.assay.seed, 4, ledger.label_seq]  # the same until a label comes in
        fits = self._fits_of(services)
        pending = _pending(fits, np.setdiff1d(begun, rows))
        candidates = [fit.solved.candidates(rows, pending) for fit in fits]
        choice = self._choose_by(fits, candidates, rows.size, seed)
        chosen = [self.rows.ids[row] for row in rows[choice.positions]]
        return list(dict.fromkeys([*chosen, *ids]))

    def _strategy_for(self, fits: Sequence[Fit]) -> Strategy:
        """Return the strategy; a mix that names the label is taken for one of predictions.

        For the surface as it is now, it is told which arms have old labels, and what comes now.
        """
        if self.spec.assay.chosen_for == "now":
            telling: Any = self.strategy
            stale, recent = self._wanted_now(fits[0])
            told: Strategy = replace(telling, staleness=stale, mix=recent)
            return told
        label, mix = fits[0].solved.label, self.spec.assay.mix
        if label is None or mix is None:
            return self.strategy
        from accuracy_assay.files.tables import read_table

        table = read_table(mix, what="mix")
        chosen: Any = self.strategy
        made: Strategy = replace(chosen, mix=table.rename(label.rename(table.columns)))
        return made

    def _wanted_now(self, fit: Fit) -> tuple[_ByArm | None, _ByArm | None]:
        """Return what each arm counts for, and the mix of the rows of now.

        None and None before there are labels enough to tell.
        """
        from accuracy_assay.session.watching import LEAST_LABELS, History

        seen = self.fits.snapshots.take(fit.problem.service)
        if len(seen.labels) < LEAST_LABELS:
            return None, None
        key = (fit.problem.service.name, len(seen.labels), seen.seen_seq)
        if key not in self._stale:
            with self.journal.reading() as ledger:
                history = History.of(seen, ledger)
            self._stale.clear()
            self._stale[key] = history.weights(fit.surface)
        return self._stale[key]

    def _fits_of(self, services: Sequence[ServiceSection]) -> list[Fit]:
        """Return the fits to choose by: one for all services that are fitted together."""
        first = self.fits.to_choose_by(services[0])
        others = () if first.joint is not None else services[1:]
        return [first, *map(self.fits.to_choose_by, others)]

    def _guides(self, ledger: Ledger) -> tuple[ServiceSection, ...]:
        """Return the services whose surfaces guide this round."""
        snapshots = self.fits.snapshots
        if group := snapshots.group(ledger):
            return group
        services = snapshots.in_turn(ledger)
        return services if isinstance(self.strategy, SharedStrategy) else services[:1]

    @cached_property
    def _kinds(self) -> KeptCells | None:
        """The kinds of rows, of a large pool whose rows the strategy can count; else None."""
        is_counting = isinstance(self.strategy, CountingStrategy) and self.strategy.is_counting
        return self.fits.snapshots.cells if is_counting else None

    def _rank(self, choice: Picks) -> IntArray:
        if choice.rank is None:
            raise InputError(
                f"strategy {self.spec.assay.strategy_name!r} must say the rank of what it picks, "
                "since it says that it counts; got none."
            )
        return choice.rank

    def _choose_by(
        self,
        fits: Sequence[Fit],
        candidates: Sequence[Candidates],
        count: int,
        seed: Sequence[int],
    ) -> Picks:
        """Choose by one surface or by several at once; by own fits where kept ones fall short."""
        rng, strategy = np.random.default_rng(seed), self._strategy_for(fits)
        goal = self.spec.assay.chosen_for
        surfaces = [watched(fit.guide(goal)) for fit in fits]  # notes what a strategy looks at
        try:
            if len(fits) > 1 and isinstance(strategy, SharedStrategy):
                choice = strategy.choose_shared(surfaces, candidates, count, rng)
            else:
                choice = strategy.choose(surfaces[0], candidates[0], count, rng)
        except NotKeptError:
            self.fits.use_own()
            own = [self.fits.to_choose_by(fit.problem.service) for fit in fits]
            return self._choose_by(own, candidates, count, seed)
        for fit, surface in zip(fits, surfaces, strict=True):
            self.fits.keep(fit, surface)
        return choice

    def _begun(self, ledger: Ledger, annotator: str, now: float) -> list[str]:
        """Return instances that want more annotators than have begun them."""
        if self.spec.label.annotators == 1:
            return []
        begun = dict.fromkeys([*ledger.answers, *ledger.leases])
        return [i for i in begun if ledger.is_free(i, annotator, now)]

    def _taken(self, ledger: Ledger, annotator: str, now: float) -> IntArray:
        """Return the pool rows that are answered, held, or skipped by this one, in order."""
        skipped = (i for i, by in ledger.skips.items() if annotator in by)
        taken = self.rows.numbers([*ledger.answers, *ledger.leases.held(now), *skipped])
        seed = np.asarray(list(self.rows.seed_labels), dtype=np.int64)
        return np.union1d(taken, seed[seed < self.rows.n_pool])


def _observed(
    where: Mapping[str, Any] | None, label: LabelAttribute | None
) -> Mapping[str, Any] | None:
    """Return attribute values with the prediction in place of an attribute that is the label."""
    if not where or label is None:
        return where
    names = label.rename(where)
    return {names.get(name, name): value for name, value in where.items()}


def _pending(fits: Sequence[Fit], begun: IntArray) -> IntArray:
    """Return the begun rows that are not in all of the fits."""
    seen = frozenset.intersection(*(fit.labelled for fit in fits))
    return np.setdiff1d(begun, np.asarray(sorted(seen), dtype=np.int64))
