"""Draws of arms have the means and the spread that are known."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.study.compare.rate_draws import draw_arms

ROWS = pl.DataFrame({"sex": ["F", "M"] * 60, "ok": [1, 1, 0, 1, 1] * 24})


@pytest.fixture
def surface() -> aa.AccuracySurface:
    return aa.estimate(ROWS, ["sex"], "ok", estimator="beta-independent")


@pytest.mark.parametrize("has_draws", [True, False])
def test_arms_keep_their_means_and_spread(
    surface: aa.AccuracySurface, rng: np.random.Generator, has_draws: bool
) -> None:
    known = surface if has_draws else replace(surface, draws=None)
    draws = draw_arms(known, rng)
    assert draws.mean(axis=0) == pytest.approx(surface.mean, abs=1e-6)
    assert draws.std(axis=0) == pytest.approx(surface.sd, rel=0.2)


def test_draws_of_two_surfaces_do_not_go_together(
    surface: aa.AccuracySurface, rng: np.random.Generator
) -> None:
    # Fitted with the same seed they would.
    a, b = draw_arms(surface, rng), draw_arms(surface, rng)
    assert abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1]) < 0.2
