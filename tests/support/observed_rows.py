"""What an estimator is given for some rows, to compare one way of reading them with another."""

from typing import Any

import numpy as np

import accuracy_assay as aa
from accuracy_assay.domain.observations import Observations
from accuracy_assay.estimators.beta_independent import BetaIndependent


class Keep:
    """An estimator that keeps what it is given."""

    def fit(self, observations: Observations, *_: object, **__: object) -> aa.AccuracySurface:
        self.seen = observations
        return BetaIndependent().fit(observations, np.random.default_rng(0))


def observed(rows: Any, **options: Any) -> Observations:
    keep = Keep()
    aa.estimate(rows, **options, estimator=keep)
    return keep.seen


def assert_same(found: Observations, wanted: Observations) -> None:
    """Assert that two tables gave the same cells with the same counts."""
    assert found.space == wanted.space
    assert found.support.strata == wanted.support.strata
    assert found.support.is_pool == wanted.support.is_pool
    np.testing.assert_array_equal(found.support.cells, wanted.support.cells)
    np.testing.assert_allclose(found.support.size, wanted.support.size, rtol=1e-12)
    np.testing.assert_array_equal(found.affiliation.indices, wanted.affiliation.indices)
    for name in ("count", "score", "score_sq"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12)
