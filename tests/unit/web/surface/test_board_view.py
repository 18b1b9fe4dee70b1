"""All services in order are those of the comparison, for what was asked and by value."""

import pytest
from patience import PATIENCE_S
from surface_world import StillUpdates, make_about, make_assay, make_comparison, make_rows

import accuracy_assay as aa
from accuracy_assay.errors import UnknownNameError
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.board_view import (
    board_attribute,
    first_look,
    places_of,
    value_places,
)
from accuracy_assay.web.surface.queries import CompareQuery


def test_places_are_the_rows_of_the_board() -> None:
    comparison = make_comparison()
    for place, row in zip(places_of(comparison), comparison.to_frame().to_dicts(), strict=True):
        assert (place.service, place.rank, place.tied_with) == (
            row["service"],
            row["rank"],
            row["tied_with"],
        )
        assert (place.mean, place.lower, place.behind) == pytest.approx(
            (row["accuracy"], row["lower"], row["behind"])
        )
        assert place.rank_lower <= place.rank <= place.rank_upper


def test_places_by_value_are_those_of_the_comparison_there() -> None:
    comparison = make_comparison()
    for place in value_places(comparison, "age"):
        there = comparison.at(age=place.value)
        found = {each.name: each for each in there}[place.service]
        assert (place.mean, place.lower, place.upper) == pytest.approx(
            (found.estimate.mean, found.estimate.lower, found.estimate.upper)
        )
        assert place.rank == 1 + [each.name for each in there].index(place.service)


def test_the_board_is_by_the_attribute_that_was_asked_for() -> None:
    comparison = make_comparison()
    assert board_attribute(comparison, None) == "sex"
    assert board_attribute(comparison, "light") == "light"
    with pytest.raises(UnknownNameError, match="'height'"):
        board_attribute(comparison, "height")


def of_five() -> tuple[list[str], aa.Assay]:
    names = [f"s{i}" for i in range(5)]
    services = [{"name": n, "column": ("good", "poor")[i % 2]} for i, n in enumerate(names)]
    return names, make_assay(60, service=services)


def test_a_first_look_is_the_share_of_labels_that_a_service_got_right() -> None:
    names, assay = of_five()
    labelled = make_rows()[:60]
    right = {c: (labelled[c] == labelled["truth"]).mean() for c in ("good", "poor")}
    found = first_look(make_about(services=names), assay)
    assert {look.service: look.share for look in found.first_look} == {
        n: right[("good", "poor")[i % 2]] for i, n in enumerate(names)
    }
    shares = [look.share for look in found.first_look]
    assert shares == sorted(shares, reverse=True)
    assert found.places == []


def test_many_services_are_shown_once_they_are_fitted() -> None:
    names, assay = of_five()
    patient = SurfaceAnswers(assay, StillUpdates(assay), patience_s=PATIENCE_S)
    now = patient.compare(CompareQuery())
    assert {place.service for place in now.places} == set(names)
    assert now.first_look == []
