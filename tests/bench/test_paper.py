"""The order of methods here and in the paper."""

from assay_bench.paper import METRICS, TABLES, TASKS, compare_order


def test_the_papers_own_order_differs_nowhere() -> None:
    ours = {"beta-gp-slp": 1.0, "beta-gp-sl": 1.1, "beta-independent": 2.0, "anova-gp": 0.5}
    ranking, differing = compare_order(ours)
    assert ranking == ["beta-gp-slp", "beta-gp-sl", "beta-independent"]
    assert differing == []


def test_a_pair_that_the_paper_orders_otherwise_is_named() -> None:
    # On all four of the paper's tasks BetaGP-SL errs less than independent arms.
    _, differing = compare_order({"beta-independent": 1.0, "beta-gp-sl": 2.0})
    assert differing == [("beta-independent", "beta-gp-sl")]


def test_the_order_is_that_of_the_metric() -> None:
    # By macro MSE a constant beats BernGP on three of four tasks; on the worst arms on none.
    ours = {"constant": 1.0, "bern-gp": 2.0}
    assert compare_order(ours, "macro_mse")[1] == []
    assert compare_order(ours, "worst_mse")[1] == [("constant", "bern-gp")]


def test_a_pair_on_which_the_paper_is_even_is_not_named() -> None:
    # SL is better on MF-CelebA, SLP on AC-COCOS10K, and they are even on the other two.
    for first, second in (("beta-gp-sl", "beta-gp-slp"), ("beta-gp-slp", "beta-gp-sl")):
        assert compare_order({first: 1.0, second: 2.0})[1] == []


def test_every_table_has_the_six_methods_on_the_four_tasks() -> None:
    methods = list(TABLES["macro_mse"])
    assert len(methods) == 6
    for metric in METRICS:
        assert list(TABLES[metric]) == methods
        assert all(len(row) == len(TASKS) for row in TABLES[metric].values())


def test_table_2_and_the_appendix_agree_where_the_appendix_has_its_rows_turned() -> None:
    # Table 2 has MF-IMDB 8.2 and MF-CelebA 35.9 for the constant predictor.
    worst = dict(zip(TASKS, TABLES["worst_mse"]["constant"], strict=True))
    assert (worst["mf-imdb"].mean, worst["mf-celeba"].mean) == (8.2, 35.9)
