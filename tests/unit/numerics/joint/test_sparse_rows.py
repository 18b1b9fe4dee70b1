"""What is dropped from a sparse row, and products of entries, by plain loops."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint.sparse_rows import expand_rows, trim_rows


@pytest.mark.parametrize("max_dropped", [0.0, 0.03, 0.3])
def test_each_row_drops_its_smallest_entries_while_the_bound_holds(
    rng, max_dropped: float
) -> None:
    sizes = rng.integers(1, 12, 40)
    owner = np.repeat(np.arange(40), sizes)
    weights = np.concatenate([0.99 * rng.dirichlet(np.ones(size)) for size in sizes])
    stays = trim_rows(owner, weights, 40, max_dropped)
    for row in range(40):
        # A hundredth of each row was never stored, and counts against the bound.
        allowed, dropped = max_dropped - 0.01 - 2e-7, 0.0
        expected = []
        for weight in np.sort(weights[owner == row]):
            if dropped + weight > allowed:
                expected.append(weight)
            dropped += weight
        np.testing.assert_array_equal(np.sort(weights[(owner == row) & stays]), expected)


def test_equal_weights_at_the_border_all_stay() -> None:
    owner, weights = np.zeros(4, np.int64), np.full(4, 0.25)
    assert trim_rows(owner, weights, 1, 0.3).all()


def test_a_row_is_never_emptied() -> None:
    owner, weights = np.array([0, 2]), np.array([1.0, 1.0])
    assert trim_rows(owner, weights, 3, 0.999).tolist() == [True, True]


def test_products_are_in_mixed_radix_last_factor_fastest(rng) -> None:
    factors = [rng.random((5, size)) for size in (2, 3, 4)]
    found = expand_rows(factors)
    expected = [
        [a * b * c for a in f for b in g for c in h] for f, g, h in zip(*factors, strict=True)
    ]
    np.testing.assert_allclose(found, expected)
