"""Rows picked by their class: how common classes are, and what the rows are worth."""

import numpy as np
import pytest

from accuracy_assay.numerics.picked_classes import class_shares, picked_weights

CONFUSION = np.array([[0.9, 0.08, 0.02], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
SHARES = np.array([0.6, 0.3, 0.1])


def counts_of(n_each: float) -> np.ndarray:
    """Return labels that are exactly as the confusion says, with no answer beside the classes."""
    return np.column_stack([n_each * CONFUSION, np.zeros(3)])


def test_shares_of_classes_are_those_that_explain_the_answers() -> None:
    found = class_shares(CONFUSION[None], 1_000.0 * SHARES @ CONFUSION)
    assert found[0] == pytest.approx(SHARES, abs=2e-3)


def test_many_picked_rows_speak_as_the_pool_has_them() -> None:
    pool = np.append(10_000.0 * SHARES @ CONFUSION, 0.0)
    counts = counts_of(5_000.0)
    weighed = picked_weights(counts, pool, np.random.default_rng(0)) * counts
    joint = SHARES[:, None] * CONFUSION
    assert weighed[:, :3] / weighed[:, :3].sum(axis=0) == pytest.approx(
        joint / joint.sum(axis=0), abs=0.02
    )


def test_rows_are_worth_at_most_one_label_each() -> None:
    pool = np.append(10_000.0 * SHARES @ CONFUSION, 0.0)
    counts = counts_of(50.0)
    weighed = picked_weights(counts, pool, np.random.default_rng(0)) * counts
    assert 0.0 < weighed.sum() < counts.sum()
    assert (weighed.sum(axis=0) <= counts.sum(axis=0) + 1e-9).all()


def test_a_class_that_the_service_hardly_tells_apart_makes_rows_worth_less() -> None:
    """If two classes get the same answers, nobody knows how common each is."""
    pool = np.array([500.0, 500.0, 0.0])
    sharp = np.array([[45.0, 5.0, 0.0], [5.0, 45.0, 0.0]])
    blurred = np.array([[27.0, 23.0, 0.0], [23.0, 27.0, 0.0]])
    worth = [
        (picked_weights(c, pool, np.random.default_rng(0)) * c).sum() for c in (sharp, blurred)
    ]
    assert worth[1] < 0.5 * worth[0]


def test_combinations_without_a_row_have_no_weight() -> None:
    counts = np.array([[40.0, 0.0, 3.0], [6.0, 30.0, 0.0]])
    weights = picked_weights(counts, np.array([600.0, 300.0, 20.0]), np.random.default_rng(0))
    assert ((weights > 0.0) == (counts > 0.0)).all()
    assert np.isfinite(weights).all()
