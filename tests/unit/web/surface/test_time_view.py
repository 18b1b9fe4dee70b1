from drifting_rows import drifting_rows
from surface_world import make_about

from accuracy_assay.study.watch.watch import watch
from accuracy_assay.web.surface.time_view import time_view

FOUND = watch(drifting_rows(), ["region", "sex"], "right", time="day", baseline=9)


def test_the_whole_comes_first_then_the_slices_of_alarms() -> None:
    view = time_view(make_about(), FOUND, {})
    assert [curve.name for curve in view.curves[:2]] == ["overall", "region = north"]
    assert view.says == FOUND.headline
    assert [a.slice for a in view.alarms if not a.is_gain] == FOUND.alarms["slice"].to_list()
    assert view.remarks == list(FOUND.remarks)
    first = view.alarms[0]
    assert view.curves[0].stretches[first.time_at].time == first.time
    assert first.since_at <= first.time_at


def test_selected_rows_stand_in_place_of_alarms() -> None:
    view = time_view(make_about(), FOUND, {"region": ["north", "south"]})
    assert [curve.name for curve in view.curves] == ["overall", "region = north or south"]
    both = FOUND.timeline(region=["north", "south"])
    assert [s.mean for s in view.curves[1].stretches] == both["mean"].to_list()
