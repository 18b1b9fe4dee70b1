"""A notebook shows the whole, the weakest slices and a heat map, and obeys nothing in names."""

import re

import numpy as np
import polars as pl
from toy_surface import SPACE, toy

import accuracy_assay as aa
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.notebook import notebook_html


def text_of(html: str) -> str:
    return re.sub(r"<[^>]*>", " ", html)


def weak() -> aa.AccuracySurface:
    """Return a surface with one weak value among many."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 12, 6_000), rng.choice(["x", "y"], 6_000)
    right = rng.random(6_000) < np.where(a == 3, 0.2, 0.9)
    rows = pl.DataFrame({"a": a, "b": b, "right": right.astype(float)})
    return aa.estimate(rows, ["a", "b"], "right", estimator="beta-independent")


def test_names_are_shown_as_they_are_with_nothing_to_obey() -> None:
    space = AttributeSpace((Attribute("<b>", ("<script>", "\x1b[2J")), SPACE.attributes[1]))
    shown = notebook_html(toy(space=space))
    assert str(toy().overall) in shown
    assert "&lt;b&gt;" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert r"\x1b[2J" in shown


def test_weak_slices_have_bars_and_numbers() -> None:
    surface = weak()
    shown = notebook_html(surface)
    (found,) = [part for part in surface.slices() if part.name == "a = 3"]
    assert "Weak slices" in shown
    assert f"<b>{found.estimate.mean:.1%}</b>" in shown
    assert f"{found.estimate.lower:.1%} to {found.estimate.upper:.1%}" in shown


def test_the_heat_map_says_which_values_there_was_no_room_for() -> None:
    surface = weak()
    shown = text_of(notebook_html(surface))
    assert "Shown are 10 of 12 values of a, those with the most rows." in shown
    assert f"{100 * surface.at(a=3, b='x').mean:.0f}" in shown


def test_without_a_weak_slice_the_worst_arms_are_shown() -> None:
    rows = pl.DataFrame({"a": ["x", "y"] * 40, "b": ["u"] * 40 + ["v"] * 40, "right": [1.0] * 80})
    surface = aa.estimate(rows, ["a", "b"], "right", estimator="constant")
    shown = notebook_html(surface)
    assert "No slice is clearly weaker than the whole. Of 4 arms, the most surely bad:" in shown
    assert "a = x, b = u" in shown


def test_one_attribute_needs_no_heat_map() -> None:
    rows = pl.DataFrame({"a": ["x", "y"] * 40, "right": [1.0, 0.0] * 40})
    surface = aa.estimate(rows, ["a"], "right", estimator="beta-independent")
    assert "blue is" not in notebook_html(surface)


def test_nothing_is_fetched_and_no_script_runs(surface: AccuracySurface) -> None:
    shown = notebook_html(surface)
    assert not re.search(r"<(script|style|link|img|iframe)|https?:|url\(", shown)


def test_rows_without_an_answer_are_said() -> None:
    silent = toy().with_details(missing_prediction={"rule": "wrong", "rows": 3, "of": 9})
    assert "3 of 9 labelled rows have no answer and count as wrong." in notebook_html(silent)
