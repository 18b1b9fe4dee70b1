"""Agreement of truth and prediction is a score in [0, 1]."""

import json

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.agreement import (
    AgreementWarning,
    agreement,
    check_scores,
    score_column,
)
from accuracy_assay.errors import InputError, UnknownNameError


def score(frame: pl.DataFrame, agree: object = "equal") -> list[float]:
    return score_column(
        frame,
        score=None,
        y_true="t",
        y_pred="p",
        agree=agree,  # type: ignore[arg-type]
    ).to_list()


def test_equal_is_one_where_the_texts_are_the_same() -> None:
    assert np.asarray(agreement("equal")(["a", "b", 3], ["a", "B", "3"])).tolist() == [1, 0, 1]
    assert score(pl.DataFrame({"t": ["a", "b"], "p": ["a", "B"]})) == [1.0, 0.0]


def test_numbers_are_compared_as_numbers() -> None:
    assert score(pl.DataFrame({"t": [1, 2], "p": [1.0, 3.0]})) == [1.0, 0.0]
    assert score(pl.DataFrame({"t": [1, 2], "p": ["1", "3"]})) == [1.0, 0.0]


def test_word_error_rate_counts_wrong_words_and_never_goes_below_zero() -> None:
    wer = agreement("wer")
    truths, said = ["the cat sat down", "hi", "", ""], ["the cat sat up", "oh no no", "", "hm"]
    assert np.asarray(wer(truths, said)).tolist() == [0.75, 0.0, 1.0, 0.0]


def test_bleu_is_one_for_the_same_sentence_and_falls_with_distance() -> None:
    same, near, far = np.asarray(
        agreement("bleu")(
            ["the cat sat on the mat"] * 3,
            ["the cat sat on the mat", "the cat sat on a mat", "no dogs here"],
        )
    )
    assert same == pytest.approx(1.0)
    assert same > near > far >= 0.0


def test_any_importable_function_and_any_callable_serve() -> None:
    assert agreement("json:dumps") is json.dumps
    frame = pl.DataFrame({"t": [0.0, 1.0], "p": [0.25, 1.0]})

    def closeness(truths: object, predictions: object) -> object:
        return 1.0 - np.abs(np.subtract(truths, predictions))  # type: ignore[arg-type]

    assert score(frame, closeness) == [0.75, 1.0]


def test_booleans_and_integers_are_scores() -> None:
    for values in ([True, False], [1, 0], [1.0, 0.0]):
        column = score_column(pl.DataFrame({"s": values}), score="s", y_true=None, y_pred=None)
        assert column.to_list() == [1.0, 0.0]
        assert column.dtype == pl.Float64


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -0.01, 1.01])
def test_a_score_outside_the_unit_interval_is_named_with_its_row(bad: float) -> None:
    with pytest.raises(InputError, match=rf"finite number in \[0, 1\]; got {bad} in row 1"):
        check_scores([0.5, bad, 1.0])


def test_scores_in_the_unit_interval_pass_unchanged() -> None:
    assert check_scores([0.0, 0.5, 1.0]).tolist() == [0.0, 0.5, 1.0]
    assert check_scores([]).size == 0


def test_bad_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'equals'. Did you mean 'equal'\?"):
        agreement("equals")
    for name in ("no_such_module:f", "json:no_such_function"):
        with pytest.raises(InputError, match=f"importable function; got '{name}'"):
            agreement(name)


def test_a_text_score_a_missing_label_and_missing_columns_are_refused() -> None:
    with pytest.raises(InputError, match=r"score column 's' must hold numbers .*; got String"):
        score_column(pl.DataFrame({"s": ["1"]}), score="s", y_true=None, y_pred=None)
    with pytest.raises(InputError, match=r"column 't' must have a value in every row.* row 1"):
        score(pl.DataFrame({"t": ["a", None], "p": ["a", "b"]}))
    with pytest.raises(InputError, match="scored by score=<column>, or by y_true= and y_pred="):
        score_column(pl.DataFrame({"s": [1]}), score=None, y_true="s", y_pred=None)


@pytest.mark.parametrize("agree", ["equal", "bleu", "wer", lambda t, p: [1.0] * len(t)])
def test_no_answer_scores_zero_whatever_the_agreement(agree: object) -> None:
    frame = pl.DataFrame({"t": ["a b", "a b", "a b"], "p": ["a b", None, "  "]})
    assert score(frame, agree)[1:] == [0.0, 0.0]
    silent = frame.with_columns(p=pl.lit(None, dtype=pl.Null))
    assert score(silent, agree) == [0.0] * 3


def test_no_number_scores_zero() -> None:
    frame = pl.DataFrame({"t": [1.0, 2.0, 3.0], "p": [1.0, None, np.nan]})
    assert score(frame) == [1.0, 0.0, 0.0]
    assert score(frame, "absolute:0:10") == [1.0, 0.0, 0.0]


def test_silence_is_right_where_nothing_was_said() -> None:
    assert score(pl.DataFrame({"t": ["", ""], "p": ["", "hm"]}), "wer") == [1.0, 0.0]


def test_silent_rows_are_not_taken_for_another_spelling() -> None:
    rows = pl.DataFrame({"t": ["a"] * 9, "p": [None] * 9}, schema={"t": pl.String, "p": pl.String})
    assert score(rows) == [0.0] * 9


def test_an_agreement_that_returns_too_few_scores_is_refused() -> None:
    with pytest.raises(InputError, match=r"one score per row, shape \(2,\); got \(1,\)"):
        score(pl.DataFrame({"t": ["a", "b"], "p": ["a", "b"]}), lambda t, p: [1.0])


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        (["2.0", "3.0"], [2.0, 3.0]),
        ([2.0, 3.0], ["2", "3"]),
        (["2.0", "3"], ["2", "3.0"]),
        ([True, False], ["true", "False"]),
        (["TRUE", "false"], [True, False]),
        (pl.Series([0.1, 0.2], dtype=pl.Float32), [0.1, 0.2]),
        (pl.Series([0.1, 0.2], dtype=pl.Float32), ["0.1", "0.20"]),
        (["caf\u00e9", " x"], ["cafe\u0301", "x"]),
    ],
)
def test_one_value_written_in_two_ways_is_equal_in_columns_and_lists(
    truth: object, prediction: object
) -> None:
    frame = pl.DataFrame({"t": truth, "p": prediction})
    assert score(frame) == [1.0, 1.0]
    lists = frame["t"].cast(pl.String), frame["p"].to_list()
    assert np.asarray(agreement("equal")(lists[0].to_list(), lists[1])).tolist() == [1.0, 1.0]


def test_a_number_that_is_none_is_a_missing_label() -> None:
    with pytest.raises(InputError, match=r"column 't' must have a value in every row.* row 1"):
        score(pl.DataFrame({"t": [1.0, np.nan], "p": [1.0, np.nan]}))


def test_labels_none_of_which_equals_its_prediction_are_said_aloud() -> None:
    truth, said = ["1", "2", "3", "4", "5"], ["one", "two", "three", "four", "five"]
    loud = r"none of 5 labels equals .* such as \['1', .*predictions such as \['one', 'two'"
    with pytest.warns(AgreementWarning, match=loud):
        agreement("equal")(truth, said)
    with pytest.warns(AgreementWarning, match="none of 5 labels"):
        assert score(pl.DataFrame({"t": truth, "p": said})) == [0.0] * 5


def test_few_labels_and_a_single_match_are_silent() -> None:
    score(pl.DataFrame({"t": ["a"] * 4, "p": ["b"] * 4}))
    score(pl.DataFrame({"t": ["a"] * 5, "p": ["b"] * 4 + ["a"]}))
    agreement("equal")(["a"] * 4, ["b"] * 4)


def test_absolute_error_is_scaled_by_the_declared_range() -> None:
    compare = agreement("absolute:-10:30")
    assert np.asarray(compare(["0", 30, -10.0], ["10", -10, "-10"])).tolist() == [0.75, 0.0, 1.0]
    with pytest.raises(InputError, match=r"truth must be a number from -10 to 30; got 31\."):
        compare([31], [0])
    with pytest.raises(InputError, match=r"prediction must be a number .* got 'many'\."):
        compare([3], ["many"])


@pytest.mark.parametrize("name", ["absolute:", "absolute:5", "absolute:5:1", "absolute:0:inf"])
def test_absolute_error_needs_a_range(name: str) -> None:
    with pytest.raises(InputError, match="such as absolute:0:100"):
        agreement(name)


@pytest.mark.parametrize(
    ("truth", "prediction", "score"),
    [
        ("New York", " new  york.", 1.0),
        ("USA | United States", "united states", 1.0),
        ("USA | United States", "USA | United States", 0.0),
        ("+", "+", 1.0),
        ("+", "-", 0.0),
        ("resume", "résumé", 0.0),
    ],
)
def test_tolerant_forgives_case_punctuation_and_spaces_and_takes_any_accepted_answer(
    truth: str, prediction: str, score: float
) -> None:
    assert agreement("tolerant")([truth], [prediction]) == [score]


def test_overlap_is_what_two_sets_share_of_what_either_has() -> None:
    truths = ["a | b", "a | b", "a", "A | b"]
    said = ["b | a", "b | c", "d", "B| a "]
    assert agreement("overlap")(truths, said).tolist() == pytest.approx([1.0, 1 / 3, 0.0, 1.0])
    assert agreement("overlap")(said, truths).tolist() == pytest.approx([1.0, 1 / 3, 0.0, 1.0])
