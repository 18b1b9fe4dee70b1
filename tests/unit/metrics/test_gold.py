"""The gold counts what is there."""

import numpy as np
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.metrics.gold import Gold


def test_only_arms_with_five_rows_count() -> None:
    gold = Gold.count([7] * 5 + [3] * 4 + [9] * 6, [1, 1, 1, 0, 0] + [1] * 4 + [0.5] * 6)
    assert gold.arms.tolist() == [7, 9]
    assert gold.size.tolist() == [5.0, 6.0]
    assert gold.accuracy.tolist() == pytest.approx([0.6, 0.5])


def test_floor_is_the_mean_sampling_variance() -> None:
    gold = Gold.count([0] * 5 + [1] * 10, [1, 1, 1, 0, 0] + [1] * 9 + [0])
    assert gold.floor == pytest.approx((0.6 * 0.4 / 4 + 0.9 * 0.1 / 9) / 2)


def test_floor_of_fractional_scores_uses_their_own_variance(rng: np.random.Generator) -> None:
    scores = rng.random(50)
    assert Gold.count(np.zeros(50), scores).floor == pytest.approx(scores.var(ddof=1) / 50)


def test_a_table_of_rare_arms_only_is_refused() -> None:
    with pytest.raises(InputError, match="with at least 5 of them; the largest has 1"):
        Gold.count(np.arange(20), np.ones(20))
    with pytest.raises(InputError, match="the largest has 0"):
        Gold.count([], [])
