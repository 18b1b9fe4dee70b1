"""``simulate``: the loop, its record and its limits."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.referees import REFEREES, referee_signal
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Picks


def make_rows(n: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "sex": rng.choice(["F", "M"], n),
            "age": rng.choice(["young", "mid", "old"], n),
            "sure": rng.random(n),
            "correct": (rng.random(n) < 0.7).astype(float),
        }
    )


ROWS = make_rows()


def simulate(rows: Any = ROWS, **options: Any) -> aa.History:
    settings = {
        "attributes": ["sex", "age"],
        "score": "correct",
        "estimator": "beta-independent",
        "strategy": "largest-variance",
        "seed_size": 10,
        "budget": 25,
        "batch": 10,
    }
    return aa.simulate(rows, **settings | options)


PICKS = ["round", "row", "probability", "reason", "at_random", "confirm", "price"]


def test_history_has_one_row_a_round_in_the_documented_columns() -> None:
    history = simulate()
    assert history.metrics.columns == [
        "round",
        "labels",
        "macro_mse",
        "worst_mse",
        "micro_mse",
        "infrequent_mse",
        "floor_mse",
        "coverage_90",
        "expected_macro_mse",
        "labels_to_halve",
        "seconds",
    ]
    assert history.metrics.get_column("labels").to_list() == [10, 20, 30, 35]
    assert history.metrics.get_column("round").to_list() == [0, 1, 2, 3]
    assert history.picks.columns == PICKS
    assert history.picks.get_column("round").to_list() == [1] * 10 + [2] * 10 + [3] * 5
    assert history.surface.n_labels == 35.0


def test_a_pool_smaller_than_the_budget_is_labelled_whole_and_then_exact() -> None:
    history = simulate(budget=10_000, batch=50, estimator="beta-independent")
    assert history.metrics.get_column("labels").to_list() == [10, 60, 110, 120]
    assert history.picks.height == 110
    assert history.metrics.get_column("macro_mse")[-1] < 0.01


def test_labels_are_drawn_at_random_once_the_seed_set_is_less_than_the_share() -> None:
    options = {"strategy": "variance-reduction", "budget": 90, "seed_size": 12, "batch": 6}
    drawn = simulate(random_share=0.5, **options).picks
    before, after = drawn.filter(pl.col("round") <= 2), drawn.filter(pl.col("round") > 2)
    assert not before["at_random"].any()  # 12 of 24 labels are the seed set's
    assert 20 < after["at_random"].sum() < 60
    assert (drawn.filter("at_random")["reason"] == "at random").all()
    assert not simulate(random_share=0.0, **options).picks["at_random"].any()
    assert simulate(**options | {"seed_size": 0}).picks["at_random"].any()  # a tenth by default


def test_no_budget_is_one_fit() -> None:
    history = simulate(budget=0)
    assert history.metrics.height == 1
    assert history.picks.height == 0
    assert history.picks.columns == PICKS


def test_no_seed_set_is_a_start_from_nothing() -> None:
    history = simulate(seed_size=0, estimator="beta-independent")
    assert history.metrics.get_column("labels").to_list() == [0, 10, 20, 25]


def test_methods_under_one_seed_share_their_seed_set() -> None:
    first = {}
    for strategy in ("random", "largest-variance"):
        for estimator in ("beta-independent", "constant"):
            start = simulate(budget=0, strategy=strategy, estimator=estimator).surface
            first[strategy, estimator] = start.n.tolist()
    assert len({tuple(n) for n in first.values()}) == 1


def test_the_same_seed_gives_the_same_history_and_another_another() -> None:
    same, again, other = (simulate(strategy="random", seed=seed) for seed in (1, 1, 2))
    assert same.picks.equals(again.picks)
    assert same.metrics.drop("seconds").equals(again.metrics.drop("seconds"))
    assert not same.picks.equals(other.picks)


def test_every_round_is_reported_as_it_happens() -> None:
    heard: list[Mapping[str, float]] = []
    history = simulate(on_round=heard.append)
    assert pl.DataFrame(heard).equals(history.metrics)


def test_signals_are_no_attributes_of_the_surface() -> None:
    surface = simulate(signals=["sure"]).surface
    assert surface.space.names == ("sex", "age")
    assert surface.n_labels == 35.0


def test_signals_of_guessed_arms_say_how_hard_an_arm_is() -> None:
    rng = np.random.default_rng(6)
    n, n_groups = 4000, 40
    group = rng.integers(0, n_groups, n)
    right = rng.random(n) < rng.uniform(0.3, 1.0, n_groups)[group]
    is_seen = rng.random((n, 1)) < 0.8
    guess = 0.9 * np.where(is_seen, np.eye(n_groups)[group], 1 / n_groups) + 0.1 / n_groups
    rows = pl.DataFrame(
        {
            "group": group,
            **{f"p_group__{k}": guess[:, k] for k in range(n_groups)},
            "sure": np.where(right, 0.7, 0.4) + 0.15 * rng.normal(size=n),
            "noise": rng.random(n),
            "right": right.astype(float),
        }
    )
    how: dict[str, Any] = {"evidence": {"group": "p_group__*"}, "calibration": "temperature"}

    def replayed(*signals: str) -> aa.History:
        return aa.simulate(
            rows, ["group"], "right", signals=signals, seed_size=200, budget=0, **how
        )

    alone, told, noisy = replayed(), replayed("sure"), replayed("noise")
    assert told.metrics["macro_mse"][0] < 0.7 * alone.metrics["macro_mse"][0]
    assert noisy.metrics["macro_mse"][0] < 1.1 * alone.metrics["macro_mse"][0]
    assert "correctness predicted from signals" in told.surface.details["alone_variance"]


def test_a_confirmed_attribute_makes_the_labels_of_its_rows_certain() -> None:
    rng = np.random.default_rng(3)
    sex = rng.choice(["F", "M"], 200)
    guess = np.where((sex == "F") == (rng.random(200) < 0.7), 0.9, 0.1)  # wrong in 30 % of rows
    rows = pl.DataFrame(
        {
            "sex": sex,
            "p_sex__F": guess,
            "p_sex__M": 1.0 - guess,
            "right": np.where(sex == "F", 1.0, 0.0),
        }
    )
    options = {
        "evidence": {"sex": "p_sex__*"},
        "calibration": "raw",
        "estimator": "beta-independent",
        "strategy": "random",
        "seed_size": 0,
        "budget": 80,
        "batch": 80,
    }
    blurred = aa.simulate(rows, ["sex"], "right", **options).surface
    certain = aa.simulate(rows, ["sex"], "right", confirmed_attributes=["sex"], **options).surface
    assert blurred.mean[0] - blurred.mean[1] < 0.6
    assert certain.mean[0] - certain.mean[1] > 0.8


def guessed_rows(n: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    sex, age = rng.choice(["F", "M"], n), rng.choice(["old", "young"], n)
    surely = np.where((sex == "F") == (rng.random(n) < 0.75), 0.7, 0.3)
    maybe = np.where((age == "old") == (rng.random(n) < 0.99), 0.99, 0.01)
    return pl.DataFrame(
        {
            "sex": sex,
            "age": age,
            "p_sex__F": surely,
            "p_sex__M": 1.0 - surely,
            "p_age__old": maybe,
            "p_age__young": 1.0 - maybe,
            "right": np.where(sex == "F", 1.0, (rng.random(n) < 0.3).astype(float)),
        }
    )


def replay(rows: pl.DataFrame | None = None, **options: Any) -> aa.History:
    how = {"calibration": "temperature", "seed_size": 60, "budget": 60, "batch": 20}
    evidence = {"sex": "p_sex__*", "age": "p_age__*"}
    rows = guessed_rows() if rows is None else rows
    return aa.simulate(rows, ["sex", "age"], "right", evidence=evidence, **how | options)


def test_the_budget_pays_for_what_is_worth_confirming() -> None:
    prices = {"sex": 0.05, "age": 0.05}
    picks = replay(confirm_prices=prices).picks
    asked = picks["confirm"].list.len()
    assert picks["price"].to_list() == pytest.approx((1.0 + 0.05 * asked).to_list())
    assert 58.0 < picks["price"].sum() <= 60.0
    confirmed = [name for names in picks["confirm"] for name in names]
    assert confirmed.count("sex") > 3 * confirmed.count("age")  # whose guesses are nearly sure


def test_what_to_confirm_is_chosen_before_the_label_is_known() -> None:
    options = {"confirm_prices": {"sex": 0.01, "age": 0.01}, "budget": 20}
    picks = replay(**options).picks
    assert picks["confirm"].list.len().sum() > 0
    is_picked = pl.int_range(pl.len()).is_in(picks["row"].to_list())
    other = pl.when(is_picked).then(1.0 - pl.col("right")).otherwise("right")
    assert replay(guessed_rows().with_columns(right=other), **options).picks.equals(picks)


def test_a_confirmation_is_certain_and_one_that_is_dear_is_not_bought() -> None:
    dear = replay(confirm_prices={"sex": 50.0})
    assert dear.picks["confirm"].list.len().sum() == 0
    assert dear.picks["row"].equals(replay().picks["row"])
    cheap = replay(confirm_prices={"sex": 1e-6})
    bought = cheap.picks.filter(pl.col("confirm").list.len() > 0)["row"].to_list()
    assert bought
    rows = guessed_rows()
    wrong = [row for row in bought if (rows["p_sex__F"][row] > 0.5) != (rows["sex"][row] == "F")]
    # With the sex of its mistaken rows known, no woman was wrong: that arm is nearly perfect.
    assert wrong
    assert cheap.surface.marginal("sex").filter(pl.col("sex") == "F")["mean"][0] > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"confirm_prices": {"right": 0.1}},
            r"guessed .*\('sex', 'age'\); got 'right'",
        ),
        (
            {"confirm_prices": {"sex": 0.1}, "confirmed_attributes": ["sex"]},
            r"not confirmed anyway \('age'\); got 'sex'",
        ),
        ({"confirm_prices": {"sex": 0.0}}, r"confirming 'sex' .* above 0; got 0.0"),
    ],
)
def test_bad_prices_of_confirmations_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replay(**options)


def test_only_a_guessed_attribute_can_be_confirmed() -> None:
    with pytest.raises(InputError, match=r"confirmed_attributes must be guessed .*'sex'"):
        simulate(confirmed_attributes=["sex"])


def test_a_strategy_that_finds_nothing_ends_the_loop() -> None:
    class Idle:
        """A strategy that never asks."""

        is_random = False

        def choose(self, surface: Any, candidates: Any, n: int, rng: Any) -> Picks:
            return Picks(np.zeros(0, np.int64), np.zeros(0), ())

    history = simulate(strategy=Idle())
    assert history.metrics.height == 1


def test_an_iterative_estimator_is_handed_its_last_surface() -> None:
    seen: list[Any] = []

    class Warm:
        """An estimator that counts its fits in the memory of its surface."""

        def fit(self, observations: Any, rng: Any, previous: Any = None) -> aa.AccuracySurface:
            seen.append(None if previous is None else previous.memory)
            return aa.AccuracySurface.build(
                observations, mean=0.5, sd=0.1, lower=0.1, upper=0.9, memory=len(seen)
            )

    simulate(estimator=Warm())
    assert seen == [None, 1, 2, 3]


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        *[("seed_size", v) for v in (121, -1, 1.5, "2", True)],
        *[("budget", v) for v in (-1, 2.5, float("inf"), float("nan"), None)],
        *[("batch", v) for v in (0, 2.5, "3", True)],
        *[("seed", v) for v in (-1, 0.5, "0", None)],
    ],
)
def test_impossible_sizes_are_refused(key: str, wrong: Any) -> None:
    message = rf"^{key} must be a whole number from [01].*; got {re.escape(repr(wrong))}"
    with pytest.raises(InputError, match=message):
        simulate(**{key: wrong})


def test_rows_too_few_for_any_gold_are_refused() -> None:
    with pytest.raises(InputError, match="an arm with at least 5 of them"):
        simulate(ROWS.head(8), seed_size=2)


def test_clusters_change_nothing_where_the_estimator_has_none() -> None:
    rows = ROWS.with_columns(who=pl.col("id") // 10)
    without, found = simulate(rows), simulate(rows, cluster="who")
    assert found.picks.equals(without.picks)
    assert found.surface.to_frame().equals(without.surface.to_frame())
    with pytest.raises(InputError, match="got 'sex', which is an attribute"):
        simulate(rows, cluster="sex")


def test_referees_are_the_signal_of_who_agrees() -> None:
    rng = np.random.default_rng(0)
    said = {name: pl.Series(name, rng.choice(["a", "b"], ROWS.height)) for name in ("own", "ibm")}
    signal = referee_signal(said["own"], {"ibm": said["ibm"]})
    rows = ROWS.with_columns(*said.values(), signal)
    options = {"estimator": "anova-gp", "budget": 10, "strategy": "variance-reduction"}
    by_hand = simulate(rows, signals=[REFEREES], **options)
    found = simulate(rows.drop(REFEREES), y_pred="own", referees=["ibm"], **options)
    assert found.picks.equals(by_hand.picks)
    assert found.surface.to_frame().equals(by_hand.surface.to_frame())


def test_the_score_is_no_referee() -> None:
    with pytest.raises(InputError, match="got 'correct', which is the score"):
        simulate(y_pred="sex", referees=["correct"])


def test_judges_and_the_form_of_answers_are_signals() -> None:
    rng = np.random.default_rng(0)
    said = np.where(rng.random(ROWS.height) < 0.3, "unknown", "somebody else")
    rows = ROWS.with_columns(judge=pl.Series(rng.random(ROWS.height)), said=pl.Series(said))
    options = {"estimator": "anova-gp", "budget": 10, "strategy": "variance-reduction"}
    found = simulate(rows, judges=["judge"], y_pred="said", answer_form=True, **options)
    by_hand = simulate(rows, signals=["judge", "said"], **options)
    assert found.picks.equals(by_hand.picks)
    with pytest.raises(InputError, match="got 'correct', which is the score"):
        simulate(rows, judges=["correct"])


def test_a_goal_may_be_given_beside_the_name_of_a_strategy() -> None:
    options = {"estimator": "anova-gp", "strategy": "variance-reduction", "budget": 60}
    found = simulate(**options, goal="overall")
    assert set(found.picks["reason"]) == {"drawn for the average, by how unsure its score is"}
    table = {"name": "variance-reduction", "goal": "overall"}
    same = simulate(**(options | {"strategy": table}))
    assert found.picks["row"].to_list() == same.picks["row"].to_list()
    mix = pl.DataFrame({"sex": ["F"], "weight": [1.0]})
    mixed = simulate(**(options | {"budget": 20}), goal="mix", mix=mix)
    assert set(ROWS[mixed.picks["row"].to_list()]["sex"]) == {"F"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal": "mix"}, "must be given together; got goal 'mix' and no mix"),
        ({"goal": "worst", "strategy": "random"}, "goal must go with a strategy"),
        ({"goal": "compare", "strategy": "variance-reduction"}, "must have referees"),
        ({"goal": "best", "strategy": "variance-reduction"}, "got 'best'"),
    ],
)
def test_a_goal_that_cannot_be_followed_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        simulate(**options)
