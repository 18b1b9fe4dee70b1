"""Draws of rates have the means, the spread and the correlations that are known."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.study.compare.rate_draws import draw_arms, draw_cells

ROWS = pl.DataFrame({"sex": ["F", "M"] * 60, "ok": [1, 1, 0, 1, 1] * 24})
RATE = np.array([0.7, 0.6, 0.8, 0.5])
SIGMA = 0.01 * np.array(
    [[1.0, 0.8, 0.2, 0.0], [0.8, 1.0, 0.1, 0.0], [0.2, 0.1, 0.5, 0.3], [0.0, 0.0, 0.3, 1.0]]
)


@dataclass(frozen=True)
class Left:
    """What an estimator leaves."""

    posterior: CellPosterior


@pytest.fixture
def surface() -> aa.AccuracySurface:
    return aa.estimate(ROWS, ["sex"], "ok", estimator="beta-independent")


@pytest.fixture
def support(surface: aa.AccuracySurface) -> Support:
    """Two arms with two strata each."""
    strata = aa.AttributeSpace((aa.Attribute("sure", ("no", "yes")),))
    return Support(surface.space, strata, np.arange(4), np.full(4, 30.0))


def test_cells_have_the_posterior_of_the_estimator(
    surface: aa.AccuracySurface, support: Support, rng: np.random.Generator
) -> None:
    posterior = CellPosterior(
        support, RATE, np.diag(SIGMA), RATE, RATE, lambda i, j: SIGMA[np.ix_(i, j)]
    )
    mean, draws = draw_cells(replace(surface, memory=Left(posterior)), support, rng)
    assert mean.tolist() == RATE.tolist()
    assert draws.mean(axis=0) == pytest.approx(RATE, abs=1e-6)
    # The standard error of a variance of 512 draws is 6 % of it.
    assert np.cov(draws.T) == pytest.approx(SIGMA, abs=0.0025)


def test_a_correlation_of_one_is_drawn_as_one(
    surface: aa.AccuracySurface, support: Support, rng: np.random.Generator
) -> None:
    one = np.full((4, 4), 0.01)
    posterior = CellPosterior(
        support, np.full(4, 0.7), np.diag(one), RATE, RATE, lambda i, j: one[np.ix_(i, j)]
    )
    _, draws = draw_cells(replace(surface, memory=Left(posterior)), support, rng)
    assert draws == pytest.approx(np.tile(draws[:, :1], 4), abs=1e-4)


def test_without_a_posterior_a_cell_has_the_rate_of_its_arm(
    surface: aa.AccuracySurface, support: Support, rng: np.random.Generator
) -> None:
    mean, draws = draw_cells(surface, support, rng)
    assert mean.tolist() == surface.mean[[0, 0, 1, 1]].tolist()
    assert draws[:, 0].tolist() == draws[:, 1].tolist() != draws[:, 2].tolist()


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
