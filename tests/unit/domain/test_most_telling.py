"""Attributes are shown in the order of how far their values lie apart."""

import numpy as np
from toy_surface import SPACE, toy

from accuracy_assay.domain.most_telling import most_telling, telling_pair
from accuracy_assay.domain.space import Attribute, AttributeSpace


def test_the_attribute_whose_values_lie_furthest_apart_comes_first() -> None:
    # Arms: F young 0.9 (60 rows), F old 0.25 (20), M young 0.5 (20). By sex 0.7375 and 0.5, by age
    # 0.8 and 0.25: the variance between ages is larger.
    assert most_telling(toy()) == ("age", "sex")


def test_arms_without_pool_rows_do_not_count() -> None:
    # M old is not in the pool: whatever its mean, it changes nothing.
    means = np.array([0.9, 0.89, 0.5, 0.0])
    assert most_telling(toy(mean=means, lower=means - means, upper=means / means.max())) == (
        *("sex", "age"),
    )


def test_without_any_pool_rows_arms_count_alike() -> None:
    support = np.zeros(4)
    mean = np.array([0.9, 0.9, 0.5, 0.5])
    assert most_telling(toy(support=support, mean=mean, lower=0 * mean, upper=0 * mean + 1)) == (
        *("sex", "age"),
    )


def test_equal_attributes_stay_as_they_are_declared() -> None:
    mean = np.full(4, 0.5)
    assert most_telling(toy(mean=mean, lower=0 * mean, upper=2 * mean)) == SPACE.names


def test_of_the_pair_the_attribute_with_more_values_stands_in_the_rows() -> None:
    assert telling_pair(toy()) == ("age", "sex")
    space = AttributeSpace((Attribute("band", ("a", "b", "c")), Attribute("sex", ("F", "M"))))
    mean = np.array([0.9, 0.1, 0.8, 0.2])
    surface = toy(space=space, arms=np.arange(4), mean=mean, lower=0 * mean, upper=0 * mean + 1)
    assert most_telling(surface)[0] == "sex"
    assert telling_pair(surface) == ("band", "sex")


def test_the_pair_that_tells_most_when_crossed_comes_first_although_neither_does_alone() -> None:
    names = ("a", "b", "c")
    space = AttributeSpace(tuple(Attribute(name, ("0", "1")) for name in names))
    codes = space.codes(np.arange(8))
    mean = 0.5 + 0.3 * (codes[:, 0] ^ codes[:, 1]) + 0.05 * codes[:, 2]
    eight = np.full(8, 10.0)
    surface = toy(
        space=space, arms=np.arange(8), n=eight, correct=eight, support=eight, mean=mean,
        sd=eight / 100, lower=mean - 0.1, upper=mean + 0.1,
    )  # fmt: skip
    assert most_telling(surface)[0] == "c"
    assert set(telling_pair(surface)) == {"a", "b"}
