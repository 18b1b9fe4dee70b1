"""A factor of enough columns is the kernel; of fewer its diagonal is still right."""

import numpy as np
import pytest
from latent_gp import kernel

from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.prior_factor import (
    _first_to_finish,
    factorise_prior,
    take_cells,
)
from accuracy_assay.runtime.precision import precision

LAYOUT = Layout((4, 3, 5), (False, False, True), 3)
CODES = np.stack(np.unravel_index(np.arange(60), (4, 3, 5)), axis=1)
CELLS = CellArrays(CODES, np.arange(60), np.zeros(60, int), np.ones(60))  # type: ignore[arg-type]


def without_own() -> np.ndarray:
    theta = LAYOUT.prior_mean.copy()
    theta[LAYOUT.slices["o"]] = -np.inf
    return theta


def dense(theta: np.ndarray) -> np.ndarray:
    with precision():
        return np.asarray(kernel(theta, CELLS, CELLS, LAYOUT))


def test_all_columns_are_the_whole_kernel(rng: np.random.Generator) -> None:
    theta = without_own()
    prior = factorise_prior(theta, CELLS, LAYOUT, 60, rng)
    made = prior.F.astype(float) @ prior.F.T + np.diag(prior.rest)
    np.testing.assert_allclose(made, dense(theta), atol=1e-4)


def test_fewer_columns_keep_the_variances_and_explain_most(rng: np.random.Generator) -> None:
    theta = without_own()
    prior = factorise_prior(theta, CELLS, LAYOUT, 20, rng)
    assert prior.F.shape == (60, 20)
    K, F = dense(theta), prior.F.astype(float)
    np.testing.assert_allclose((F * F).sum(axis=1) + prior.rest, np.diag(K), rtol=1e-5)
    assert 0.0 < prior.rest.mean() < 0.1 * np.diag(K).mean()


def test_other_cells_have_the_rows_that_they_would_have_had(rng: np.random.Generator) -> None:
    prior = factorise_prior(without_own(), CELLS, LAYOUT, 20, rng)
    F, rest = prior.at(take_cells(CELLS, np.array([7, 31])))
    np.testing.assert_allclose(F, prior.F[[7, 31]], atol=1e-4)
    np.testing.assert_allclose(rest, prior.rest[[7, 31]], atol=1e-4)


def test_columns_that_would_add_nothing_are_left_out(rng: np.random.Generator) -> None:
    twice = take_cells(CELLS, np.repeat(np.arange(10), 30))
    prior = factorise_prior(without_own(), twice, LAYOUT, 200, rng)
    assert prior.F.shape[1] < 200
    assert prior.rest.max() == pytest.approx(0.0, abs=1e-3)


def test_columns_are_drawn_in_proportion_to_what_is_left() -> None:
    chance, n_draws = np.array([0.0, 1.0, 2.0, 5.0]), 4000
    rng = np.random.default_rng(0)
    drawn = np.array([_first_to_finish(chance, 2, rng) for _ in range(n_draws)])
    assert not (drawn == 0).any()
    assert (drawn[:, 0] != drawn[:, 1]).all()
    share = np.bincount(drawn[:, 0], minlength=4) / n_draws
    se = np.sqrt(0.25 / n_draws)
    np.testing.assert_allclose(share, chance / chance.sum(), atol=4 * se)
    second = drawn[drawn[:, 0] == 3, 1]  # of what is left, one third and two thirds
    assert (second == 1).mean() == pytest.approx(1 / 3, abs=4 * np.sqrt(0.25 / second.size))


def test_a_theta_that_hardly_differs_has_nearly_the_same_factor() -> None:
    theta = without_own()
    one = factorise_prior(theta, CELLS, LAYOUT, 20, np.random.default_rng(0))
    near = factorise_prior(theta + 1e-4, CELLS, LAYOUT, 20, np.random.default_rng(0))
    np.testing.assert_array_equal(near.pivots.arm, one.pivots.arm)
    np.testing.assert_allclose(near.F, one.F, atol=1e-3)
