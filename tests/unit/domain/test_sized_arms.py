"""Averages over arms whose sizes are estimated."""

import numpy as np
import pytest

from accuracy_assay.domain.sized_arms import SizedArms


@pytest.fixture
def arms(rng: np.random.Generator) -> SizedArms:
    """Two arms that share 100 rows in an unknown way; 60 rows are right in every draw."""
    first = rng.uniform(40.0, 80.0, size=400)
    sizes = np.stack([first, 100.0 - first], axis=1)
    right = np.stack([0.5 * first, 60.0 - 0.5 * first], axis=1)
    draws = right / sizes
    support = sizes.mean(axis=0)
    mean = right.mean(axis=0) / support
    return SizedArms(mean, support, draws.astype(np.float32), sizes.astype(np.float32))


def test_the_whole_is_a_ratio_of_sums(arms: SizedArms) -> None:
    lower, upper, sd = arms.intervals(arms.support[None] / arms.support.sum(), 0.9)[0]
    assert lower == pytest.approx(0.6, abs=1e-6)
    assert upper == pytest.approx(0.6, abs=1e-6)
    assert sd == pytest.approx(0.0, abs=1e-6)


def test_a_mix_keeps_its_own_shares(arms: SizedArms) -> None:
    weight = np.array([0.2, 0.8])
    drawn = arms.drawn(weight)
    expected = arms.draws @ weight
    np.testing.assert_allclose(drawn - drawn.mean(), expected - expected.mean(), atol=1e-6)
    assert drawn.mean() == pytest.approx(weight @ arms.mean)


def test_an_arm_without_rows_counts_by_its_accuracy(arms: SizedArms) -> None:
    empty = SizedArms(arms.mean, np.zeros(2), arms.draws, np.zeros_like(arms.sizes))
    drawn = empty.drawn(np.array([1.0, 0.0]))
    assert np.isfinite(drawn).all()
    assert drawn.mean() == pytest.approx(arms.mean[0])
