"""Services side by side are those of the comparison."""

import dataclasses

import numpy as np
import pytest
from surface_world import make_about, make_comparison

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.web.surface.compare_view import compare_view
from accuracy_assay.web.surface.queries import CompareQuery

ALL = CompareQuery()


def test_places_and_the_pair_are_those_of_the_comparison() -> None:
    comparison = make_comparison()
    view = compare_view(make_about(), comparison, ALL)
    assert [p.service for p in view.places] == [p.name for p in comparison] == ["rival", "reader"]
    assert [p.mean for p in view.places] == [p.estimate.mean for p in comparison]
    assert [p.probability_best for p in view.places] == [p.probability_best for p in comparison]
    assert (view.first, view.second) == ("rival", "reader")
    found = comparison.difference("rival", "reader")
    assert view.pair is not None
    assert view.pair.difference == pytest.approx(found.mean)
    assert view.pair.probability == pytest.approx(found.probability)
    assert view.labels == comparison.surfaces["reader"].n_labels


def test_arms_are_those_that_are_better_with_their_probability() -> None:
    comparison = make_comparison()
    view = compare_view(
        make_about(), comparison, CompareQuery(first="reader", second="rival", order="ascending")
    )
    table = comparison.better("reader", "rival").sort("probability")
    assert [a.probability for a in view.arms] == table["probability"].to_list()
    assert [a.difference for a in view.arms] == pytest.approx(table["difference"].to_list())
    assert view.found == table.height == 10
    by_arm = {tuple(a.values): a for a in view.arms}
    surface = comparison.surfaces["rival"]
    arm = by_arm["F", "young", "1"]
    assert (arm.second, arm.support) == (surface.mean[0], surface.support[0])


def test_values_are_compared_among_their_rows_under_a_mix() -> None:
    comparison = make_comparison()
    query = CompareQuery(where=["light:2"], mix="equal", first="rival", second="reader")
    view = compare_view(make_about(), comparison, query)
    surface = comparison.surfaces["reader"]
    for row in view.values:
        where = {"light": [2], row.attribute: [2] if row.attribute == "light" else [row.value]}
        mass = surface.mass(where, "equal")
        asked = dataclasses.replace(comparison, weight=mass / mass.sum())
        found = asked.difference("rival", "reader")
        assert (row.difference, row.lower, row.upper, row.probability) == pytest.approx(
            (found.mean, found.lower, found.upper, found.probability)
        )
        assert row.support == surface.support[mass > 0].sum()
    assert {row.value for row in view.values if row.attribute == "light"} == {"2"}
    assert {arm.values[2] for arm in view.arms} == {"2"}


def test_arms_are_found_sorted_and_paged() -> None:
    comparison = make_comparison()
    view = compare_view(make_about(), comparison, CompareQuery(search="old", sort="support"))
    assert {a.values[1] for a in view.arms} == {"old"}
    supports = [a.support for a in view.arms]
    assert supports == sorted(supports, reverse=True)
    query = CompareQuery(search="old", sort="support", offset=1, limit=2)
    part = compare_view(make_about(), comparison, query)
    assert part.arms == view.arms[1:3]
    assert part.found == view.found


def test_what_no_row_has_is_not_compared() -> None:
    nothing = CompareQuery(where=["sex:F", "age:middle", "light:1"])
    view = compare_view(make_about(), make_comparison(), nothing)
    assert (view.pair, view.arms) == (None, [])
    assert view.remarks == ["No pool row matches."]


def test_two_different_services_are_compared() -> None:
    with pytest.raises(UnknownNameError, match="got 'nobody'"):
        compare_view(make_about(), make_comparison(), CompareQuery(first="nobody"))
    with pytest.raises(InputError, match="got 'rival' twice"):
        compare_view(make_about(), make_comparison(), CompareQuery(first="rival", second="rival"))
    view = compare_view(make_about(), make_comparison(), CompareQuery(second="rival"))
    assert (view.first, view.second) == ("reader", "rival")
    assert np.sign(view.pair.difference) == -1  # type: ignore[union-attr]
