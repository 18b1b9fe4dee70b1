"""The lasso keeps the effects that the labels ask for, and no other."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from assay_bench.peers.structured_regression import StructuredRegression

SPACE = AttributeSpace((Attribute("a", (0, 1, 2)), Attribute("b", (0, 1))))
SUPPORT = Support.count(SPACE, None, np.arange(6))


def observe(right: list[int], n: int) -> Observations:
    arms = np.repeat(np.arange(len(right)), n)
    scores = np.concatenate([np.arange(n) < r for r in right]).astype(float)
    return Observations.from_instances(SUPPORT, Affiliation.exact(arms), scores)


def test_equal_arms_keep_no_effect(rng: np.random.Generator) -> None:
    surface = StructuredRegression().fit(observe([8] * 6, 10), rng)
    assert surface.details["effects"] == 0
    np.testing.assert_allclose(surface.mean, 0.8)
    # Only the overall mean is uncertain: within-arm squares 6 x 1.6, joined by one coin of rate
    # 49/62, over 6 x 9 + 1, and 60 labels.
    noise = (6 * 1.6 + 49 / 62 * 13 / 62) / 55
    np.testing.assert_allclose(surface.sd, np.sqrt(noise / 60))


def test_additive_arms_are_found_and_an_unseen_one_is_their_sum(rng: np.random.Generator) -> None:
    right = [450, 350, 350, 250, 250]  # 0.9 - 0.2 a - 0.2 b, the arm (2, 1) unseen: 0.3
    surface = StructuredRegression(order=1).fit(observe(right, 500), rng)
    np.testing.assert_allclose(surface.mean, [0.9, 0.7, 0.7, 0.5, 0.5, 0.3], atol=0.02)


def test_an_interaction_is_found_only_when_it_is_allowed(rng: np.random.Generator) -> None:
    right = [450, 250, 250, 450, 350, 350]
    seen = observe(right, 500)
    pairs, singles = (StructuredRegression(order=k).fit(seen, rng) for k in (2, 1))
    np.testing.assert_allclose(pairs.mean, np.asarray(right) / 500, atol=0.02)
    np.testing.assert_allclose(singles.mean, 0.7, atol=0.02)


def test_the_lasso_shrinks_towards_the_overall_mean(rng: np.random.Generator) -> None:
    surface = StructuredRegression().fit(observe([9, 9, 7, 6, 5, 5], 10), rng)
    overall = 41 / 60
    assert overall < surface.mean[0] < 0.9
    assert 0.5 < surface.mean[5] < overall
    assert surface.n_labels == pytest.approx(60)
