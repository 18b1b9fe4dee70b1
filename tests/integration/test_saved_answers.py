"""A surface answers every question after it was saved as it did before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.estimators.anova import arm_averages

N = 900
NAMES = ["a", "b", "c"]
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "population": {"target": "population"},
    "signals": {"signals": ["sure"]},
    "clusters": {"cluster": "who"},
    "guessed": {"evidence": {"b": "p_b__*"}, "calibration": "raw"},
    "independent": {"estimator": "beta-independent"},
}
NEAR = 1e-6
"""What an answer may differ by."""


@pytest.fixture(scope="module")
def pool() -> pl.DataFrame:
    rng = np.random.default_rng(8)
    a, b, c = (rng.integers(0, size, N) for size in (5, 4, 3))
    sure = rng.random(N)
    rate = 0.95 - 0.1 * a * (b == 0) - 0.3 * (sure < 0.2)
    guess = np.where(rng.random(N) < 0.9, b, (b + 1) % 4)
    columns = {"a": a, "b": b, "c": c, "sure": sure, "who": rng.integers(0, 40, N)}
    columns["right"] = (rng.random(N) < rate).astype(float)
    for value in range(4):
        columns[f"p_b__{value}"] = np.where(guess == value, 0.85, 0.05)
    return pl.DataFrame(columns)


def made(pool: pl.DataFrame, kind: str) -> aa.AccuracySurface:
    return aa.estimate(pool[:300], NAMES, "right", pool=pool.drop("right"), **KINDS[kind])


def answers(surface: aa.AccuracySurface) -> Iterator[tuple[str, Any]]:
    """Yield every question with its answer, as numbers or a table."""
    for name, found in {
        "overall": surface.overall,
        "the other target": surface.other_overall,
        "one arm": surface.at(a=0, b=0, c=0),
        "few arms": surface.at(a=0, b=[0, 1]),
        "many arms": surface.at(b=[0, 1]),
        "equal weights": surface.average(surface.mass(mix="equal")),
        "a mix": surface.under(pl.DataFrame({"a": [0, 1, 2], "weight": [1.0, 5.0, 2.0]})),
        "lowest group": surface.group_min("a").estimate,
    }.items():
        if found is not None:
            yield name, [found.mean, found.sd, found.lower, found.upper]
    yield "marginal", surface.marginal("a", "b")
    yield "arms", surface.to_frame()
    yield "worst", surface.worst()
    yield "slices", surface.slices(below=0.85).to_frame()
    yield "attributes", surface.attributes().to_frame()
    yield "difference", [surface.difference("a").mean, surface.difference("a").lower]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most_exact", [1024, 20])
def test_a_loaded_surface_answers_as_the_fitted_one(
    pool: pl.DataFrame,
    kind: str,
    most_exact: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arm_averages, "_MOST_EXACT_FACTORS", most_exact)
    fitted = made(pool, kind)
    before = dict(answers(fitted))
    fitted.save(tmp_path / "s.surface")
    loaded = aa.AccuracySurface.load(tmp_path / "s.surface")
    after = dict(answers(loaded))
    assert after.keys() == before.keys()
    for question, answer in before.items():
        if isinstance(answer, pl.DataFrame):
            assert_frame_equal(after[question], answer, abs_tol=NEAR, rel_tol=0.0)
        else:
            assert after[question] == pytest.approx(answer, abs=NEAR), question


@pytest.mark.parametrize("kind", ["plain", "signals", "guessed"])
def test_everything_is_the_overall(pool: pl.DataFrame, kind: str) -> None:
    surface = made(pool, kind)
    values = {a.name: list(a.values) for a in surface.space.attributes}
    for whole in (surface.at(), surface.at(**values), surface.at(a=values["a"])):
        assert [whole.mean, whole.lower, whole.upper] == pytest.approx(
            [surface.overall.mean, surface.overall.lower, surface.overall.upper], abs=1e-9
        )
        assert whole.target == surface.overall.target


def test_slices_that_cover_the_pool_average_to_it(pool: pl.DataFrame) -> None:
    surface = made(pool, "signals")
    parts = [surface.at(a=value) for value in surface.space.attribute("a").values]
    whole = sum(part.support for part in parts)
    assert whole == pytest.approx(surface.overall.support)
    mean = sum(part.mean * part.support for part in parts) / whole
    assert mean == pytest.approx(surface.overall.mean, abs=1e-9)
    mix = pl.DataFrame({"a": surface.space.attribute("a").values})
    mix = mix.with_columns(weight=pl.Series([part.support for part in parts]))
    under = surface.under(mix)
    assert [under.lower, under.upper] == pytest.approx(
        [surface.overall.lower, surface.overall.upper], abs=1e-9
    )
