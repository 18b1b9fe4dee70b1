"""Label rows: counts of certain cells, mixtures, parts of them, and the dispersion of scores."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova.label_rows import LabelRows, label_rows, score_dispersion
from accuracy_assay.numerics.gp.laplace import CellLabels
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.precision import precision

SPACE = AttributeSpace((Attribute("a", values=tuple(range(12))),))
SUPPORT = Support(SPACE, None, np.arange(12), np.full(12, 100.0))


def observe(arms: IntArray, scores: FloatArray) -> Observations:
    return Observations.exact(SUPPORT, arms, np.ones(arms.size), scores, scores**2)


def guessed(weights: list[list[float]], scores: list[float]) -> Observations:
    """Return rows over the first arms, one weight per arm."""
    dense = np.asarray(weights)
    indptr = np.concatenate([[0], np.cumsum((dense > 0.0).sum(axis=1))])
    rows = Affiliation(indptr, np.nonzero(dense)[1], dense[dense > 0.0])
    return Observations.from_instances(SUPPORT, rows, np.asarray(scores))


def test_exact_rows_are_counted_by_cell() -> None:
    rows = label_rows(observe(np.array([3, 1, 3]), np.array([1.0, 0.0, 0.0])), use_mixture=True)
    assert rows.P is None
    assert rows.cells.tolist() == [1, 3]
    assert rows.n.tolist() == [1.0, 2.0]
    assert rows.y.tolist() == [0.0, 1.0]
    assert rows.has_coin_scores


def test_a_mixture_keeps_its_rows_and_split_labels_add_up_to_as_many() -> None:
    observed = guessed([[0.7, 0.3, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]], [1.0, 0.0, 1.0])
    rows = label_rows(observed, use_mixture=True)
    assert rows.P is not None
    np.testing.assert_allclose(rows.P.sum(axis=1), 1.0)
    split, fractional = rows.split(), label_rows(observed, use_mixture=False)
    np.testing.assert_allclose(split.n, fractional.n)
    np.testing.assert_allclose(split.y, fractional.y)
    assert split.n.sum() == pytest.approx(3.0)
    assert split.y.sum() == pytest.approx(2.0)


def test_entries_of_negligible_weight_are_left_out_and_the_others_sum_to_one_again() -> None:
    rows = label_rows(guessed([[0.991, 0.009, 0.0], [0.5, 0.49, 0.01]], [1, 0]), use_mixture=True)
    assert rows.P is not None
    np.testing.assert_allclose(rows.P.toarray(), [[1.0, 0.0, 0.0], [0.5, 0.49, 0.01]])


def test_only_rows_whose_cell_is_certain_are_counted_on_cells() -> None:
    observed = guessed([[0.7, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [1.0, 0.0, 1.0])
    counts = label_rows(observed, use_mixture=True).on_cells(np.array([0, 1, 5]))
    assert counts.n.tolist() == [0.0, 2.0, 0.0]
    assert counts.y.tolist() == [0.0, 1.0, 0.0]


def test_labels_of_cells_are_padded_and_worth_one_over_the_dispersion(
    rng: np.random.Generator,
) -> None:
    arms = rng.integers(0, 12, 400)
    rows = label_rows(observe(arms, rng.beta(3.0, 1.0, 400)), use_mixture=True)
    with precision():
        labels = rows.as_labels()
    assert isinstance(labels, CellLabels)
    assert labels.n.shape == (128,)
    assert np.asarray(labels.n).sum() == pytest.approx(400.0 / rows.dispersion)


def some_rows(n: list[float]) -> LabelRows:
    count = np.asarray(n)
    nothing = (np.zeros(0, dtype=np.int64), *np.zeros((2, 0)))
    return LabelRows(np.arange(count.size), 0.5 * count, count, None, True, nothing)


def test_a_part_of_exact_rows_has_the_best_known_cells_and_a_spread_of_the_others() -> None:
    rows = some_rows([1, 9, 2, 8, 1, 7, 1, 1, 1, 1])
    part = rows.part(6)
    assert part.cells.size <= 6
    assert {1, 3, 5} <= set(part.cells.tolist())
    assert len(set(part.cells.tolist()) - {1, 3, 5}) >= 2
    np.testing.assert_array_equal(part.n, rows.n[part.cells])
    np.testing.assert_array_equal(part.y, rows.y[part.cells])


def test_few_cells_are_no_part_but_the_whole() -> None:
    rows = some_rows([1, 2, 3])
    assert rows.part(3) is rows


def test_a_part_of_mixtures_has_whole_rows_only() -> None:
    weights = [[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [0, 0, 0.9, 0.1], [0, 1.0, 0, 0]]
    rows = label_rows(guessed(weights, [1.0, 0.0, 1.0, 0.0, 1.0]), use_mixture=True)
    part = rows.part(2)
    assert part.cells.tolist() == [0, 1]
    assert part.P is not None
    assert part.P.shape == (3, 2)
    np.testing.assert_allclose(part.P.sum(axis=1), 1.0)


def test_dispersion_is_that_of_the_scores(rng: np.random.Generator) -> None:
    rate = np.linspace(0.3, 0.97, 12)
    arms = rng.integers(0, 12, 4000)
    scores = rng.beta(4.0 * rate[arms], 4.0 * (1.0 - rate[arms]))
    # A Beta of scale 4 has a fifth of a coin's variance.
    assert score_dispersion(observe(arms, scores)) == pytest.approx(0.2, rel=0.1)
    coins = (rng.random(4000) < rate[arms]).astype(float)
    assert score_dispersion(observe(arms, coins)) == 1.0


def test_few_fractional_scores_count_nearly_as_coins(rng: np.random.Generator) -> None:
    # Two scores per arm, next to equal: fifty coins' worth of doubt holds the dispersion near 1.
    scores = 0.6 + 0.01 * rng.random(24)
    found = score_dispersion(observe(np.repeat(np.arange(12), 2), scores))
    assert 0.7 < found < 1.0
    # A hundred times as many leave no doubt.
    many = 0.6 + 0.01 * rng.random(2400)
    assert score_dispersion(observe(np.repeat(np.arange(12), 200), many)) < 0.05
