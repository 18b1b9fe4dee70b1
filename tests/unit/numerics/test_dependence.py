"""How much one column says about another."""

from itertools import product

import numpy as np
import pytest

from accuracy_assay.numerics.dependence import determined_share, explained_share


def test_determined_share_is_one_for_a_function_and_zero_for_independence() -> None:
    both = np.array(list(product(range(3), range(4))))
    weight = np.ones(len(both))
    assert determined_share(both[:, 0], both[:, 1], weight) == pytest.approx(0.0, abs=1e-12)
    assert determined_share(both[:, 1] // 2, both[:, 1], weight) == pytest.approx(1.0)
    assert 0.0 < determined_share(both[:, 1], both[:, 1] // 2, weight) < 1.0


def test_groups_explain_the_share_of_variance_that_analysis_of_variance_gives() -> None:
    rng = np.random.default_rng(0)
    code = rng.integers(0, 4, 400)
    numbers = code + rng.standard_normal(400)
    means = np.array([numbers[code == k].mean() for k in range(4)])[code]
    within = ((numbers - means) ** 2).sum() / (400 - 4)
    assert explained_share(numbers, code) == pytest.approx(1.0 - within / numbers.var(ddof=1))


def test_random_groups_explain_nothing_on_average() -> None:
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal(300)
    found = [explained_share(numbers, rng.integers(0, 30, 300)) for _ in range(400)]
    assert abs(np.mean(found)) < 4.0 * np.std(found) / np.sqrt(len(found))


def test_nothing_is_explained_without_variance_or_with_a_group_for_each_row() -> None:
    assert explained_share(np.ones(5), np.array([0, 1, 0, 1, 0])) == 0.0
    assert explained_share(np.arange(5.0), np.arange(5)) == 0.0
