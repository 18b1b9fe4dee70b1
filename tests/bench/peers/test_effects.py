"""Subsets of attributes, and the arms that agree on them."""

from itertools import chain, combinations

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.effects import effect_subsets, group_of, subsets_of_sizes

SPACE = AttributeSpace(
    (Attribute("a", (0, 1, 2)), Attribute("b", (0, 1)), Attribute("c", (0, 1, 2, 3)))
)


def test_few_attributes_have_all_their_subsets() -> None:
    every = chain.from_iterable(combinations(range(5), k) for k in range(1, 6))
    assert sorted(effect_subsets(5, 63)) == sorted(every)


def test_many_attributes_have_singles_pairs_and_the_arm_itself() -> None:
    subsets = effect_subsets(12, 63)
    assert len(subsets) == 12 + 66 + 1
    assert subsets[-1] == tuple(range(12))


def test_subsets_come_in_the_order_of_their_sizes() -> None:
    assert subsets_of_sizes(3, (3, 1)) == [(0, 1, 2), (0,), (1,), (2,)]


@pytest.mark.parametrize("subset", [(), (1,), (0, 2), (0, 1, 2)])
def test_arms_share_a_group_exactly_when_they_agree_on_the_subset(subset) -> None:
    arms = np.arange(SPACE.n_arms)
    group, codes = group_of(SPACE, subset, arms), SPACE.codes(arms)[:, list(subset)]
    agree = (codes[:, None] == codes[None]).all(axis=2)
    np.testing.assert_array_equal(group[:, None] == group, agree)
