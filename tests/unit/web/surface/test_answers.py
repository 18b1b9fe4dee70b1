"""What a server answers is of the latest surface, and says what is not there yet."""

import time
from typing import Any

import pytest
from patience import PATIENCE_S
from surface_world import StillUpdates, make_assay, make_rows

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, StoreError, UnknownNameError
from accuracy_assay.study.plan.forecast import Forecast
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    CompareQuery,
    HeatQuery,
    InstancesQuery,
    MarginalsQuery,
    ProgressQuery,
    SlicesQuery,
    ViewQuery,
    WorstQuery,
)

SLOW = {
    "name": "slow",
    "url": "http://127.0.0.1:9/none",
    "request": {"text": "{text}"},
    "response": {"prediction": "label"},
}


def answers(n_labels: int = 60, **sections: Any) -> SurfaceAnswers:
    assay = make_assay(n_labels, **sections)
    return SurfaceAnswers(assay, StillUpdates(assay))


def test_about_counts_what_is_known() -> None:
    made = answers()
    about, surface = made.look(ViewQuery(service="poor"))
    assert surface is not None
    assert (about.assay, about.service, about.services) == ("pets", "poor", ["good", "poor"])
    assert (about.labels, about.told, about.version) == (60.0, 60, 1)
    assert about.overall is not None
    assert about.overall.mean == surface.overall.mean
    assert (about.arms, about.estimated + about.vague) == (6, 6)
    assert about.weak == sum(surface.upper < surface.overall.mean)
    assert [axis.values for axis in about.attributes] == [["f", "m"], ["young", "middle", "old"]]
    assert about.remarks == []


def test_every_view_is_of_the_service_that_is_asked_for() -> None:
    made = answers()
    surface = made.assay.surface("poor")
    found = made.heat(HeatQuery(service="poor", rows="sex", where=["age:old"], mix="equal"))
    table = surface.marginal("sex", "age", where={"age": "old"}, mix="equal")
    assert [box.mean for box in found.boxes] == table["mean"].to_list()
    arms = made.arms(ArmsQuery(service="poor", limit=2, offset=1, sort="support"))
    in_pool = surface.support[surface.support > 0.0]
    assert [a.support for a in arms.arms] == sorted(in_pool)[1:3]
    worst = made.worst(WorstQuery(service="poor", count=3))
    assert [a.mean for a in worst.arms] == surface.worst(3)["mean"].to_list()
    marginals = made.marginals(MarginalsQuery(service="poor", mix="own", weight=["sex:f:1"]))
    (sex,) = (m for m in marginals.marginals if m.name == "sex")
    assert [r.value for r in sex.rows] == ["f"]
    instances = made.instances(InstancesQuery(where=["sex:f"], which="all"))
    assert instances.found == make_rows().filter(sex="f").height


def test_a_table_has_all_rows_however_many_a_page_shows() -> None:
    assert len(answers().arms(ArmsQuery(limit=2, offset=1, format="csv")).arms) == 6
    assert len(answers().instances(InstancesQuery(limit=2, format="csv")).instances) == 60
    assert len(answers().compare(CompareQuery(limit=2, format="csv")).arms) == 6


def test_before_any_label_views_say_that_nothing_is_known() -> None:
    made = answers(0)
    views = [
        made.heat(HeatQuery()),
        made.arms(ArmsQuery()),
        made.slices(SlicesQuery()),
        made.worst(WorstQuery()),
        made.marginals(MarginalsQuery()),
        made.progress(ProgressQuery(half_width=0.1)),
    ]
    for view in views:
        assert view.about.remarks[0].startswith("No labels yet")
    assert made.compare(CompareQuery()).remarks == ["A comparison needs labels."]


def test_a_service_that_has_not_answered_is_told_so_in_a_plain_sentence() -> None:
    made = answers(30, service=[SLOW])
    found = made.heat(HeatQuery())
    assert found.boxes == []
    assert found.about.overall is None
    assert "must have predicted every labelled instance" in found.about.remarks[0]
    for view in (
        made.arms(ArmsQuery()),
        made.slices(SlicesQuery()),
        made.worst(WorstQuery()),
        made.marginals(MarginalsQuery()),
        made.progress(ProgressQuery(half_width=0.1)),
    ):
        assert "There is no surface yet" in view.about.remarks[0]
    assert made.instances(InstancesQuery()).found == 30


def test_a_surface_from_before_the_labels_says_what_it_waits_for() -> None:
    made = answers(30, service=[SLOW])
    before = make_assay().surface("good")
    made.live.surface = lambda service: before  # type: ignore[attr-defined]
    assert made.look(ViewQuery())[0].remarks == [
        "slow has not answered 30 of the labelled instances, so no label counts for it yet. Run: "
        "assay run."
    ]


@pytest.mark.parametrize("n_labels", [0, 60])
def test_a_view_reads_the_status_once_at_most(n_labels: int) -> None:
    made = answers(n_labels)
    status, calls = made.assay.status, []
    made.assay.status = lambda: calls.append(1) or status()  # type: ignore[method-assign]
    views = {
        made.slices: SlicesQuery(),
        made.heat: HeatQuery(),
        made.arms: ArmsQuery(),
        made.worst: WorstQuery(),
        made.marginals: MarginalsQuery(),
        made.instances: InstancesQuery(),
        made.progress: ProgressQuery(half_width=0.1),
        made.compare: CompareQuery(),
    }
    for make, query in views.items():
        calls.clear()
        make(query)
        assert len(calls) <= 1, query


def test_one_service_is_not_compared() -> None:
    made = answers(service=[{"name": "good", "column": "good"}])
    assert made.compare(CompareQuery()).remarks == [
        "This assay has only one service; add another."
    ]


def test_a_comparison_is_made_once_for_the_labels_and_then_renewed_behind_the_reader() -> None:
    made = answers()
    first = made.compare(CompareQuery())
    made.live.version = 2  # type: ignore[misc]  # a fit is done, and no label has come
    assert not made.compare(CompareQuery()).is_behind
    assert (first.places[0].service, first.labels, first.is_behind) == ("good", 60.0, False)
    rows = make_rows()
    made.assay.tell(rows["id"][60:80], rows["truth"][60:80])
    behind = made.compare(CompareQuery())
    assert (behind.labels, behind.is_behind) == (60.0, True)
    end = time.monotonic() + PATIENCE_S
    while (now := made.compare(CompareQuery())).is_behind and time.monotonic() < end:
        time.sleep(0.02)
    assert (now.labels, now.is_behind) == (80.0, False)


def test_a_file_waits_for_the_comparison_of_now() -> None:
    made = answers()
    made.compare(CompareQuery())
    rows = make_rows()
    made.assay.tell(rows["id"][60:80], rows["truth"][60:80])
    assert made.compare(CompareQuery(format="csv")).labels == 80.0


def test_a_forecast_is_that_of_the_assay_and_kept_for_a_round() -> None:
    made = answers()
    found = made.progress(ProgressQuery(half_width=0.02)).forecast
    expected = made.assay.plan(0.02, "overall", service="good")
    assert found is not None
    assert (found.labels, found.lower, found.upper) == (
        expected.labels,
        expected.lower,
        expected.upper,
    )
    calls: list[float] = []
    made.assay.plan = lambda *a, **k: calls.append(1.0)  # type: ignore[method-assign]
    assert made.progress(ProgressQuery(half_width=0.02)).forecast == found
    assert calls == []


def test_an_estimator_that_cannot_look_ahead_leaves_the_rest_of_the_view() -> None:
    made = answers()

    def refuse(*_: object, **__: object) -> Forecast:
        raise InputError("a plan must have an estimator that looks ahead; got another.")

    made.assay.plan = refuse  # type: ignore[method-assign]
    found = made.progress(ProgressQuery(half_width=0.02))
    assert found.forecast is None
    assert found.remarks[-1].startswith("There is no forecast for this goal: a plan must have")


@pytest.mark.parametrize(
    "asked",
    [
        HeatQuery(rows="colour"),
        HeatQuery(where=["sex"]),
        HeatQuery(where=["sex:x"]),
        HeatQuery(mix="own"),
        HeatQuery(service="nobody"),
        HeatQuery(rows="sex", columns="sex"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: HeatQuery) -> None:
    with pytest.raises(InputError):
        answers().heat(asked)


def test_names_are_checked_before_a_comparison_is_made() -> None:
    for asked in (CompareQuery(first="nobody"), CompareQuery(first="good", second="good")):
        with pytest.raises(InputError):
            answers().compare(asked)
    with pytest.raises(InputError, match="attribute values must be given for a slice"):
        answers().progress(ProgressQuery(half_width=0.1, of="slice"))
    with pytest.raises(UnknownNameError):
        answers().instances(InstancesQuery(where=["sex:x"]))


def test_troubles_of_the_store_are_not_taken_for_a_missing_surface() -> None:
    made = answers()

    def fail(service: str | None) -> AccuracySurface:
        raise StoreError("away")

    made.live.surface = fail  # type: ignore[attr-defined]
    with pytest.raises(StoreError):
        made.heat(HeatQuery())
