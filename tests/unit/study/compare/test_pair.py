"""Two services on the same rows: where they differ, and whose side others take."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.compare.pair import SIDES, Pair, differing_answers, sides_taken


def test_answers_differ_as_labels_and_predictions_do() -> None:
    first, second = pl.Series(["2", "TRUE", "a", "b"]), pl.Series(["2.0", "true", "a", "c"])
    assert differing_answers(first, second).tolist() == [False, False, False, True]


def test_numbers_are_compared_as_numbers() -> None:
    assert differing_answers(pl.Series([1, 2]), pl.Series([1.0, 3.0])).tolist() == [False, True]


def test_another_agreement_may_tell_apart_what_equal_does_not() -> None:
    first, second = pl.Series(["2", "a"]), pl.Series(["2.0", "a"])
    assert differing_answers(first, second, "wer").tolist() == [True, False]


def test_without_an_answer_nothing_is_known() -> None:
    first, second = pl.Series(["a", None, None]), pl.Series([None, "a", None])
    assert differing_answers(first, second).all()


def test_sides_are_ordered_from_the_second_service_to_the_first() -> None:
    first, second = pl.Series(["a", "a", "a"]), pl.Series(["b", "b", "b"])
    others = [pl.Series(["a", "b", "c"]), pl.Series(["a", "b", "a"])]
    found = sides_taken(first, second, others)
    assert found is not None
    assert found.to_list() == ["+2", "-2", "+1"]
    assert found.dtype == pl.Enum(["-2", "-1", "+0", "+1", "+2"])
    assert found.name == SIDES


def test_swapped_services_have_the_opposite_sides() -> None:
    first, second = pl.Series(["a", "b"]), pl.Series(["b", "c"])
    others = [pl.Series(["a", "c"])]
    swapped, found = sides_taken(second, first, others), sides_taken(first, second, others)
    assert found is not None
    assert swapped is not None
    assert [-int(side) for side in swapped] == [int(side) for side in found]


def test_two_services_alone_have_no_sides() -> None:
    assert sides_taken(pl.Series(["a"]), pl.Series(["b"]), []) is None


def test_the_same_answer_with_two_scores_is_refused() -> None:
    with pytest.raises(InputError, match="same score; got different ones in row 3"):
        Pair(np.array([1, 3]), np.array([0.0, 1.0]), np.array([True, True, True, False]))


def test_differences_are_one_per_row() -> None:
    with pytest.raises(InputError, match=r"shape \(2,\); got \(1,\)"):
        Pair(np.array([0, 1]), np.array([1.0]), np.ones(2, dtype=bool))


def test_scores_in_between_are_told_from_right_and_wrong() -> None:
    rows, is_open = np.arange(3), np.ones(3, dtype=bool)
    assert Pair(rows, np.array([1.0, 0.0, -1.0]), is_open).has_coin_scores
    assert not Pair(rows, np.array([1.0, 0.2, -1.0]), is_open).has_coin_scores
