"""Every view has a picture, also an empty one and one of strange texts."""

import threading

import pytest
from patience import PATIENCE_S
from pydantic import BaseModel
from surface_world import make_about, make_comparison, make_surface

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.web.surface import values as surface_values
from accuracy_assay.web.surface.compare_view import compare_view
from accuracy_assay.web.surface.pictures import figure_of, png_of
from accuracy_assay.web.surface.queries import (
    ArmsQuery,
    CompareQuery,
    HeatQuery,
    MarginalsQuery,
    SlicesQuery,
    WorstQuery,
)
from accuracy_assay.web.surface.values import (
    Alarm,
    Curve,
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

MAGIC = b"\x89PNG"


def make_views() -> dict[str, BaseModel]:
    about, surface = make_about(), make_surface()
    said = {"reader": Said(answer="dog", score=0.0)}
    row = InstanceRow(id="x", chance=1.0, shown={}, label="a", votes={"a": 1}, answers=said)
    points = [Point(labels=n, error=100 / n) for n in (10, 20, 40)]
    return {
        "heat": heat_view(about, surface, HeatQuery(where=["sex:F"])),
        "arms": arms_view(about, surface, ArmsQuery()),
        "slices": slices_view(about, surface, SlicesQuery(below=0.99)),
        "worst": worst_view(about, surface, WorstQuery()),
        "marginals": marginals_view(about, surface, MarginalsQuery()),
        "instances": Instances(about=about, found=1, instances=[row]),
        "progress": Progress(about=about, points=points, ahead=points[-1:]),
        "compare": compare_view(about, make_comparison(), CompareQuery()),
        "time": Time(about=about, says="Alarm.", curves=make_curves(), alarms=[make_alarm()]),
    }


def make_curves() -> list[Curve]:
    band = {"mean": 0.7, "lower": 0.6, "upper": 0.8, "labels": 30}
    days = [Stretch(time=str(day), is_baseline=day < 2, **band) for day in range(4)]
    return [Curve(name="overall", stretches=days), Curve(name="sex = F", stretches=days[1:])]


def make_alarm() -> Alarm:
    places = {"time": "3", "since": "2", "time_at": 3, "since_at": 2}
    return Alarm(slice="sex = F", before=0.7, now=0.4, lower=0.2, upper=0.4, **places)


@pytest.mark.parametrize("name", list(make_views()))
def test_every_view_has_a_picture(name: str) -> None:
    assert png_of(make_views()[name]).startswith(MAGIC)


@pytest.mark.parametrize(
    "name",
    ["Slices", "Heat", "Arms", "Worst", "Marginals", "Instances", "Progress", "Time", "Compare"],
)
def test_an_empty_view_says_why_there_is_nothing(name: str) -> None:
    about = make_about(overall=None, labels=0.0, remarks=["There is no surface yet: wait."])
    view = getattr(surface_values, name)(about=about)
    texts = [text.get_text() for axes in figure_of(view).axes for text in axes.texts]
    assert texts == ["There is no surface yet: wait."]
    assert png_of(view).startswith(MAGIC)


def test_a_picture_says_what_it_is_restricted_to() -> None:
    figure = figure_of(make_views()["heat"])
    assert figure.get_suptitle().splitlines()[1] == "sex F"
    every, some = (
        figure_of(worst_view(make_about(), make_surface(), query)).get_suptitle()
        for query in (WorstQuery(), WorstQuery(where=["sex:F"]))
    )
    assert "%" in every
    assert "%" not in some


def test_bars_of_a_picture_are_the_numbers_of_the_view() -> None:
    view = make_views()["worst"]
    (axes,) = figure_of(view).axes
    shown = axes.lines[0].get_xdata()
    assert list(shown) == pytest.approx([100 * arm.mean for arm in view.arms])  # type: ignore[attr-defined]
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [", ".join(arm.values) for arm in view.arms]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", ["$x^", "日本語", "\u202eevil\x1b[2J", "عربى", "x" * 500, "\ue000"]
)
def test_strange_texts_are_drawn(text: str) -> None:
    space = AttributeSpace((Attribute(text, ("F", text)), *make_surface().space.attributes[1:]))
    surface = make_surface()
    surface = type(surface)(
        space, surface.arms, *(getattr(surface, f) for f in
        ("n", "correct", "support", "mean", "sd", "lower", "upper"))
    )  # fmt: skip
    about = make_about(surface, assay=text)
    for view in (
        worst_view(about, surface, WorstQuery()),
        heat_view(about, surface, HeatQuery.model_construct(rows=text, columns="age")),
    ):
        assert png_of(view).startswith(MAGIC)


def test_threads_draw_without_disturbing_one_another() -> None:
    views, found = make_views(), []
    threads = [
        threading.Thread(target=lambda v=view: found.append(png_of(v)[:4]))  # type: ignore[misc]
        for view in [views["heat"], views["progress"]] * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert found == [MAGIC] * 4


def test_only_views_have_pictures() -> None:
    with pytest.raises(TypeError, match="got About"):
        figure_of(make_about())
