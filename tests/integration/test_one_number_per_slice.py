"""A slice has one number, whichever door it is asked at."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import Answer, assay
from planted_slice import ATTRIBUTES, PLANTED, flat_rows, planted_rows
from surface_world import make_about

import accuracy_assay as aa
from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.slices import WeakSlice
from accuracy_assay.reports.report import report_of
from accuracy_assay.web.surface.queries import SlicesQuery
from accuracy_assay.web.surface.views import slices_view

__all__ = ["assay"]

ROUNDING = 1e-9


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return planted_rows()


@pytest.fixture(scope="module")
def surface(rows: pl.DataFrame) -> aa.AccuracySurface:
    return aa.estimate(rows.sample(700, seed=1), ATTRIBUTES, score="correct", pool=rows)


@pytest.fixture(scope="module")
def found(surface: aa.AccuracySurface) -> WeakSlice:
    """The planted slice, which is found."""
    return next(each for each in surface.slices() if each.where == PLANTED)


def same(numbers: dict[str, float], estimate: Estimate) -> bool:
    """Return whether numbers are those of the estimate, as far as they are given."""
    known = asdict(estimate)
    shared = {name: numbers[name] for name in ("mean", "lower", "upper", "n") if name in numbers}
    return shared == pytest.approx({name: known[name] for name in shared}, abs=ROUNDING)


def test_a_slice_is_what_the_surface_says_at_its_values(
    surface: aa.AccuracySurface, found: WeakSlice
) -> None:
    for each in surface.slices():
        assert same(asdict(each.estimate), surface.at(**each.where))
    by_both = surface.marginal("accent", "digit").filter(**PLANTED)
    assert same(by_both.to_dicts()[0], found.estimate)
    inside = surface.space.frame(surface.arms).with_columns(weight=pl.Series(surface.support))
    under = surface.under(inside.filter(**PLANTED).filter(pl.col("weight") > 0))
    assert same(asdict(under), found.estimate)


def test_a_loaded_surface_has_the_same_slices(
    surface: aa.AccuracySurface, found: WeakSlice, tmp_path: Path
) -> None:
    surface.save(tmp_path / "s.surface")
    loaded = aa.AccuracySurface.load(tmp_path / "s.surface")
    again = next(each for each in loaded.slices() if each.where == PLANTED)
    assert same(asdict(again.estimate), loaded.at(**PLANTED))
    assert again.estimate.mean == pytest.approx(found.estimate.mean, abs=1e-6)
    assert again.chance_below == pytest.approx(found.chance_below, abs=1e-3)
    assert loaded.details["slice_effects"] == surface.details["slice_effects"]


def test_the_commands_say_the_same(
    surface: aa.AccuracySurface, found: WeakSlice, assay: Callable[..., Answer], tmp_path: Path
) -> None:
    path = tmp_path / "s.surface"
    surface.save(path)
    told = json.loads(assay("slices", path, "--json").out)["slices"]
    line = next(each for each in told if each["slice"] == found.name)
    where = [f"{name}={value}" for name, value in PLANTED.items()]
    asked = json.loads(assay("query", path, *where, "--json").out)
    assert asked == pytest.approx({name: line.get(name, asked[name]) for name in asked})
    assert asked["mean"] == pytest.approx(found.estimate.mean, abs=1e-6)


def test_page_report_and_gate_say_the_same(surface: aa.AccuracySurface, found: WeakSlice) -> None:
    view = slices_view(make_about(), surface, SlicesQuery())
    shown = {tuple(each.conditions): each for each in view.slices}
    conditions = tuple((name, str(value)) for name, value in PLANTED.items())
    assert same(shown[conditions].model_dump(), found.estimate)
    assert found in report_of(surface, "a report").slices.found
    gate = aa.check(surface, no_slice_below=0.8)
    failed = next(each for each in gate.checks[0].findings if each.place == found.name)
    assert failed.mean == pytest.approx(found.estimate.mean, abs=ROUNDING)


def test_the_planted_slice_is_an_effect_of_the_surface_and_holds_the_truth(
    surface: aa.AccuracySurface, found: WeakSlice, rows: pl.DataFrame
) -> None:
    likeliest = surface.details["slice_effects"][0]
    assert likeliest["slice"] == {"accent": "german", "digit": "3"}
    assert likeliest["probability"] > 0.5
    truth = rows.filter(**PLANTED)["correct"].mean()
    assert isinstance(truth, float)
    assert found.estimate.lower <= truth <= found.estimate.upper
    # The arms inside move with it, and the draws have it too.
    for age in ("young", "middle", "old"):
        assert surface.at(**PLANTED, age=age).mean < surface.overall.mean - 0.2
    draws = surface.joint_draws
    assert draws is not None
    drawn = draws @ surface.weights(where=PLANTED)
    error = float(drawn.std()) / np.sqrt(drawn.size)
    assert float(drawn.mean()) == pytest.approx(found.estimate.mean, abs=4.0 * error)
    assert float(drawn.std()) == pytest.approx(found.estimate.sd, rel=0.2)


def test_in_flat_worlds_no_slice_has_an_effect_and_none_is_reported() -> None:
    for seed in range(3):
        rows = flat_rows(seed)
        flat = aa.estimate(rows.sample(500, seed=2), ATTRIBUTES, score="correct", pool=rows)
        assert flat.details["slice_effects"] == []
        assert len(flat.slices()) == 0


def test_signals_and_clusters_leave_one_number(rows: pl.DataFrame) -> None:
    rng = np.random.default_rng(3)
    sure = rng.random(rows.height) + 0.5 * rows["correct"].to_numpy()
    rows = rows.with_columns(
        confidence=pl.Series(sure), speaker=pl.Series(rng.integers(0, 40, rows.height))
    )
    for extra in ({"signals": ["confidence"]}, {"cluster": "speaker"}):
        surface = aa.estimate(
            rows.sample(700, seed=1), ATTRIBUTES, score="correct", pool=rows, **extra
        )
        assert surface.details["slice_effects"][0]["slice"] == {"accent": "german", "digit": "3"}
        told = {each.name: each for each in surface.slices()}
        assert "accent = german and digit = 3" in told
        for each in told.values():
            assert same(asdict(each.estimate), surface.at(**each.where))
