"""A factor of enough columns is the kernel; of fewer its diagonal is still right."""

import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.numerics.gp.anova import CellArrays, Layout, kernel
from accuracy_assay.numerics.gp.prior_factor import factorise_prior, take_cells
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
        return np.asarray(kernel(jnp.asarray(theta), CELLS, CELLS, LAYOUT))


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
