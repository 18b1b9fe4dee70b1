"""Labels of clusters within one cell: as many independent ones as they are worth."""

import numpy as np
import pytest

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova.repeated_labels import as_independent

SPACE = AttributeSpace((Attribute("light", ("day", "night")),))
N_ITEMS = 60
STRATA = AttributeSpace((Attribute("item", tuple(map(str, range(N_ITEMS))), kind="cluster"),))
ITEM = np.arange(N_ITEMS)
CELLS = ITEM % 2 * N_ITEMS + ITEM
"""Every second item is of the night."""


def observed(cells: np.ndarray, count: np.ndarray, right: np.ndarray) -> Observations:
    support = Support.count(SPACE, STRATA, cells, count, is_pool=False)
    return Observations.exact(support, cells, count, right, right)


def alone(seen: Observations) -> Observations | None:
    return as_independent(seen, seen.support.without_clusters())


@pytest.mark.parametrize("repeats", [1, 4])
def test_repeats_that_always_agree_count_as_one_label(repeats: int) -> None:
    n = np.full(N_ITEMS, float(repeats))
    found = alone(observed(CELLS, n, n * (ITEM % 3 > 0)))
    assert found is not None
    np.testing.assert_array_equal(found.affiliation.indices, [0, 1])
    np.testing.assert_allclose(found.count, [30.0, 30.0])
    np.testing.assert_allclose(found.score, [20.0, 20.0])


def test_repeats_that_have_nothing_in_common_count_as_they_are(rng: np.random.Generator) -> None:
    n = rng.integers(1, 40, N_ITEMS).astype(float)
    found = alone(observed(CELLS, n, rng.binomial(n.astype(int), 0.8).astype(float)))
    assert found is not None
    assert found.n_labels == pytest.approx(n.sum(), rel=0.25)


def test_the_share_that_repeats_have_in_common_is_found(rng: np.random.Generator) -> None:
    # Beta(3, 1): rates of mean 0.75 whose labels have the correlation 1 / (3 + 1 + 1).
    n = np.full(N_ITEMS, 200.0)
    found = alone(observed(CELLS, n, rng.binomial(200, rng.beta(3.0, 1.0, N_ITEMS)).astype(float)))
    assert found is not None
    expected = N_ITEMS * 200.0 / (1.0 + 199.0 / 5.0)
    assert found.n_labels == pytest.approx(expected, rel=0.4)


def test_other_clusters_are_left_to_the_process() -> None:
    both = np.sort(np.concatenate([ITEM, N_ITEMS + ITEM]))
    n = np.full(both.size, 4.0)
    assert alone(observed(both, n, n / 2.0)) is None  # each lies in two cells
    few = CELLS[:20]
    assert alone(observed(few, np.full(20, 4.0), np.full(20, 2.0))) is None
