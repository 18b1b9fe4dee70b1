"""The views of one assay, made from its latest surfaces, with what is unsure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from accuracy_assay.domain.importance import Importances
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError, StoreError
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.reports.certificate import Certificate
from accuracy_assay.reports.leaning import leaning_on
from accuracy_assay.reports.report import TOO_FEW_LABELS, Report
from accuracy_assay.reports.verdict import verdict
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.past import labelled_span
from accuracy_assay.session.predicting import n_missing
from accuracy_assay.session.status import Status
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.plan.forecast import Forecast
from accuracy_assay.study.watch.watched import Watch
from accuracy_assay.web.live import LiveUpdates
from accuracy_assay.web.surface.answer_cache import AnswerCache
from accuracy_assay.web.surface.attributes_view import attributes_view
from accuracy_assay.web.surface.board_view import (
    board_attribute,
    first_look,
    places_of,
    value_places,
)
from accuracy_assay.web.surface.compare_view import compare_view
from accuracy_assay.web.surface.instance_view import instances_view
from accuracy_assay.web.surface.judge_view import judge_view
from accuracy_assay.web.surface.progress_view import progress_view
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    CompareQuery,
    HeatQuery,
    InstancesQuery,
    JudgeQuery,
    MarginalsQuery,
    ProgressQuery,
    SlicesQuery,
    ThenQuery,
    TimeQuery,
    ViewQuery,
    WorstQuery,
)
from accuracy_assay.web.surface.selection import Selection, read_conditions
from accuracy_assay.web.surface.then_view import (
    moment,
    moment_text,
    then_view,
    usual_moment,
)
from accuracy_assay.web.surface.time_view import time_view
from accuracy_assay.web.surface.values import (
    About,
    Arms,
    Attributes,
    Compare,
    Heat,
    Instances,
    Judge,
    Marginals,
    Progress,
    Slices,
    Then,
    Time,
    Worst,
)
from accuracy_assay.web.surface.views import (
    arms_view,
    axes_of,
    heat_view,
    marginals_view,
    numbers,
    slices_view,
    typical_values,
    worst_view,
)

__all__ = ["SurfaceAnswers"]

T = TypeVar("T")


@dataclass(frozen=True)
class _Slow(Generic[T]):
    """A slow answer, None while the first is made; and since when a newer one is, in seconds."""

    answer: T | None
    is_current: bool = True
    seconds: float = 0.0

    @property
    def state(self) -> dict[str, Any]:
        """What every view says of it."""
        return {"is_behind": not self.is_current, "seconds": self.seconds}


@dataclass(frozen=True)
class SurfaceAnswers:
    """Makes the views of one assay; slow answers are cached until something changes.

    A first slow answer is waited for ``patience_s``; until it is there, the page says so.
    """

    assay: Assay
    live: LiveUpdates
    comparisons: AnswerCache[Comparison] = field(default_factory=AnswerCache)
    forecasts: AnswerCache[Forecast] = field(default_factory=AnswerCache)
    rankings: AnswerCache[Importances] = field(default_factory=AnswerCache)
    states: AnswerCache[AccuracySurface] = field(default_factory=AnswerCache)
    watches: AnswerCache[Watch] = field(default_factory=AnswerCache)
    certificates: AnswerCache[Certificate] = field(default_factory=AnswerCache)
    patience_s: float = 0.6

    def look(
        self, query: ViewQuery, status: Status | None = None
    ) -> tuple[About, AccuracySurface | None]:
        """Return the latest surface, None before the first, and what every view says of it."""
        service = self._service_name(query.service)
        version = self.live.version
        remarks: list[str] = []
        surface = None
        try:
            surface = self.live.surface(service)
        except StoreError:
            raise
        except AssayError as error:
            remarks.append(f"There is no surface yet: {error}")
        return self._about(service, surface, version, remarks, status), surface

    def slices(self, query: SlicesQuery) -> Slices:
        """Return the weak slices."""
        about, surface = self.look(query)
        return Slices(about=about) if surface is None else slices_view(about, surface, query)

    def heat(self, query: HeatQuery) -> Heat:
        """Return the accuracy by two attributes."""
        about, surface = self.look(query)
        return Heat(about=about) if surface is None else heat_view(about, surface, query)

    def arms(self, query: ArmsQuery) -> Arms:
        """Return the arms that match."""
        about, surface = self.look(query)
        return Arms(about=about) if surface is None else arms_view(about, surface, query)

    def worst(self, query: WorstQuery) -> Worst:
        """Return the worst arms."""
        about, surface = self.look(query)
        return Worst(about=about) if surface is None else worst_view(about, surface, query)

    def marginals(self, query: MarginalsQuery) -> Marginals:
        """Return the accuracy by one attribute at a time."""
        about, surface = self.look(query)
        return Marginals(about=about) if surface is None else marginals_view(about, surface, query)

    def attributes(self, query: ViewQuery) -> Attributes:
        """Return which attributes matter."""
        about, surface = self.look(query)
        if surface is None:
            return Attributes(about=about)
        try:
            ranking = self._slow(
                self.rankings, query, about.service, id(surface), surface.attributes
            )
        except AssayError as error:  # such as a pool with one arm
            return Attributes(about=about, remarks=[f"There is no ranking yet: {error}"])
        found = ranking.answer
        view = Attributes(about=about) if found is None else attributes_view(about, found)
        return view.model_copy(update=ranking.state)

    def instances(self, query: InstancesQuery) -> Instances:
        """Return the instances behind some arms."""
        about, surface = self.look(query)
        return instances_view(about, self.assay, surface, query)

    def progress(self, query: ProgressQuery) -> Progress:
        """Return the expected error against labels, and the forecast for a goal."""
        status = self.assay.status()
        about, surface = self.look(query, status)
        forecast, state, remarks = None, {}, []
        if query.half_width is not None:
            conditions = query.where if query.of == "slice" else []
            where = read_conditions(self.assay.space, conditions)
            aim = Aim(query.half_width, query.of, where)
            if surface is not None:
                try:
                    slow = self._forecast(about, query, aim)
                    forecast, state = slow.answer, slow.state
                except StoreError:
                    raise
                except AssayError as error:  # such as an estimator that cannot look ahead
                    remarks.append(f"There is no forecast for this goal: {error}")
        view = progress_view(about, self.assay, status, forecast, surface)
        return view.model_copy(update={**state, "remarks": [*view.remarks, *remarks]})

    def time(self, query: TimeQuery) -> Time:
        """Return the accuracy over time, and the alarms of a watch."""
        about, _ = self.look(query)
        where = read_conditions(self.assay.space, query.where)
        seq = self.assay.session.label_seq

        def make() -> Watch:
            baseline = query.baseline
            watch = self.assay.watch(about.service, time=query.time, baseline=baseline)
            watch.surface()  # fitted here, where a view may wait for it
            return watch

        key = (about.service, query.time, query.baseline)
        try:
            watch = self._slow(self.watches, query, key, seq, make)
        except StoreError:
            raise
        except AssayError as error:
            return Time(about=about, remarks=[f"There is nothing to show over time yet: {error}"])
        found = watch.answer
        view = Time(about=about) if found is None else time_view(about, found, where)
        ordered_by = query.time or self.assay.spec.pool.time
        return view.model_copy(update={**watch.state, "ordered_by": ordered_by})

    def judge(self, query: JudgeQuery) -> Judge:
        """Return where a judge may decide in place of people."""
        about, _ = self.look(query)
        spec = self.assay.spec
        section = spec.find_service(about.service)
        known = [j.name for j in spec.judge if j.of(section.name) in spec.judges_of(section)]
        named = query.judge if len(known) > 1 else None
        options = {"tolerance": query.tolerance, "statement": query.statement}
        if len(known) > 1 and named is None:
            named = known[0]
        try:
            certified = self._slow(
                self.certificates,
                query,
                (about.service, named, *options.values()),
                self.assay.session.label_seq,
                lambda: self.assay.certify(named, about.service, **options),
            )
        except StoreError:
            raise
        except AssayError as error:
            why = f"There is no certificate yet: {error}"
            return Judge(about=about, judges=known, remarks=[why])
        found = certified.answer
        view = (
            Judge(about=about, judges=known) if found is None else judge_view(about, found, known)
        )
        return view.model_copy(update=certified.state)

    def then(self, query: ThenQuery) -> Then:
        """Return the surface as it was beside what it is."""
        about, surface = self.look(query)
        span = labelled_span(self.assay.session)
        if surface is None or span is None:
            return Then(about=about, remarks=["There is no past before the first answer."])
        ends = {"first": moment_text(span[0]), "last": moment_text(span[1])}
        at = usual_moment(*span) if query.then is None else moment(query.then)
        moments = [at] if query.now is None else [at, moment(query.now)]
        past = [self._past(query, about.service, each) for each in moments]
        states = [slow.answer for slow in past if slow.answer is not None]
        if len(states) < len(moments):
            waiting = next(slow for slow in past if slow.answer is None)
            return Then(about=about).model_copy(update=waiting.state)
        times = (moment_text(at), "now" if query.now is None else query.now)
        view = then_view(about, (states[0], [*states, surface][1]), times)
        return view.model_copy(update=ends)

    def _past(self, query: ThenQuery, service: str, until: float) -> _Slow[AccuracySurface]:
        """Return the surface as it was at a time: not by the latest labels, but by those then."""
        make = partial(self.live.past, service, until)
        seq = self.assay.session.label_seq
        return self._slow(self.states, query, (service, until), seq, make)

    def compare(self, query: CompareQuery) -> Compare:
        """Return the services side by side; a first look until they are fitted."""
        if self._is_first_made(query):
            service, version = self._service_name(query.service), self.live.version
            about = self._about(service, self.live.latest(service), version, [], None)
            view = first_look(about, self.assay)
            state = _Slow(None, False, self.comparisons.seconds(())).state
            return view.model_copy(update=state)
        about, surface = self.look(query)
        if len(about.services) < 2:
            return Compare(about=about, remarks=["This assay has only one service; add another."])
        if surface is None or not about.labels:
            return Compare(about=about, remarks=["A comparison needs labels."])
        Selection.of(query, surface)  # a bad query is refused before the slow part
        for name in (query.first, query.second):
            self._service_name(name)
        try:
            seq = self.assay.session.label_seq
            slow = self._slow(self.comparisons, query, (), seq, self._compare)
        except StoreError:
            raise
        except AssayError as error:
            return Compare(about=about, remarks=[f"There is no comparison yet: {error}"])
        if slow.answer is None:
            return first_look(about, self.assay).model_copy(update=slow.state)
        return compare_view(about, slow.answer, query).model_copy(update=slow.state)

    def _is_first_made(self, query: CompareQuery) -> bool:
        """Return whether the first comparison is still being made; no surface is waited for."""
        is_waited_for = query.format != "json" or len(self.assay.spec.service) < 2
        if is_waited_for or not self.assay.session.n_labels:
            return False
        seq = self.assay.session.label_seq
        return not self.comparisons.begin((), seq, self._compare, self.patience_s)

    def _compare(self) -> Comparison:
        """Return the services side by side, drawn already: that takes as long as the fits do."""
        found = self.assay.compare()
        places_of(found)
        if (by := board_attribute(found, None)) is not None:
            value_places(found, by)
        return found

    def _service_name(self, name: str | None) -> str:
        """Return the name of a service; the first one by default."""
        spec = self.assay.spec
        return spec.service[0].name if name is None else spec.find_service(name).name

    def _forecast(self, about: About, query: ViewQuery, aim: Aim) -> _Slow[Forecast]:
        """Return the forecast, which is for a round of labels."""
        rounds = int(about.labels // max(self.assay.spec.assay.labels_per_fit, 1))

        def make() -> Forecast:
            where = dict(aim.where) or None
            return self.assay.plan(aim.half_width, aim.of, where=where, service=about.service)

        key = (about.service, aim.half_width, aim.of, tuple(query.where))
        return self._slow(self.forecasts, query, key, rounds, make)

    def _slow(
        self,
        cache: AnswerCache[T],
        query: ViewQuery,
        question: Hashable,
        version: Hashable,
        make: Callable[[], T],
    ) -> _Slow[T]:
        """Return a slow answer; a download waits until it is current."""
        if query.format != "json":
            return _Slow(cache.get(question, version, make))
        if not cache.begin(question, version, make, self.patience_s):
            return _Slow(None, False, cache.seconds(question))
        answer, is_current = cache.latest(question, version, make)
        return _Slow(answer, is_current, cache.seconds(question))

    def _about(
        self,
        service: str,
        surface: AccuracySurface | None,
        version: int,
        remarks: list[str],
        status: Status | None,
    ) -> About:
        assay, spec = self.assay, self.assay.spec
        known: dict[str, Any] = {
            "assay": assay.name,
            "service": service,
            "services": [s.name for s in spec.service],
            "version": version,
            "attributes": axes_of(assay.space),
            "told": assay.session.n_labels,
            "budget": spec.assay.budget,
            "choosing": spec.assay.choosing,
            "remarks": remarks,
        }
        now = status or assay.status()
        known |= {"spent": now.spent, "seed_labels": now.seed_labels}
        known["is_fitting"] = self.live.is_behind
        if surface is None:
            return About(**known)
        if not surface.n_labels:
            section = spec.find_service(service)
            missing = n_missing(assay.session, section, labelled_only=True)
            remarks.append(_nothing_yet(service, missing if known["told"] else 0))
        elif not surface.tells_arms_apart:
            remarks.append(TOO_FEW_LABELS)
        remarks += [f"{surface.said_of_labels}."] if surface.label_count.share < 1.0 else []
        remarks += [f"{said[:1].upper()}{said[1:]}." for said in surface.said_of_rows]
        standing = next(s for s in now.services if s.name == service)
        remarks += [standing.disagreement] if standing.disagreement else []
        overall, is_in_pool = surface.overall, surface.support > 0.0
        report = Report(service, surface)
        other = report.other
        return About(
            **known,
            level=surface.level,
            labels=surface.n_labels,
            said_of_labels=str(surface.label_count),
            typical=typical_values(surface),
            leans=list(leaning_on(surface)),
            verdict=verdict(report),
            overall=numbers(overall),
            target=overall.target,
            about=overall.about,
            other=numbers(other),
            other_about="" if other is None else other.about,
            arms=int(is_in_pool.sum()),
            estimated=int(np.sum(surface.status == 0)),
            vague=int(np.sum(surface.status == 1)),
            weak=int(np.sum(surface.side == -1)),
            strong=int(np.sum(surface.side == 1)),
        )


def _nothing_yet(service: str, n_missing: int) -> str:
    if n_missing:
        return (
            f"{service} has not answered {n_missing:,} of the labelled instances, so no label "
            "counts for it yet. Run: assay run."
        )
    return "No labels yet: this is what is assumed before any."
