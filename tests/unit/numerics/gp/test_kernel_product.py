"""Products with the kernel are those with its matrix, whichever way they are made."""

import numpy as np
import pytest
from latent_gp import kernel

from accuracy_assay.numerics.gp import kernel_product
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.kernel_product import kernel_among, kernel_times
from accuracy_assay.runtime.precision import precision

PLAIN = Layout((3, 4, 5), (False, False, True), 3)
WITH_SIGNALS = Layout(
    (3, 4, 2, 6, 12), (False, True, False, True, True), 2, n_groups=2, has_clusters=True, n_means=1
)


def some_cells(layout: Layout, rng: np.random.Generator) -> CellArrays:
    codes = np.stack([rng.integers(size, size=40) for size in layout.sizes], axis=1)
    arm = np.ravel_multi_index(
        tuple(codes[:, : layout.n_attributes].T), layout.sizes[: layout.n_attributes]
    )
    group = codes[:, 2] if layout.n_groups > 1 else np.zeros(40, int)
    cluster = rng.integers(-1, 4, 40) if layout.has_clusters else None
    own = rng.uniform(0.5, 2.0, arm.max() + 1)[arm]
    trend = rng.normal(size=(40, 1)) if layout.n_means else None
    return CellArrays(codes, arm, group, own, cluster, trend=trend)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", [PLAIN, WITH_SIGNALS])
@pytest.mark.parametrize("largest_grid", [2**22, 1])
def test_a_product_is_one_with_the_matrix(
    layout: Layout, largest_grid: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_product, "_LARGEST_GRID", largest_grid)
    theta = layout.start + 0.3 * rng.standard_normal(layout.size)
    cells = some_cells(layout, rng)
    x = rng.standard_normal((40, 3))
    with precision():
        K = np.asarray(kernel(theta, cells, cells, layout))
    np.testing.assert_allclose(kernel_times(theta, cells, layout, x), K @ x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(kernel_among(theta, cells, layout), K, rtol=1e-12)


def test_many_vectors_go_through_the_grid_in_parts(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    theta, cells = PLAIN.prior_mean, some_cells(PLAIN, rng)
    x = rng.standard_normal((40, 5))
    whole = kernel_times(theta, cells, PLAIN, x)
    monkeypatch.setattr(kernel_product, "_NUMBERS_AT_ONCE", 120)
    np.testing.assert_allclose(kernel_times(theta, cells, PLAIN, x), whole, rtol=1e-12)
