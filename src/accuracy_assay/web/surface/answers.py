"""The views of one assay as its server gives them: of the latest surfaces, with what is unsure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import AssayError, StoreError
from accuracy_assay.files.texts import as_text
from accuracy_assay.metrics.aim import Aim
from accuracy_assay.reports.report import TOO_FEW_LABELS
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.predicting import n_unpredicted
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.plan.plan import Forecast
from accuracy_assay.web.kept import Kept
from accuracy_assay.web.surface.compare_view import compare_view
from accuracy_assay.web.surface.instance_view import instances_view
from accuracy_assay.web.surface.parameters import (
    Asked,
    AskedArms,
    AskedCompare,
    AskedHeat,
    AskedInstances,
    AskedMarginals,
    AskedPage,
    AskedProgress,
    AskedSlices,
    AskedUnderMix,
    AskedWorst,
)
from accuracy_assay.web.surface.progress_view import progress_view
from accuracy_assay.web.surface.question import Question, read_conditions
from accuracy_assay.web.surface.values import (
    About,
    Arms,
    Axis,
    Compare,
    Heat,
    Instances,
    Marginals,
    Progress,
    Slices,
    Worst,
)
from accuracy_assay.web.surface.views import (
    arms_view,
    heat_view,
    marginals_view,
    numbers,
    slices_view,
    worst_view,
)

__all__ = ["SurfaceAnswers", "SurfaceRoom"]

T = TypeVar("T")


class _Live(Protocol):
    @property
    def version(self) -> int:
        """A number that rises when a label has come or a fit is done."""

    def surface(self, service: str | None = None) -> AccuracySurface:
        """Return the latest surface of a service."""


class SurfaceRoom(Protocol):
    """What the views need of the assay behind a server."""

    @property
    def assay(self) -> Assay:
        """The assay."""

    @property
    def live(self) -> _Live:
        """Its latest surfaces."""

    def find_service(self, name: str | None) -> str:
        """Return the name of the service that is meant, by default the first."""


@dataclass(frozen=True)
class SurfaceAnswers:
    """Makes the views of one room; what takes long is kept while nothing has changed."""

    room: SurfaceRoom
    comparisons: Kept[Comparison] = field(default_factory=Kept)
    plans: Kept[Forecast] = field(default_factory=Kept)

    def look(self, asked: Asked) -> tuple[About, AccuracySurface | None]:
        """Return the latest surface, None where there is none yet, and what is said of it."""
        service = self.room.find_service(asked.service)
        version, said = self.room.live.version, []
        surface = None
        try:
            surface = self.room.live.surface(service)
        except StoreError:
            raise
        except AssayError as error:
            said.append(f"There is no surface yet: {error}")
        return self._about(service, surface, version, said), surface

    def question(self, asked: Asked, surface: AccuracySurface) -> Question:
        """Return what is asked of a surface."""
        if isinstance(asked, AskedUnderMix):
            return Question.read(surface, asked.where, asked.mix, asked.weight)
        return Question(read_conditions(surface.space, asked.where))

    def slices(self, asked: AskedSlices) -> Slices:
        """Return the weak slices."""
        about, surface = self.look(asked)
        return Slices(about=about) if surface is None else slices_view(about, surface, asked.below)

    def heat(self, asked: AskedHeat) -> Heat:
        """Return the accuracy by two attributes."""
        about, surface = self.look(asked)
        if surface is None:
            return Heat(about=about)
        question = self.question(asked, surface)
        return heat_view(about, surface, question, asked.rows, asked.columns)

    def arms(self, asked: AskedArms) -> Arms:
        """Return the arms that match."""
        about, surface = self.look(asked)
        if surface is None:
            return Arms(about=about)
        return arms_view(
            about,
            surface,
            self.question(asked, surface),
            search=asked.search,
            status=asked.status,
            sort=asked.sort,
            order=asked.order,
            **_part(asked),
        )

    def worst(self, asked: AskedWorst) -> Worst:
        """Return the worst arms."""
        about, surface = self.look(asked)
        if surface is None:
            return Worst(about=about)
        question = self.question(asked, surface)
        return worst_view(about, surface, question, asked.by, asked.count)

    def marginals(self, asked: AskedMarginals) -> Marginals:
        """Return the accuracy by one attribute at a time."""
        about, surface = self.look(asked)
        if surface is None:
            return Marginals(about=about)
        return marginals_view(about, surface, self.question(asked, surface), asked.zoom)

    def instances(self, asked: AskedInstances) -> Instances:
        """Return the instances behind some arms."""
        about, surface = self.look(asked)
        question = Question(read_conditions(self.room.assay.space, asked.where))
        only = asked.which == "labelled"
        assay = self.room.assay
        return instances_view(about, assay, surface, question, labelled_only=only, **_part(asked))

    def progress(self, asked: AskedProgress) -> Progress:
        """Return the expected error against labels, and the forecast for a goal."""
        about, surface = self.look(asked)
        plan, is_current, said = None, True, []
        if asked.half_width is not None:
            conditions = asked.where if asked.of == "slice" else []
            where = read_conditions(self.room.assay.space, conditions)
            aim = Aim(asked.half_width, asked.of, where)
            if surface is not None:
                try:
                    plan, is_current = self._plan(about, asked, aim)
                except StoreError:
                    raise
                except AssayError as error:  # such as an estimator that cannot look ahead
                    said.append(f"There is no forecast for this goal: {error}")
        view = progress_view(about, self.room.assay, plan)
        more = {"is_behind": not is_current, "remarks": [*view.remarks, *said]}
        return view.model_copy(update=more)

    def compare(self, asked: AskedCompare) -> Compare:
        """Return the services side by side."""
        about, surface = self.look(asked)
        if len(about.services) < 2:
            return Compare(about=about, remarks=["This assay has one service; add another."])
        if surface is None or not about.labels:
            return Compare(about=about, remarks=["Services are compared once there are labels."])
        question = self.question(asked, surface)
        for name in (asked.first, asked.second):
            self.room.find_service(name)
        try:
            comparison, is_current = _look_up(
                self.comparisons,
                asked,
                (),
                self.room.assay.session.label_seq,
                self.room.assay.compare,
            )
        except StoreError:
            raise
        except AssayError as error:
            return Compare(about=about, remarks=[f"There is no comparison yet: {error}"])
        view = compare_view(
            about,
            comparison,
            question,
            asked.first,
            asked.second,
            search=asked.search,
            sort=asked.sort,
            order=asked.order,
            **_part(asked),
        )
        return view.model_copy(update={"is_behind": not is_current})

    def _plan(self, about: About, asked: Asked, aim: Aim) -> tuple[Forecast, bool]:
        """Return the forecast, and whether it is current; it is until a round of labels comes."""
        assay = self.room.assay
        rounds = int(about.labels // max(assay.spec.assay.labels_per_fit, 1))

        def make() -> Forecast:
            where = dict(aim.where) or None
            return assay.plan(aim.half_width, aim.of, where=where, service=about.service)

        key = (about.service, aim.half_width, aim.of, tuple(asked.where))
        return _look_up(self.plans, asked, key, rounds, make)

    def _about(
        self, service: str, surface: AccuracySurface | None, version: int, said: list[str]
    ) -> About:
        assay, status = self.room.assay, self.room.assay.status()
        known: dict[str, Any] = {
            "assay": assay.name,
            "service": service,
            "services": [s.name for s in assay.spec.service],
            "version": version,
            "attributes": [
                Axis(name=a.name, values=[as_text(v) for v in a.values])
                for a in assay.space.attributes
            ],
            "told": status.labels,
            "budget": status.budget,
            "remarks": said,
        }
        if surface is None:
            return About(**known)
        if not surface.n_labels:
            missing = n_unpredicted(assay.session, service, labelled_only=True)
            said.append(_nothing_yet(service, missing if status.labels else 0))
        elif not surface.tells_arms_apart:
            said.append(TOO_FEW_LABELS)
        said += [s.disagreement for s in status.services if s.name == service and s.disagreement]
        overall, is_in_pool = surface.overall, surface.support > 0.0
        return About(
            **known,
            level=surface.level,
            labels=surface.n_labels,
            overall=numbers(overall),
            arms=int(is_in_pool.sum()),
            estimated=int(np.sum(surface.status == 0)),
            vague=int(np.sum(surface.status == 1)),
            weak=int(np.sum(is_in_pool & (surface.upper < overall.mean))),
            strong=int(np.sum(is_in_pool & (surface.lower > overall.mean))),
        )


def _look_up(
    kept: Kept[T], asked: Asked, question: Hashable, version: Hashable, make: Callable[[], T]
) -> tuple[T, bool]:
    """Return an answer that takes long, and whether it is current; a file waits until it is."""
    if asked.format == "json":
        return kept.latest(question, version, make)
    return kept.get(question, version, make), True


def _part(asked: AskedPage) -> dict[str, Any]:
    """Return which part of a list is wanted: a table has all of it."""
    if asked.format == "csv":
        return {"offset": 0, "limit": None}
    return {"offset": asked.offset, "limit": asked.limit}


def _nothing_yet(service: str, n_missing: int) -> str:
    if n_missing:
        return (
            f"{service} has not answered {n_missing:,} of the labelled instances, so no label "
            "counts for it yet. Let it answer: assay run."
        )
    return "No label yet: what is shown is what is assumed before any."
