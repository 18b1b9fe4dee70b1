"""Two states of one surface side by side have the numbers of both."""

import pytest
from surface_world import make_about, make_surface

from accuracy_assay.errors import InputError
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
