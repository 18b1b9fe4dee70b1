"""A reason is given for what it explains, and for nothing else."""

from itertools import permutations

import pytest

from assay_bench.order_remarks import REASONS, Difference, reason_of
from assay_bench.paper import TABLES, compare_order


def difference(
    better: str, worse: str, metric: str = "macro_mse", *, is_guessed: bool = False
) -> Difference:
    return Difference(better, worse, metric, "digits", is_guessed)


def test_a_supervised_scale_is_why_it_falls_behind() -> None:
    reason = reason_of(difference("beta-gp", "beta-gp-sl"))
    assert reason is not None
    assert "towards one half" in reason.text


def test_the_same_pair_the_other_way_round_has_no_reason() -> None:
    assert reason_of(difference("beta-gp-sl", "beta-gp")) is None


def test_guesses_explain_nothing_where_attributes_are_exact() -> None:
    pair = ("beta-independent", "beta-gp-sl")
    assert reason_of(difference(*pair, is_guessed=True)) is not None
    assert reason_of(difference(*pair, is_guessed=False)) is None


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_speaks_only_of_pairs_that_can_differ_from_the_paper(reason) -> None:
    can = {
        pair
        for metric in reason.metrics
        for a, b in permutations(TABLES[metric], 2)
        for pair in compare_order({a: 1.0, b: 2.0}, metric)[1]
    }
    assert reason.pairs & can
    methods = set(TABLES["macro_mse"])
    assert all(a in methods and b in methods and a != b for a, b in reason.pairs)


def test_a_reason_is_one_remark_that_ends() -> None:
    assert all(reason.text.endswith(".") for reason in REASONS)
