"""The likeliest combinations of independent attributes against enumeration of all of them."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint import top_product as module
from accuracy_assay.numerics.joint.sparse_rows import expand_rows
from accuracy_assay.numerics.joint.top_product import TooManyCombinationsError, top_product

SHAPE = (2, 3, 2, 4)


@pytest.fixture
def q(rng) -> list[np.ndarray]:
    return [rng.dirichlet(np.full(size, 0.6), 30) for size in SHAPE]


@pytest.mark.parametrize("max_dropped", [0.001, 0.01, 0.2])
def test_as_few_combinations_are_listed_as_hold_the_mass(q, max_dropped: float) -> None:
    owner, index, weights = top_product(q, max_dropped)
    P = expand_rows(q)
    np.testing.assert_allclose(weights, P[owner, index])
    held = np.bincount(owner, weights, minlength=30)
    assert held.min() >= 1.0 - max_dropped - 1e-12
    falling = np.sort(P, axis=1)[:, ::-1]
    enough = (np.cumsum(falling, axis=1) < 1.0 - max_dropped).sum(axis=1) + 1
    # The bound is met with a margin for rounding of 2e-7, which may cost one entry more.
    listed = np.bincount(owner, minlength=30)
    assert (listed >= enough).all()
    assert (listed <= enough + 1).all()


def test_without_a_loss_every_possible_combination_is_listed(q) -> None:
    q[0][:5] = [1.0, 0.0]
    owner, index, weights = top_product(q, 0.0)
    assert np.bincount(owner).tolist() == [24] * 5 + [48] * 25
    np.testing.assert_allclose(np.bincount(owner, weights), 1.0)
    assert len(set(zip(owner.tolist(), index.tolist(), strict=True))) == owner.size


def test_rows_come_in_order(q) -> None:
    owner, _, _ = top_product(q, 0.01)
    assert (np.diff(owner) >= 0).all()
    assert set(owner.tolist()) == set(range(30))


def test_halves_of_the_rows_give_the_same_list(q, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = top_product(q, 0.01)
    monkeypatch.setattr(module, "_MAX_ENTRIES", 60)
    for part, all_of_it in zip(top_product(q, 0.01), whole, strict=True):
        np.testing.assert_array_equal(part, all_of_it)


def test_the_row_that_needs_too_many_is_named(q, monkeypatch: pytest.MonkeyPatch) -> None:
    sure = [np.tile(np.eye(size)[0], (8, 1)) for size in SHAPE]
    for table in sure:
        table[5] = 1.0 / table.shape[1]
    with pytest.raises(TooManyCombinationsError) as error:
        top_product(sure, 0.01, max_per_row=20)
    assert error.value.row == 5
    monkeypatch.setattr(module, "_MAX_ENTRIES", 20)
    with pytest.raises(TooManyCombinationsError) as error:
        top_product(sure, 0.01)
    assert error.value.row == 5
