"""Classes of arms: every open arm is in one by support, one by level and one by rank."""

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.gold import Gold
from accuracy_assay.metrics.interval_classes import CLASSES, classes_of
from accuracy_assay.runtime.arrays import FloatArray, IntArray

KINDS = {"support": CLASSES[:4], "level": CLASSES[4:7], "rank": CLASSES[7:]}


def surface(
    lower: FloatArray, upper: FloatArray, size: FloatArray, n: FloatArray | None = None
) -> AccuracySurface:
    n = np.zeros(size.size) if n is None else n
    space = AttributeSpace((Attribute("arm", tuple(range(size.size))),))
    columns = (0.5 * n, size, (lower + upper) / 2.0, (upper - lower) / 4.0, lower, upper)
    return AccuracySurface(space, np.arange(size.size), n, *columns)


def found(of: AccuracySurface, listed: IntArray | None = None) -> dict[str, list[int]]:
    """Return positions in the gold, by class; the gold has the listed arms, all by default."""
    at = np.arange(of.arms.size) if listed is None else listed
    gold = Gold(of.arms[at], of.mean[at], of.support[at], np.zeros(at.size))
    return {
        name: np.flatnonzero(is_in).tolist() for name, is_in in classes_of(of, gold, at).items()
    }


def test_a_class_by_support_holds_its_least_size_and_not_that_of_the_next() -> None:
    size = np.array([5.0, 9.0, 10.0, 19.0, 20.0, 49.0, 50.0, 5000.0])
    by_class = found(surface(np.full(8, 0.3), np.full(8, 0.7), size))
    assert [by_class[name] for name in KINDS["support"]] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_an_interval_is_near_zero_or_one_only_if_it_is_beyond_the_bound_as_a_whole() -> None:
    lower = np.array([0.0, 0.0, 0.86, 0.85, 0.0])
    upper = np.array([0.14, 0.15, 1.0, 1.0, 1.0])
    by_class = found(surface(lower, upper, np.full(5, 20.0)))
    assert [by_class[name] for name in KINDS["level"]] == [[0], [1, 3, 4], [2]]


def test_ten_look_worst_and_ten_best_whatever_their_order() -> None:
    # The upper ends grow with the arms 22, 21, ..., 0.
    lower = np.linspace(0.0, 0.66, 23)[::-1]
    by_class = found(surface(lower, lower + 0.3, np.full(23, 20.0)))
    expected = [list(range(13, 23)), list(range(10)), [10, 11, 12]]
    assert [by_class[name] for name in KINDS["rank"]] == expected


def test_no_arm_of_a_short_list_is_both_among_the_worst_and_the_best() -> None:
    lower = np.linspace(0.0, 0.66, 12)
    by_class = found(surface(lower, lower + 0.3, np.full(12, 20.0)))
    assert [by_class[name] for name in KINDS["rank"]] == [list(range(10)), [10, 11], []]


def test_arms_that_are_known_or_not_in_the_gold_take_no_place_among_the_ten() -> None:
    lower, size = np.linspace(0.0, 0.66, 23), np.full(23, 20.0)
    n = np.where(np.arange(23) == 1, 20.0, 3.0)
    listed = np.arange(1, 23)  # arm 0 is the worst but not in the gold; arm 1 is known
    by_class = found(surface(lower, lower + 0.3, size, n), listed)
    worst, best, others = (listed[by_class[name]].tolist() for name in KINDS["rank"])
    assert (worst, best, others) == (list(range(2, 12)), list(range(13, 23)), [12])


@pytest.mark.parametrize("kind", KINDS)
def test_every_open_arm_is_in_one_class_of_each_kind_and_a_known_one_in_none(
    kind: str, rng: np.random.Generator
) -> None:
    lower, upper = np.sort(rng.random((2, 60)), axis=0)
    size = rng.integers(5, 80, 60).astype(float)
    n = np.where(rng.random(60) < 0.3, size, 0.0)
    by_class = found(surface(lower, upper, size, n))
    assert tuple(by_class) == CLASSES
    together = sorted(arm for name in KINDS[kind] for arm in by_class[name])
    assert together == np.flatnonzero(n == 0.0).tolist()
