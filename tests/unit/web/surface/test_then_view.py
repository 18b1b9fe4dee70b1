"""Two states of one surface side by side have the numbers of both."""

import threading
from dataclasses import dataclass, field, replace

import pytest
from patience import PATIENCE_S
from surface_world import StillUpdates, make_about, make_assay, make_surface

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.queries import ThenQuery
from accuracy_assay.web.surface.then_view import moment, moment_text, then_view, usual_moment


def test_each_side_has_the_numbers_of_its_surface() -> None:
    before, after = make_surface(1), make_surface(2)
    view = then_view(make_about(after), (before, after), ("2026-11-11T00:00", "now"))
    assert view.then is not None
    assert view.now is not None
    assert view.then.overall.mean == before.overall.mean
    assert (view.now.overall.mean, view.now.labels) == (after.overall.mean, after.n_labels)
    for surface, side in ((before, "then"), (after, "now")):
        known = {(c.attribute, c.value): getattr(c, side).mean for c in view.changes}
        for name in surface.space.names:
            for row in surface.marginal(name).iter_rows(named=True):
                assert known[name, str(row[name])] == row["mean"]
    weak = [{part.name for part in surface.slices()} for surface in (before, after)]
    assert {*view.gone, *view.stayed} == weak[0]
    assert {*view.new, *view.stayed} == weak[1]


def test_a_day_is_meant_as_its_end_and_a_time_as_itself() -> None:
    assert moment("2026-11-11") == moment("2026-11-12T00:00")
    assert moment_text(moment("2026-11-11T09:30")) == "2026-11-11T09:30"
    assert moment("2026-11-11T09:30+01:00") == moment("2026-11-11T08:30")
    with pytest.raises(InputError, match="must be a day or a time"):
        moment("last week")


def test_unless_a_moment_is_asked_for_it_is_a_week_ago_or_halfway() -> None:
    week = 7 * 86_400.0
    assert usual_moment(0.0, 3 * week) == 2 * week
    assert usual_moment(0.0, 100.0) == 50.0


@dataclass
class SlowPast(StillUpdates):
    """Updates whose surfaces of the past take until they are let go."""

    may_end: threading.Event = field(default_factory=threading.Event)

    def past(self, service: str, until: float) -> AccuracySurface:
        """Return the present surface, late."""
        assert self.may_end.wait(PATIENCE_S)
        return self.surface(service)


def test_the_page_does_not_wait_for_a_surface_of_the_past() -> None:
    assay = make_assay(60)
    live = SlowPast(assay)
    hasty = SurfaceAnswers(assay, live, patience_s=0.0)
    first = hasty.then(ThenQuery())
    assert (first.then, first.is_behind) == (None, True)
    assert first.seconds > 0.0
    live.may_end.set()
    later = replace(hasty, patience_s=PATIENCE_S).then(ThenQuery())
    assert (later.is_behind, later.remarks) == (False, [])
    assert later.then is not None
