"""A slice's effect moves all its cells alike, whichever way the kernel is used."""

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import kernel, some_cells

from accuracy_assay.numerics.gp.anova import Layout, kernel_diagonal
from accuracy_assay.numerics.gp.kernel_product import kernel_among, kernel_times
from accuracy_assay.numerics.gp.prior_draws import prior_draws
from accuracy_assay.numerics.gp.prior_factor import take_cells
from accuracy_assay.numerics.gp.slice_effects import MOST_EFFECTS, SliceEffect, with_effects
from accuracy_assay.runtime.precision import precision

LAYOUT = Layout((3, 3, 3), (False, False, True), 3)
PAIR = SliceEffect((0, 2), (1, 2), 2.0, -3.0)
VALUE = SliceEffect((1,), (0,), 0.5, -3.0)


@pytest.mark.parametrize("n_groups", [1, 2])
def test_an_effect_adds_its_variance_between_all_cells_of_its_slice(
    rng: np.random.Generator, n_groups: int
) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 2, n_groups)
    with precision():
        plain = some_cells(rng, 30)
        cells = with_effects(plain, (PAIR, VALUE))
        theta = layout.start
        before, K = (np.asarray(kernel(theta, c, c, layout)) for c in (plain, cells))
        diagonal = np.asarray(kernel_diagonal(theta, cells, layout))
    codes = np.asarray(plain.codes)
    pair = ((codes[:, 0] == 1) & (codes[:, 2] == 2)).astype(float)
    value = (codes[:, 1] == 0).astype(float)
    expected = before + 2.0 * np.outer(pair, pair) + 0.5 * np.outer(value, value)
    np.testing.assert_allclose(K, expected, rtol=1e-12)
    np.testing.assert_allclose(diagonal, np.diag(expected), rtol=1e-12)


def test_products_and_draws_see_the_effects(rng: np.random.Generator) -> None:
    theta = LAYOUT.prior_mean
    with precision():
        cells = with_effects(some_cells(rng, 27), (PAIR, VALUE))
        K = np.asarray(kernel(theta, cells, cells, LAYOUT))
    cells = take_cells(cells, slice(0, 27))
    x = rng.standard_normal((27, 2))
    np.testing.assert_allclose(kernel_times(theta, cells, LAYOUT, x), K @ x, rtol=1e-9)
    np.testing.assert_allclose(kernel_among(theta, cells, LAYOUT), K, rtol=1e-12)
    drawn = prior_draws(theta, cells, LAYOUT, 20_000, rng)
    # A covariance of 20,000 draws has a standard error of at most sqrt(2 / 20,000) variances.
    np.testing.assert_allclose(drawn.T @ drawn / 20_000, K, atol=5.0 * 0.01 * K.max())


def test_any_number_of_effects_has_the_same_shape_and_padding_has_none(
    rng: np.random.Generator,
) -> None:
    with precision():
        plain = some_cells(rng, 9)
        codes = jnp.concatenate([plain.codes[:6], jnp.full((3, 3), -1)])
        cells = plain._replace(codes=codes)
        one, two = (with_effects(cells, e).slices for e in ((PAIR,), (PAIR, VALUE)))
        assert with_effects(with_effects(cells, (PAIR,)), ()).slices is None
    assert one is not None
    assert two is not None
    assert one.shape == two.shape == (9, MOST_EFFECTS)
    assert not np.asarray(two)[6:].any()
