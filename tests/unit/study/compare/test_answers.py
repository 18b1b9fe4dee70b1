"""What answers say about scores before any label."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.study.compare.answers import answer_codes, score_covariance


def test_answers_are_compared_as_they_are_with_labels() -> None:
    codes = answer_codes([pl.Series(["2", "b", " b"]), pl.Series(["2.0", "c", "b"])])
    assert (codes[:, 0] == codes[:, 1]).tolist() == [True, False, True]


def test_numbers_are_compared_as_numbers() -> None:
    codes = answer_codes([pl.Series([1, 2]), pl.Series([1.0, 2.5])])
    assert (codes[:, 0] == codes[:, 1]).tolist() == [True, False]


def test_a_missing_answer_equals_no_other() -> None:
    codes = answer_codes([pl.Series([None, "a"]), pl.Series([None, None])])
    assert (codes[:, 0] != codes[:, 1]).all()


def test_another_agreement_may_tell_apart_what_equal_does_not() -> None:
    said = [pl.Series(["a b"]), pl.Series(["A b"])]
    codes = answer_codes(said, "wer")
    assert codes[0, 0] != codes[0, 1]


def test_different_answers_are_never_more_than_one_right() -> None:
    rate, codes = np.array([[0.9, 0.7]]), np.array([[0, 1]])
    covariance = score_covariance(rate, codes)[0, 0, 1]
    first = 0.9 / 1.6
    assert covariance == pytest.approx(-first * (1.0 - first))


def test_covariances_are_those_of_drawn_truths(rng: np.random.Generator) -> None:
    codes, rate = np.array([[0, 0, 1]]), np.array([[0.5, 0.5, 0.3]])
    truth = rng.choice([0, 1, 2], 50_000, p=[0.5, 0.3, 0.2])
    scores = (truth[:, None] == codes).astype(float)
    # The standard error of a covariance of 50,000 coins is 0.001.
    assert score_covariance(rate, codes)[0] == pytest.approx(np.cov(scores.T), abs=0.005)
