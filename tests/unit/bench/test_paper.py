"""The order of methods here and in the paper."""

from accuracy_assay.bench.paper import MACRO, WORST, compare_order


def test_the_papers_own_order_differs_nowhere() -> None:
    ours = {"beta-gp-slp": 1.0, "beta-gp-sl": 1.1, "beta-independent": 2.0, "anova-gp": 0.5}
    ranking, differing = compare_order(ours)
    assert ranking == ["beta-gp-slp", "beta-gp-sl", "beta-independent"]
    assert differing == []


def test_a_pair_that_the_paper_orders_otherwise_is_named() -> None:
    # On all four of the paper's tasks BetaGP-SL errs less than independent arms.
    _, differing = compare_order({"beta-independent": 1.0, "beta-gp-sl": 2.0})
    assert differing == [("beta-independent", "beta-gp-sl")]


def test_a_pair_on_which_the_paper_is_even_is_not_named() -> None:
    # SL is better on MF-CelebA, SLP on AC-COCOS10K, and they are even on the other two.
    for first, second in (("beta-gp-sl", "beta-gp-slp"), ("beta-gp-slp", "beta-gp-sl")):
        assert compare_order({first: 1.0, second: 2.0})[1] == []


def test_both_tables_have_the_same_methods() -> None:
    assert list(MACRO) == list(WORST)
