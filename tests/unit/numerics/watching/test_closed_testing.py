from itertools import combinations

import numpy as np
from numpy.testing import assert_allclose

from accuracy_assay.numerics.watching.closed_testing import least_evidence


def test_a_slice_is_as_sure_as_the_least_refuted_group_with_it(rng: np.random.Generator) -> None:
    logs = rng.normal(scale=3.0, size=(5, 4))
    weights = rng.dirichlet(np.ones(5))
    found = least_evidence(logs, weights)
    groups = [g for size in range(1, 6) for g in combinations(range(5), size)]
    for s in range(5):
        means = [
            weights[list(g)] @ np.exp(logs[list(g)]) / weights[list(g)].sum()
            for g in groups
            if s in g
        ]
        assert_allclose(found[s], np.min(means, axis=0))


def test_one_slice_beyond_the_bar_is_named_as_soon_as_something_is_found() -> None:
    weights = np.array([0.1, 0.6, 0.3])
    logs = np.log([[193.0], [1.0], [1.0]])
    assert (weights @ np.exp(logs))[0] >= 20.0
    assert least_evidence(logs, weights)[0, 0] >= 20.0


def test_evidence_beyond_all_numbers_stays_a_number() -> None:
    found = least_evidence(np.array([2000.0, 0.0]), np.array([0.5, 0.5]))
    assert np.isfinite(found).all()
