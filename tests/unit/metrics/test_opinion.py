"""What an opinion is worth: read by the labels, upside down where it has to be."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from accuracy_assay.errors import InputError
from accuracy_assay.metrics.opinion import cross_read, learn_reading, preference


def test_scores_are_read_in_either_direction() -> None:
    rng = np.random.default_rng(0)
    z = rng.random(4000)
    scores = (rng.random(4000) < z).astype(float)
    at = pl.Series([0.1, 0.5, 0.9])
    for sign in (1.0, -1.0):
        read = learn_reading(pl.Series(sign * z), scores)
        np.testing.assert_allclose(read(sign * at), at.to_numpy(), atol=0.08)


def test_verdicts_are_read_as_shares_and_unknown_ones_as_the_mean() -> None:
    verdicts = pl.Series(["good"] * 9 + ["poor"] * 9)
    scores = np.repeat([1.0, 0.0], 9)
    read = learn_reading(verdicts, scores)
    expected = [(9 + 0.5) / 10, 0.5 / 10, 0.5]
    np.testing.assert_allclose(read(pl.Series(["good", "poor", "fair"])), expected)


def test_booleans_are_verdicts() -> None:
    read = learn_reading(pl.Series([True, True, False, False]), np.array([1.0, 1.0, 0.0, 0.0]))
    said = read(pl.Series([True, False]))
    assert said[0] > 0.8 > 0.2 > said[1]


def test_no_row_is_read_by_its_own_label() -> None:
    opinions = pl.Series(np.arange(60.0))
    scores = np.random.default_rng(1).choice([0.0, 1.0], 60)
    read = cross_read(opinions, scores, np.random.default_rng(0))
    flipped = scores.copy()
    flipped[7] = 1.0 - flipped[7]
    again = cross_read(opinions, flipped, np.random.default_rng(0))
    assert again[7] == read[7]
    assert not np.array_equal(again, read)


def test_one_label_reads_as_itself() -> None:
    read = cross_read(pl.Series([0.5]), np.array([1.0]), np.random.default_rng(0))
    assert read.tolist() == [1.0]


def test_preference_is_the_area_under_the_curve() -> None:
    rng = np.random.default_rng(2)
    read = rng.random(300).round(1)
    scores = (rng.random(300) < read).astype(float)
    assert preference(read, scores) == pytest.approx(roc_auc_score(scores, read))
    assert preference(read, np.ones(300)) is None
    assert preference(read, np.zeros(300)) is None


def test_answers_that_are_right_in_part_count_as_both() -> None:
    doubled = preference(np.array([0.9, 0.9, 0.1, 0.1]), np.array([1.0, 0.0, 0.0, 0.0]))
    assert preference(np.array([0.9, 0.1]), np.array([0.5, 0.0])) == pytest.approx(doubled)


def test_nothing_is_read_without_labels() -> None:
    with pytest.raises(InputError, match="labels to learn from; got none"):
        learn_reading(pl.Series([], dtype=pl.Float64), np.zeros(0))
