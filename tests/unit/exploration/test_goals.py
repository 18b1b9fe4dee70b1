"""What the labels are for: weights of arms."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.exploration.goals import (
    compare_weights,
    mix_weights,
    threshold_weights,
    worst_weights,
)

SPACE = AttributeSpace((Attribute("a", (0, 1, 2, 3)),))
# The pool has no rows of arm 1: weights are of the other three.
SUPPORT = Support(SPACE, None, np.array([0, 2, 3]), np.array([5.0, 5.0, 5.0]))


def surface(
    mean: list[float], sd: list[float], draws: list[list[float]] | None = None
) -> AccuracySurface:
    middle, spread = np.array(mean), np.array(sd)
    joint = None if draws is None else np.array(draws, dtype=np.float32)
    one = np.ones(4)
    return AccuracySurface(
        SPACE, np.arange(4), one, one, one, middle, spread, middle, middle, draws=joint
    )


SEEN = surface([0.5] * 4, [0.1] * 4)


def test_a_mix_gives_each_arm_of_the_pool_its_weight() -> None:
    assert mix_weights(SEEN, SUPPORT, {3: 2.0, 1: 7.0}).tolist() == [0.0, 0.0, 2.0]


def test_a_table_weighs_arms_as_the_question_under_it_does() -> None:
    table = pl.DataFrame({"a": [0, 3], "weight": [3.0, 1.0]})
    found = mix_weights(SEEN, SUPPORT, table)
    np.testing.assert_allclose(found, SEEN.weights(mix=table)[[0, 2, 3]])
    np.testing.assert_allclose(found, [0.75, 0.0, 0.25])


@pytest.mark.parametrize(
    ("mix", "message"), [(None, "got none"), ({0: -1.0}, "at least 0"), ({1: 1.0}, "of the pool")]
)
def test_a_mix_without_use_is_refused(mix: dict[int, float] | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mix_weights(SEEN, SUPPORT, mix)


def test_as_many_arms_are_expected_among_the_worst_as_are_asked_for() -> None:
    seen = surface([0.3, 0.0, 0.5, 0.9], [0.1, 0.1, 0.1, 0.05])
    for count in (1, 2):
        weight = worst_weights(seen, SUPPORT, count)
        assert weight.sum() == pytest.approx(count, abs=1e-6)
        assert weight[0] > weight[1] > weight[2]
    # With as many as there are, all count alike; by default a tenth do, and at least one.
    assert worst_weights(seen, SUPPORT, 9).tolist() == [1.0, 1.0, 1.0]
    assert worst_weights(seen, SUPPORT, None).sum() == pytest.approx(1.0, abs=1e-6)


def test_an_arm_at_the_bar_weighs_one_and_one_far_off_nothing() -> None:
    seen = surface([0.8, 0.8, 0.5, 0.9], [0.1, 0.1, 0.01, 0.0])
    weight = threshold_weights(seen, SUPPORT, 0.8)
    np.testing.assert_allclose(weight, [1.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("bar", [None, 0.0, 1.0, 80.0])
def test_a_bar_is_an_accuracy(bar: float | None) -> None:
    with pytest.raises(InputError, match="bar must lie between 0 and 1"):
        threshold_weights(surface([0.5] * 4, [0.1] * 4), SUPPORT, bar)


def test_services_weigh_one_where_they_tie_and_nothing_where_one_is_surely_better() -> None:
    first = surface([0.7, 0.0, 0.9, 0.5], [0.1, 0.1, 0.01, 0.3])
    second = surface([0.7, 0.0, 0.2, 0.6], [0.3, 0.1, 0.01, 0.4])
    weight = compare_weights([first, second], SUPPORT)
    np.testing.assert_allclose(weight[:2], [1.0, 0.0], atol=1e-9)
    assert 0.9 < weight[2] < 1.0
    third = compare_weights([first, second, second], SUPPORT)
    np.testing.assert_allclose(third, 2.0 * weight + [1.0, 1.0, 1.0])
    with pytest.raises(InputError, match="two services or more; got 1"):
        compare_weights([first], SUPPORT)
