"""Which attributes are worth confirming with a label."""

from itertools import product

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.exploration.confirmations import best_confirmations
from accuracy_assay.exploration.expected_gains import ExpectedGains, RowAverage
from accuracy_assay.runtime.arrays import FloatArray, IntArray

SPACE = AttributeSpace(tuple(Attribute(name, ("0", "1")) for name in "abc"))
ARMS = np.arange(SPACE.n_arms)
VARIANCE = 0.3


@pytest.fixture
def posterior(rng: np.random.Generator) -> CellPosterior:
    root = 0.1 * rng.normal(size=(8, 8))
    Sigma = root @ root.T + 0.01 * np.eye(8)
    rate = rng.uniform(0.3, 0.9, 8)

    def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
        return np.asarray(Sigma[np.ix_(rows, columns)])

    support = Support(SPACE, None, ARMS, np.full(8, 50.0))
    coin = rate * (1.0 - rate)
    return CellPosterior(support, rate, np.diag(Sigma).copy(), coin, np.zeros(8), covariance)


def guesses(rng: np.random.Generator, n: int = 5) -> Affiliation:
    weights = rng.dirichlet(np.ones(8), n)
    return Affiliation(np.arange(0, 8 * n + 1, 8), np.tile(ARMS, n), weights.reshape(-1))


def seen_by(posterior: CellPosterior, rows: Affiliation, share: float = 0.0) -> ExpectedGains:
    whole = RowAverage.of_arms(posterior, np.full(8, 1.0 / 8.0)) if share else None
    return ExpectedGains(posterior, np.full(8, 1.0 / 8.0), rows, average=whole)


def gain_if_confirmed(
    posterior: CellPosterior, rows: Affiliation, row: int, asked: list[int], share: float
) -> float:
    """Return the expected gain by what each answer would leave, one label of each weighed."""
    codes, weights = SPACE.codes(ARMS), rows.take([row]).weights
    total = 0.0
    for answer in product((0, 1), repeat=len(asked)):
        left = (codes[:, asked] == answer).all(axis=1)
        chance = weights[left].sum()
        part = Affiliation(np.array([0, left.sum()]), ARMS[left], weights[left] / chance)
        # Beside the whole row, so that it touches what that touches.
        seen = seen_by(posterior, Affiliation.concatenate([part, rows.take([row])]), share)
        gains = seen.relative_gains(VARIANCE, share)
        total += chance * float(gains.gains()[0])
    return total


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_the_gain_is_what_the_answers_are_expected_to_leave(
    posterior: CellPosterior, rng: np.random.Generator, share: float
) -> None:
    rows = guesses(rng)
    seen = seen_by(posterior, rows, share)
    almost_free = np.full(3, 1e-9)
    codes = SPACE.codes(rows.indices)
    goals = [(VARIANCE, share)]
    found = best_confirmations([seen], goals, codes, almost_free, np.ones(rows.n_rows))
    alone = seen.relative_gains(VARIANCE, share).gains()
    for row in range(rows.n_rows):
        asked = list(found.attributes[row])
        expected = gain_if_confirmed(posterior, rows, row, asked, share)
        assert found.factor[row] * alone[row] == pytest.approx(expected, rel=1e-6)
    assert all(len(asked) == 3 for asked in found.attributes)
    assert (found.factor > 1.0).all()


def test_what_costs_more_than_it_teaches_is_not_asked(
    posterior: CellPosterior, rng: np.random.Generator
) -> None:
    rows = guesses(rng)
    codes = SPACE.codes(rows.indices)

    def ask(*price: float):  # type: ignore[no-untyped-def]
        seen = seen_by(posterior, rows)
        ones = np.ones(rows.n_rows)
        return best_confirmations([seen], [(VARIANCE, 0.0)], codes, np.array(price), ones)

    dear = ask(1e3, 1e3, 1e3)
    assert dear.attributes == ((),) * rows.n_rows
    assert dear.factor.tolist() == [1.0] * rows.n_rows
    assert dear.price.tolist() == [0.0] * rows.n_rows
    only_b = ask(np.inf, 1e-9, np.inf)
    assert set(only_b.attributes) == {(1,)}
    assert only_b.price == pytest.approx(1e-9)


def test_an_attribute_that_is_sure_is_not_asked(posterior: CellPosterior) -> None:
    two_arms = Affiliation(np.array([0, 2]), np.array([0, 1]), np.array([0.5, 0.5]))  # c alone
    seen = seen_by(posterior, two_arms)
    codes = SPACE.codes(two_arms.indices)
    price = np.full(3, 1e-6)
    found = best_confirmations([seen], [(VARIANCE, 0.0)], codes, price, np.ones(1))
    assert found.attributes == ((2,),)
