"""The CSV of a view holds the numbers of the view, and nothing that a spreadsheet carries out."""

import csv
import io

import polars as pl
import pytest
from pydantic import BaseModel
from surface_world import make_about, make_comparison, make_surface

from accuracy_assay.web.surface.compare_view import compare_view
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    CompareQuery,
    HeatQuery,
    MarginalsQuery,
    SlicesQuery,
    WorstQuery,
)
from accuracy_assay.web.surface.table import csv_of, table_of
from accuracy_assay.web.surface.values import (
    Curve,
    Heat,
    InstanceRow,
    Instances,
    Point,
    Progress,
    Said,
    Stretch,
    Time,
)
from accuracy_assay.web.surface.views import (
    arms_view,
    heat_view,
    marginals_view,
    slices_view,
    worst_view,
)


def read(view: BaseModel) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_of(view).decode(), newline="")))


def test_the_table_of_arms_is_the_frame_of_the_surface() -> None:
    surface = make_surface()
    view = arms_view(make_about(), surface, ArmsQuery(status="any"))
    found = pl.read_csv(csv_of(view))
    expected = surface.to_frame().sort("mean")
    assert found.columns == expected.columns
    for name in expected.columns:
        assert found.get_column(name).to_list() == pytest.approx(
            expected.get_column(name).to_list()
        )


def test_the_table_of_weak_slices_is_that_of_the_surface() -> None:
    surface = make_surface()
    found = pl.read_csv(csv_of(slices_view(make_about(), surface, SlicesQuery(below=0.99))))
    told = surface.slices(0.99).to_frame()
    assert found.height
    assert found.get_column("slice").to_list() == told.get_column("slice").to_list()
    for name in ("mean", "lower", "upper", "n", "support", "chance_below", "wrong", "is_thin"):
        assert found.get_column(name).to_list() == told.get_column(name).to_list()


def test_the_table_of_the_worst_is_that_of_the_surface() -> None:
    surface = make_surface()
    found = pl.read_csv(csv_of(worst_view(make_about(), surface, WorstQuery(count=3))))
    assert found.get_column("mean").to_list() == surface.worst(3).get_column("mean").to_list()


def test_the_table_of_a_heat_map_is_the_marginal() -> None:
    surface = make_surface()
    found = pl.read_csv(
        csv_of(heat_view(make_about(), surface, HeatQuery(rows="age", columns="sex")))
    )
    table = surface.marginal("age", "sex").select(found.columns)
    assert found.rows() == table.rows()
    assert csv_of(Heat(about=make_about())).decode().split() == ["mean,lower,upper,n,support"]


def test_the_table_of_marginals_names_the_attribute() -> None:
    surface = make_surface()
    names, rows = table_of(marginals_view(make_about(), surface, MarginalsQuery()))
    assert names[:3] == ["attribute", "value", "mean"]
    assert [row[:3] for row in rows if row[0] == "sex"] == [
        ["sex", *row] for row in surface.marginal("sex").select("sex", "mean").sort("mean").rows()
    ]


def test_the_table_of_a_comparison_has_the_differences() -> None:
    comparison = make_comparison()
    view = compare_view(make_about(), comparison, CompareQuery(first="rival", second="reader"))
    found = pl.read_csv(csv_of(view))
    expected = comparison.better("rival", "reader").sort("probability", descending=True)
    assert sorted(found["difference"]) == pytest.approx(sorted(expected["difference"]))
    assert "accuracy of rival" in found.columns


def test_the_table_of_instances_has_answers_and_scores() -> None:
    row = InstanceRow(
        id="x1",
        chance=0.5,
        shown={"text": "a, b"},
        label="cat",
        votes={"cat": 2, "dog": 1},
        answers={"reader": Said(answer="dog", score=0.0)},
    )
    view = Instances(about=make_about(), shown={"text": "text"}, instances=[row])
    names, cells = read(view)
    assert dict(zip(names, cells, strict=True)) == {
        "id": "x1",
        "chance": "0.5",
        "text": "a, b",
        "label": "cat",
        "votes": "cat: 2, dog: 1",
        "answer of reader": "dog",
        "score of reader": "0.0",
        "answer of rival": "",
        "score of rival": "",
    }


def test_the_table_of_progress_tells_what_is_forecast() -> None:
    view = Progress(
        about=make_about(),
        points=[Point(labels=10, error=2.0, typical=0.14, overall=0.02, slice=0.08)],
        ahead=[Point(labels=20, error=1.0, typical=0.1)],
    )
    assert read(view)[1:] == [
        ["so far", "10.0", "2.0", "0.14", "0.02", "0.08"],
        ["forecast", "20.0", "1.0", "0.1", "", ""],
    ]


def test_the_table_over_time_has_a_row_per_slice_and_stretch() -> None:
    day = {"time": "2026-01-01", "mean": 0.5, "lower": 0.25, "upper": 0.75, "labels": 8}
    stretch = Stretch(**day, is_baseline=True)
    curves = [Curve(name="overall", stretches=[stretch]), Curve(name="=a", stretches=[stretch])]
    rows = read(Time(about=make_about(), curves=curves))
    assert rows[0][:3] == ["slice", "time", "mean"]
    assert rows[1] == ["overall", "2026-01-01", "0.5", "0.25", "0.75", "8", "True"]
    assert rows[2][0] == "'=a"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1+1", "'+1+1"),
        ("@sum", "'@sum"),
        ("\tx", "'\tx"),
        ("-50", "-50"),
        ("plain", "plain"),
    ],
)
def test_no_text_is_carried_out_by_a_spreadsheet(text: str, shown: str) -> None:
    row = InstanceRow(id="x", chance=1.0, shown={}, label=text, votes={}, answers={})
    assert read(Instances(about=make_about(services=[]), instances=[row]))[1][2] == shown


def test_half_a_character_does_not_stop_a_download() -> None:
    row = InstanceRow.model_construct(
        id="x\udc80", chance=1.0, shown={}, label="a", votes={}, answers={}
    )
    view = Instances.model_construct(about=make_about(services=[]), shown={}, instances=[row])
    assert b"x?" in csv_of(view)


def test_only_views_have_tables() -> None:
    with pytest.raises(TypeError, match="got About"):
        table_of(make_about())
