"""The views of a surface say what the surface says."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from surface_world import SPACE, make_about, make_surface
from toy_surface import toy

from accuracy_assay.domain.most_telling import most_telling
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    HeatQuery,
    MarginalsQuery,
    SlicesQuery,
    WorstQuery,
)
from accuracy_assay.web.surface.selection import Selection
from accuracy_assay.web.surface.views import (
    arm_values,
    arms_view,
    heat_view,
    marginals_view,
    rows_that_match,
    slices_view,
    worst_view,
)

FIVE = ("mean", "lower", "upper", "n", "support")


def test_weak_slices_are_those_of_the_surface() -> None:
    surface = make_surface()
    view = slices_view(make_about(), surface, SlicesQuery(below=0.99))
    told = surface.slices(0.99)
    assert view.slices
    assert [dict(each.conditions) for each in view.slices] == [
        {name: str(value) for name, value in each.where.items()} for each in told
    ]
    assert [each.mean for each in view.slices] == [each.estimate.mean for each in told]
    assert [each.chance for each in view.slices] == [each.chance_below for each in told]
    assert (view.bar, view.searched) == (0.99, told.searched)


def test_where_no_slice_is_weak_the_view_says_so() -> None:
    view = slices_view(make_about(), make_surface(), SlicesQuery(below=0.01))
    assert view.slices == []
    assert view.remarks[0].startswith("No slice is clearly below 1.0%; ")


@pytest.mark.parametrize(
    "asked", [{}, {"where": ["sex:M"]}, {"where": ["light:2"], "mix": "equal"}], ids=str
)
def test_a_heat_map_is_the_marginal_of_two_attributes(asked: dict[str, Any]) -> None:
    surface = make_surface()
    query = HeatQuery(rows="light", columns="age", **asked)
    view = heat_view(make_about(), surface, query)
    selection = Selection.of(query, surface)
    table = surface.marginal("light", "age", where=selection.where, mix=selection.mix)
    assert view.rows is not None
    assert view.columns is not None
    found = [
        (view.rows.values[b.row], view.columns.values[b.column], *(getattr(b, f) for f in FIVE))
        for b in view.boxes
    ]
    assert found == [(str(r[0]), *r[1:]) for r in table.select("light", "age", *FIVE).rows()]
    mass = selection.mass(surface)
    assert view.average is not None
    assert view.average.mean == surface.average(mass).mean


def test_a_heat_map_of_the_only_two_attributes_may_name_both() -> None:
    view = heat_view(make_about(), toy(), HeatQuery(rows="sex", columns="age"))
    assert (view.rows.name, view.columns.name) == ("sex", "age")  # type: ignore[union-attr]


def test_a_heat_map_is_of_the_largest_attributes_by_default() -> None:
    view = heat_view(make_about(), make_surface(), HeatQuery())
    assert (view.rows.name, view.columns.name) == ("age", "sex")  # type: ignore[union-attr]
    view = heat_view(make_about(), make_surface(), HeatQuery(columns="age"))
    assert (view.rows.name, view.columns.name) == ("sex", "age")  # type: ignore[union-attr]


def test_a_heat_map_of_one_attribute_says_where_to_look() -> None:
    space = AttributeSpace((Attribute("arm", tuple("abc")),))
    surface = AccuracySurface(space, np.arange(3), *np.full((7, 3), 0.5))
    view = heat_view(make_about(), surface, HeatQuery())
    assert view.boxes == []
    assert "needs two attributes" in view.remarks[0]


def test_a_heat_map_of_nothing_says_so() -> None:
    nothing = HeatQuery(where=["sex:F", "age:middle", "light:1"])
    view = heat_view(make_about(), make_surface(), nothing)
    assert (view.boxes, view.average) == ([], None)
    assert view.remarks == ["No pool row matches. Remove a filter."]


def test_rows_and_columns_are_two_attributes() -> None:
    with pytest.raises(InputError, match="rows and columns must be two attributes; got 'age'"):
        heat_view(make_about(), make_surface(), HeatQuery(rows="age", columns="age"))
    with pytest.raises(UnknownNameError, match="got 'colour'"):
        heat_view(make_about(), make_surface(), HeatQuery(rows="colour"))


def test_the_arms_are_those_of_the_frame() -> None:
    surface = make_surface()
    view = arms_view(make_about(), surface, ArmsQuery(sort="age", status="any"))
    frame = surface.to_frame().sort("age", "mean", maintain_order=True)
    order = {"young": 0, "middle": 1, "old": 2}
    rows = sorted(frame.to_dicts(), key=lambda r: (order[r["age"]], r["mean"]))
    for arm, row in zip(view.arms, rows, strict=True):
        assert arm.values == [row["sex"], row["age"], str(row["light"])]
        for name in ("n", "correct", "support", "mean", "sd", "lower", "upper", "status"):
            assert getattr(arm, name) == row[name]
        assert arm.errors == pytest.approx(row["support"] * (1 - row["mean"]))
    assert (view.found, view.all) == (12, 12)


@pytest.mark.parametrize("sort", ["mean", "lower", "upper", "n", "support", "errors"])
@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_arms_come_in_the_order_that_is_asked_for(sort: str, order: str) -> None:
    view = arms_view(make_about(), make_surface(), ArmsQuery(sort=sort, order=order))  # type: ignore[arg-type]
    keys = [getattr(arm, sort) for arm in view.arms]
    assert keys == sorted(keys, reverse=order == "descending")


def test_arms_by_width_and_by_status() -> None:
    widths = [
        a.upper - a.lower
        for a in arms_view(make_about(), make_surface(), ArmsQuery(sort="width")).arms
    ]
    assert widths == sorted(widths)
    every = ArmsQuery(sort="status", order="descending", status="any")
    view = arms_view(make_about(), make_surface(), every)
    assert [a.status for a in view.arms[:2]] == ["not in pool"] * 2
    usual = arms_view(make_about(), make_surface(), ArmsQuery(sort="status"))
    assert [a for a in usual.arms if a.status == "not in pool"] == []
    assert (usual.found, usual.all, len(view.arms)) == (10, 12, 12)


def test_arms_are_found_by_words_by_values_and_by_status() -> None:
    surface = make_surface()
    by_words = arms_view(make_about(), surface, ArmsQuery(search="OLD  sex light"))
    assert {a.values[1] for a in by_words.arms} == {"old"}
    assert by_words.found == 4
    by_values = arms_view(make_about(), surface, ArmsQuery(where=["sex:M", "light:2"]))
    assert {tuple(a.values[::2]) for a in by_values.arms} == {("M", "2")}
    missing = arms_view(make_about(), surface, ArmsQuery(status="not in pool"))
    assert [a.arm for a in sorted(missing.arms, key=lambda a: a.arm)] == [2, 9]
    nothing = arms_view(make_about(), surface, ArmsQuery(search="zebra"))
    assert (nothing.found, nothing.arms) == (0, [])
    assert nothing.remarks == ["No arm matches. Remove a filter or a word."]


def test_pages_of_arms_follow_one_another() -> None:
    every = arms_view(make_about(), make_surface(), ArmsQuery()).arms
    parts = [
        arms_view(make_about(), make_surface(), ArmsQuery(offset=k, limit=5)).arms
        for k in (0, 5, 10, 15)
    ]
    assert [a for part in parts for a in part] == every


def test_what_arms_cannot_be_sorted_or_filtered_by_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"sort must be one of .*age.*; got 'colour'"):
        arms_view(make_about(), make_surface(), ArmsQuery(sort="colour"))
    with pytest.raises(UnknownNameError, match=r"status must be one of .*; got 'fine'"):
        arms_view(make_about(), make_surface(), ArmsQuery(status="fine"))


@pytest.mark.parametrize("by", ["upper", "mean"])
def test_the_worst_are_those_of_the_surface(by: str) -> None:
    surface = make_surface()
    view = worst_view(make_about(), surface, WorstQuery(by=by, count=4))  # type: ignore[arg-type]
    rows = surface.worst(4, by=by)  # type: ignore[arg-type]
    assert [(a.mean, a.upper) for a in view.arms] == rows.select("mean", "upper").rows()
    some = worst_view(make_about(), surface, WorstQuery(where=["sex:F"], by=by, count=99))  # type: ignore[arg-type]
    kept = surface.worst(99, by=by).filter(sex="F")  # type: ignore[arg-type]
    assert [a.mean for a in some.arms] == kept.get_column("mean").to_list()


def test_marginals_are_those_of_the_surface_under_a_mix() -> None:
    surface = make_surface()
    view = marginals_view(make_about(), surface, MarginalsQuery(where=["sex:M"], mix="equal"))
    assert [m.name for m in view.marginals] == list(most_telling(surface))
    for marginal in view.marginals:
        table = surface.marginal(marginal.name, where={"sex": "M"}, mix="equal")
        if SPACE.attribute(marginal.name).kind == "categorical":  # others keep their order
            table = table.sort("mean")
        found = [(r.value, *(getattr(r, f) for f in FIVE)) for r in marginal.rows]
        assert found == [(str(r[0]), *r[1:]) for r in table.select(marginal.name, *FIVE).rows()]


def narrow(low: float, high: float) -> AccuracySurface:
    middle = (low + high) / 2
    flat = {f: np.full(12, v) for f, v in (("lower", low), ("mean", middle), ("upper", high))}
    surface = make_surface(draws=None, **flat, sd=np.full(12, 0.001))
    return replace(
        surface, support=np.r_[np.ones(1), np.zeros(11)], n=np.zeros(12), correct=np.zeros(12)
    )


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (0.703, 0.711, (0.70, 0.72)),
        (0.62, 0.88, (0.6, 0.9)),
        (0.0, 1.0, (0.0, 1.0)),
        (0.5, 0.5, (0.49, 0.51)),
        (0.0, 0.0, (0.0, 0.01)),
    ],
)
def test_the_axis_zooms_to_the_data(low: float, high: float, ends: tuple[float, float]) -> None:
    view = marginals_view(make_about(), narrow(low, high), MarginalsQuery())
    assert (view.low, view.high) == ends
    full = marginals_view(make_about(), narrow(low, high), MarginalsQuery(zoom="full"))
    assert (full.low, full.high) == (0.0, 1.0)


def test_every_interval_lies_on_the_axis() -> None:
    view = marginals_view(make_about(), make_surface(), MarginalsQuery())
    rows = [row for marginal in view.marginals for row in marginal.rows]
    assert all(view.low <= row.lower <= row.upper <= view.high for row in rows)


def test_words_and_values_choose_the_same_arms_as_their_texts() -> None:
    surface = make_surface()
    texts = [
        "sex {}, age {}, light {}".format(*values).lower()
        for values in arm_values(surface, np.arange(12))
    ]
    found = rows_that_match(surface, {}, "m 2")
    assert found.tolist() == ["m" in text and "2" in text for text in texts]
