"""Plans: labels for a goal, by the formula where there is one, and what they refuse."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.referees import REFEREES, referee_signal
from accuracy_assay.errors import InputError, UnknownNameError

N_ROWS = 4_000


def make_pool(n_labels: int, rate: float = 0.8, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    right = (rng.random(N_ROWS) < rate).astype(float)
    poor = (rng.random(N_ROWS) < rate - 0.05).astype(float)
    is_open = np.arange(N_ROWS) >= n_labels
    return pl.DataFrame(
        {
            "sex": rng.choice(["F", "M"], N_ROWS, p=[0.3, 0.7]),
            "good": pl.Series(right).set(pl.Series(is_open), None),
            "poor": pl.Series(poor).set(pl.Series(is_open), None),
        }
    )


def plan(pool: pl.DataFrame, **options: Any) -> aa.Forecast:
    given: dict[str, Any] = {
        "score": "good",
        "estimator": "beta-independent",
        "strategy": "random",
    }
    return aa.plan(pool, ["sex"], **(given | options))


def test_uniform_labels_of_independent_arms_follow_the_formula_of_a_finite_pool() -> None:
    pool = make_pool(400)
    found = plan(pool, half_width=0.02)
    p = pool["good"].mean()
    simple = 1.645**2 * p * (1.0 - p) / 0.02**2  # labels for a pool without end
    wanted = simple / (1.0 + simple / N_ROWS)
    assert found.labels_so_far == 400
    assert 400 + found.labels == pytest.approx(wanted, rel=0.15)
    assert found.lower < found.labels < found.upper


def test_what_is_reached_takes_no_more_labels() -> None:
    found = plan(make_pool(400), half_width=0.2)
    assert (found.labels, found.lower, found.upper) == (0, 0, 0)
    assert "reached with the 400 labels so far" in str(found)


def test_narrower_takes_more() -> None:
    pool = make_pool(200)
    labels = [plan(pool, half_width=h).labels for h in (0.04, 0.03, 0.02, 0.01)]
    assert labels == sorted(labels)
    assert labels[0] < labels[-1]


def test_the_cost_is_that_of_the_labels() -> None:
    found = plan(make_pool(200), half_width=0.02, cost_per_label=0.5)
    assert found.cost == 0.5 * found.labels
    assert (found.cost_lower, found.cost_upper) == (0.5 * found.lower, 0.5 * found.upper)
    assert f"at a cost of {found.cost:,.2f}" in str(found)
    assert plan(make_pool(200), half_width=0.02).cost is None


@pytest.mark.parametrize("strategy", ["random", "variance-reduction"])
def test_from_nothing_but_the_pool_there_is_a_wide_forecast(strategy: str) -> None:
    found = plan(
        make_pool(0), score=None, half_width=0.05, estimator="anova-gp", strategy=strategy
    )
    assert found.labels_so_far == 0
    assert 20 < found.labels < 1000
    assert found.upper > 2 * found.lower


@pytest.mark.parametrize(
    ("of", "where"), [("worst", None), ("every-arm", None), ("slice", {"sex": "F"})]
)
def test_a_part_takes_more_labels_than_the_whole(of: str, where: dict[str, str] | None) -> None:
    pool = make_pool(200)
    whole = plan(pool, half_width=0.03, estimator="anova-gp")
    part = plan(pool, half_width=0.03, of=of, where=where, estimator="anova-gp")
    assert part.labels > whole.labels


def test_a_ranking_takes_fewer_labels_where_small_differences_do_not_matter() -> None:
    pool = make_pool(150)
    strict = plan(pool, score=["good", "poor"], of="ranking")
    lenient = plan(pool, score=["good", "poor"], of="ranking", half_width=0.08)
    assert lenient.labels <= strict.labels
    assert strict.goal.startswith("the order ")


def test_the_rate_behind_a_pool_may_want_more_than_the_pool_has() -> None:
    pool = make_pool(100)
    behind = plan(pool, half_width=0.004, target="population", estimator="anova-gp")
    assert not behind.is_within_pool
    assert "more labels than the 3,900 instances" in str(behind)
    own = plan(pool, half_width=0.004, estimator="anova-gp")
    assert own.is_within_pool
    assert own.upper <= 3_900


@pytest.mark.parametrize("of", ["overall", "worst", "every-arm"])
@pytest.mark.parametrize("target", ["pool", "population"])
def test_where_no_instance_is_left_no_label_is_forecast(of: str, target: str) -> None:
    found = plan(make_pool(N_ROWS), half_width=1e-6, of=of, target=target, estimator="anova-gp")
    assert (found.labels, found.lower, found.upper) == (0, 0, 0)
    assert found.is_within_pool == (target == "pool")
    assert ("reached" in str(found)) == found.is_within_pool


@pytest.mark.parametrize("of", ["overall", "worst"])
def test_without_a_half_width_the_interval_is_halved(of: str) -> None:
    pool = make_pool(100)
    found = plan(pool, of=of)
    assert found.now is not None
    assert found.wanted == pytest.approx(found.now / 2.0)
    asked = plan(pool, half_width=found.wanted, of=of)
    assert (found.labels, found.lower, found.upper) == (asked.labels, asked.lower, asked.upper)
    assert f"{asked.goal}, half of what it is now: about" in str(found)
    assert "reached" in str(plan(make_pool(N_ROWS)))


def test_mistakes_are_named() -> None:
    pool = make_pool(50)
    with pytest.raises(InputError, match="from no labels must have a half-width"):
        plan(make_pool(0))
    with pytest.raises(UnknownNameError, match="every-arm"):
        plan(pool, half_width=0.05, of="best")
    with pytest.raises(InputError, match="two or more services"):
        plan(pool, of="ranking")
    with pytest.raises(InputError, match="some labels to start from"):
        plan(make_pool(0), score=["good", "poor"], of="ranking")
    with pytest.raises(UnknownNameError):
        plan(pool, score="none", half_width=0.05)


def test_referees_are_the_signal_of_who_agrees() -> None:
    pool = make_pool(200).head(600)
    own = pl.Series("own", ["a"] * 600)
    ibm = pl.when(pl.col("good").fill_null(1.0) == 1.0).then(pl.lit("a")).otherwise(pl.lit("b"))
    pool = pool.with_columns(own, ibm=ibm)
    signal = referee_signal(own, {"ibm": pool["ibm"]})
    options = {"half_width": 0.02, "estimator": "anova-gp"}
    by_hand = plan(pool.with_columns(signal), signals=[REFEREES], **options)
    found = plan(pool, y_pred="own", referees=["ibm"], **options)
    assert found == by_hand
    assert found.now < plan(pool, **options).now


def test_a_ranking_has_no_referees() -> None:
    with pytest.raises(InputError, match=r"referees must be about .* one service; got a ranking"):
        plan(make_pool(100), score=["good", "poor"], of="ranking", y_pred="sex", referees=["x"])


def test_judges_are_signals_and_not_for_a_ranking() -> None:
    pool = make_pool(200).head(600).with_columns(judge=pl.col("good").fill_null(0.5))
    pool = pool.with_columns(
        judge=pl.when(pl.int_range(600) % 9 == 0).then(0.5).otherwise("judge")
    )
    options = {"half_width": 0.02, "estimator": "anova-gp"}
    found = plan(pool, judges=["judge"], **options)
    stars = pl.col("judge").cast(pl.String).replace({"0.0": "0", "1.0": "1"})
    ordered = pool.with_columns(judge=stars.cast(pl.Enum(["0", "0.5", "1"])))
    assert found == plan(ordered, signals=["judge"], **options)
    for given in ({"judges": ["judge"]}, {"answer_form": True, "y_pred": "sex"}):
        with pytest.raises(InputError, match=r"must be about .* one service; got a ranking"):
            plan(pool, score=["good", "poor"], of="ranking", **given)


def test_truth_and_prediction_score_the_labels_so_far() -> None:
    pool = make_pool(300).with_columns(
        truth=pl.when(pl.col("good").is_not_null()).then(pl.lit("yes")),
        said=pl.when(pl.col("good") == 0.0).then(pl.lit("no")).otherwise(pl.lit("yes")),
    )
    options = {"half_width": 0.03, "estimator": "beta-independent", "strategy": "random"}
    compared = aa.plan(pool, aa.Columns(("sex",), y_true="truth", y_pred="said"), **options)
    assert compared == aa.plan(pool, ["sex"], "good", **options)
    assert compared.labels_so_far == 300


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weight": "poor"}, "weight must be left out of a plan"),
        ({"evidence": {"sex": "p__*"}}, "evidence must be left out of a plan"),
        ({"id": "sex", "attributes": ("poor",)}, "'sex' of pool must have unique values"),
        ({"score": "poor"}, "score must be given once; got 'poor' and 'good'"),
    ],
)
def test_what_a_plan_cannot_take_into_account_is_refused(
    given: dict[str, Any], message: str
) -> None:
    columns = aa.Columns(**{"attributes": ("sex",), **given})
    with pytest.raises(InputError, match=message):
        aa.plan(make_pool(50), columns, "good", half_width=0.05)


def test_random_labels_are_named_where_they_are_as_good_as_any() -> None:
    # Every row is right as often as any other, and nothing tells rows apart.
    found = plan(make_pool(300), half_width=0.02, estimator="anova-gp")
    assert found.design == found.cheapest == "at random"
    assert set(found.designs) == {"at random", "for overall"}
    assert found.explained == pytest.approx(0.0, abs=0.02)
    p = make_pool(300)["good"].mean()
    simple = 1.645**2 * p * (1.0 - p) / 0.02**2
    assert found.at_best == pytest.approx(simple / (1.0 + simple / N_ROWS), rel=0.1)
    assert "Cheapest: about" in str(found)
    assert "the least to hope for" in str(found)


def test_chosen_labels_are_named_where_a_signal_tells_unsure_rows_from_sure_ones() -> None:
    rng = np.random.default_rng(2)
    is_hard = rng.random(N_ROWS) < 0.2
    right = (rng.random(N_ROWS) < np.where(is_hard, 0.5, 0.995)).astype(float)
    is_open = np.arange(N_ROWS) >= 300
    pool = pl.DataFrame(
        {
            "sex": rng.choice(["F", "M"], N_ROWS),
            "hard": np.where(is_hard, "yes", "no"),
            "good": pl.Series(right).set(pl.Series(is_open), None),
        }
    )
    options = {"half_width": 0.012, "estimator": "anova-gp", "signals": ["hard"]}
    found = plan(pool, strategy="variance-reduction", **options)
    assert found.cheapest != "at random"
    assert found.designs[found.cheapest] == min(found.designs.values())
    assert found.designs["for overall"] < 0.9 * found.designs["at random"]
    assert found.explained is not None
    assert 0.2 < found.explained < 0.7
    assert found.labels_per_arm == pytest.approx((300 + found.labels) / 2)


def test_before_any_label_nothing_is_said_to_be_possible() -> None:
    found = plan(make_pool(0), score=None, half_width=0.05, estimator="anova-gp")
    assert (found.at_best, found.explained) == (None, None)
