"""Judges: columns of opinions that know no label, on every row, and how far labels cover them."""

import warnings

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.judges import (
    JudgeWarning,
    check_judge,
    is_outside,
    judge_scores,
    opinions,
    refuse_copies,
    warn_of_outside,
    with_ordered_scores,
)
from accuracy_assay.errors import InputError, UnknownNameError


@pytest.mark.parametrize(
    ("values", "n_missing"),
    [([0.5, None, None], 2), ([0.5, float("nan"), 1.0], 1), (["good", "", "bad"], 1)],
)
def test_a_missing_opinion_is_counted_and_a_way_out_is_named(
    values: list[object], n_missing: int
) -> None:
    table = pl.DataFrame({"judge": values})
    with pytest.raises(InputError, match=rf"every row of pool; got {n_missing} of 3 without one"):
        check_judge(table, "judge", "pool")


@pytest.mark.parametrize("values", [[0.1, 0.2], ["good", "bad"], [True, False], [1, 5]])
def test_verdicts_and_scores_are_opinions(values: list[object]) -> None:
    check_judge(pl.DataFrame({"judge": values}), "judge")


def test_other_columns_are_none() -> None:
    table = pl.DataFrame({"judge": [[1], [2]]})
    with pytest.raises(InputError, match=r"must hold verdicts .* got List"):
        check_judge(table, "judge")
    with pytest.raises(UnknownNameError, match=r"column of a judge in pool .*'jugde'"):
        check_judge(table, "jugde", "pool")


def test_reasons_in_words_are_no_verdicts() -> None:
    reasons = pl.DataFrame({"judge": [f"wrong, because of {i}" for i in range(201)]})
    with pytest.raises(InputError, match=r"at most 200 different verdicts; got 201, such as 'wro"):
        check_judge(reasons, "judge")
    check_judge(reasons[:200], "judge")
    check_judge(pl.DataFrame({"judge": range(201)}), "judge")


def test_a_copy_of_the_score_or_of_the_truth_is_refused() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b", "c"], 250)
    right = pl.Series((rng.random(250) < 0.7).astype(float))
    copy = pl.DataFrame({"truth": truth, "same": truth, "copy": right == 1.0})
    honest = copy.with_columns(copy=pl.Series(np.where(rng.random(250) < 0.02, 0.5, right)))
    with pytest.raises(InputError, match="got the score in each of 250 labelled rows"):
        refuse_copies(copy, right, ["copy"])
    with pytest.raises(InputError, match="got the truth 'truth' in each of 250"):
        refuse_copies(copy, right, ["same"], "truth")
    refuse_copies(honest, right, ["copy"], "truth")
    refuse_copies(copy[:100], right[:100], ["copy"])


def test_stored_answers_are_numbers_where_all_are() -> None:
    assert opinions(["1", " 0.25"], "j").dtype == pl.Float64
    assert opinions(["1", "good"], "j").dtype == pl.String
    assert opinions(["1", "nan"], "j").dtype == pl.String


def test_scores_lie_outside_a_range_and_verdicts_outside_a_set() -> None:
    scores = pl.Series([0.0, 0.2, 0.5, 0.9, 1.0])
    outside = is_outside(scores, pl.Series([0.2, 0.9]))
    assert outside.tolist() == [True, False, False, False, True]
    verdicts = pl.Series(["good", "fair", "bad"])
    assert is_outside(verdicts, pl.Series(["bad", "good"])).tolist() == [False, True, False]
    assert is_outside(scores, scores[:0]).all()


def test_much_outside_is_a_warning_and_little_is_none() -> None:
    pool = pl.DataFrame({"judge": np.linspace(0.0, 1.0, 101)})
    with pytest.warns(JudgeWarning, match="judge 'judge': 10% of the pool rows"):
        warn_of_outside(pool, pool[:91], ["judge"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_outside(pool, pool[3:99], ["judge"])


def test_few_scores_are_classes_in_order() -> None:
    pool = pl.DataFrame({"stars": [10, 2, 2, 1], "word": ["b", "a", "a", "b"]})
    some = pl.DataFrame({"stars": [2.0, 9.5], "word": ["a", "b"]})
    whole, part = with_ordered_scores([pool, some], ["stars", "word"])
    assert whole["stars"].dtype == part["stars"].dtype == pl.Enum(["1", "2", "9.5", "10"])
    assert whole["stars"].to_list() == ["10", "2", "2", "1"]
    assert part["stars"].to_list() == ["2", "9.5"]
    assert whole["word"].dtype == pl.String


def test_many_scores_and_a_single_one_stay_numbers() -> None:
    table = pl.DataFrame({"many": range(21), "one": [1] * 21})
    (same,) = with_ordered_scores([table], ["many", "one"])
    assert same.equals(table)


def test_a_judges_scores_are_numbers_between_zero_and_one() -> None:
    assert judge_scores(pl.Series("llm", [True, None, False])).to_list() == [1.0, None, 0.0]
    assert judge_scores(pl.Series("llm", [0.5, float("nan")])).to_list() == [0.5, None]
    said = pl.Series("llm", ["PASS ", "fail", "", None])
    assert judge_scores(said, ["PASS"]).to_list() == [1.0, 0.0, None, None]
    with pytest.raises(InputError, match="Bring them to that scale"):
        judge_scores(pl.Series("llm", [1, 5]))
    with pytest.raises(InputError, match=r"among \['no', 'yes'\]; got none"):
        judge_scores(pl.Series("llm", ["yes", "no"]))
    with pytest.raises(InputError, match="got 'Yes'"):
        judge_scores(pl.Series("llm", ["yes", "no"]), ["Yes"])
