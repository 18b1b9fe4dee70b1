"""Draws before any label have the covariance of the kernel, however they are made."""

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import kernel

from accuracy_assay.numerics.gp import prior_draws as module
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.prior_draws import prior_draws
from accuracy_assay.runtime.precision import precision

PLAIN = Layout((3, 4, 2), (False, True, False), 3)
# Attributes, a categorical and an ordered signal, an arm's mean of a signal, and clusters.
RICH = Layout(
    (3, 4, 2, 3, 3), (False, True, False, True, True), 2, 2, has_clusters=True, n_means=1
)
N_DRAWS = 10_000


def some_cells(layout: Layout, rng: np.random.Generator, count: int = 12) -> CellArrays:
    codes = np.stack([rng.integers(size, size=count) for size in layout.sizes], axis=1)
    arm = rng.integers(5, size=count)
    own = rng.uniform(0.5, 2.0, 5)[arm]
    cluster = rng.integers(-1, 3, count) if layout.has_clusters else None
    trend = rng.normal(size=(count, 1)) if layout.n_means else None
    group = rng.integers(layout.n_groups, size=count)
    return CellArrays(codes, arm, group, own, cluster, trend=trend)  # type: ignore[arg-type]


def covariances(
    layout: Layout, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the kernel, the covariance of draws, and the error that chance allows."""
    cells = some_cells(layout, rng)
    theta = layout.start + 0.3 * rng.standard_normal(layout.size)
    with precision():
        at = CellArrays(*(None if part is None else jnp.asarray(part) for part in cells))
        exact = np.asarray(kernel(theta, at, at, layout))
    drawn = prior_draws(theta, cells, layout, N_DRAWS, rng)
    found = drawn.T @ drawn / N_DRAWS
    variance = np.diag(exact)
    chance = np.sqrt((np.outer(variance, variance) + exact**2) / N_DRAWS)
    return exact, found, chance


@pytest.mark.parametrize("layout", [PLAIN, RICH], ids=["attributes", "signals and clusters"])
def test_their_covariance_is_the_kernel(layout: Layout, rng: np.random.Generator) -> None:
    exact, found, chance = covariances(layout, rng)
    assert np.max(np.abs(found - exact) / chance) < 4.5


def test_so_it_is_where_the_grid_is_too_large(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LARGEST_GRID", 1)
    monkeypatch.setattr(module, "_PARTITIONS", 2)
    exact, found, chance = covariances(PLAIN, rng)
    # Products of numbers that are not quite normal vary a little more.
    assert np.max(np.abs(found - exact) / chance) < 6.0


def test_a_coordinate_of_very_many_values_costs_little(rng: np.random.Generator) -> None:
    layout = Layout((10_000, 50, 50), (False, False, True), 3)
    cells = some_cells(layout, rng, 200)
    drawn = prior_draws(layout.start, cells, layout, 16, rng)
    assert drawn.shape == (16, 200)
    assert np.isfinite(drawn).all()
