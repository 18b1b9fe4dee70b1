"""``estimate``: one call, any table, any size of space."""

import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.domain.judges import JudgeWarning
from accuracy_assay.domain.referees import REFEREES, referee_signal
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.study.read.lacking_pool import PoolWarning

ROWS = pl.DataFrame(
    {
        "id": range(8),
        "sex": ["F", "F", "F", "M", "M", "M", "M", "F"],
        "age": ["old", "old", "young", "old", "old", "young", "young", "young"],
        "correct": [1, 1, 0, 1, 0, 1, 1, 1],
        "label": [1, 0, 1, 1, 0, 1, 0, 1],
        "guess": [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0],
        "sure": [0.9, 0.8, 0.2, 0.7, 0.4, 0.9, 0.8, 0.9],
    }
)


def estimate(
    rows: Any = ROWS, score: str | None = "correct", **options: Any
) -> aa.AccuracySurface:
    options = {"estimator": "beta-independent", "attributes": ["sex", "age"], **options}
    return aa.estimate(rows, score=score, **options)


def test_counts_are_those_of_the_rows() -> None:
    surface = estimate()
    assert surface.to_frame().select("sex", "age", "n", "correct", "support").rows() == [
        ("F", "old", 2.0, 2.0, 2.0),
        ("F", "young", 2.0, 1.0, 2.0),
        ("M", "old", 2.0, 1.0, 2.0),
        ("M", "young", 2.0, 2.0, 2.0),
    ]


@pytest.mark.parametrize("kind", ["pandas", "lazy", "arrow", "csv", "jsonl", "parquet"])
def test_every_kind_of_table_gives_the_same_surface(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rows.{kind}"
    writers = {
        "csv": ROWS.write_csv,
        "jsonl": ROWS.write_ndjson,
        "parquet": ROWS.write_parquet,
    }
    frames = {"pandas": ROWS.to_pandas, "lazy": ROWS.lazy, "arrow": ROWS.to_arrow}
    if kind in writers:
        writers[kind](path)
    rows = str(path) if kind in writers else frames[kind]()
    assert estimate(rows).rows_at(np.arange(4)).equals(estimate().to_frame())


def test_truth_and_prediction_stand_in_for_the_score() -> None:
    by_label = estimate(score=None, y_true="label", y_pred="guess")
    assert by_label.correct.tolist() == [2.0, 1.0, 1.0, 2.0]


def test_the_order_of_rows_does_not_matter(rng: np.random.Generator) -> None:
    mixed = ROWS[rng.permutation(ROWS.height)]
    assert estimate(mixed).to_frame().equals(estimate().to_frame())


def test_fractional_scores_keep_their_sum_and_square() -> None:
    seen: list[Any] = []

    class Spy:
        """An estimator that keeps what it was given."""

        def fit(self, observations: Any, rng: Any, previous: Any = None) -> aa.AccuracySurface:
            seen.append(observations)
            return aa.AccuracySurface.build(observations, mean=0.5, sd=0.1, lower=0, upper=1)

    rows = ROWS.with_columns(correct=pl.Series([0.5, 1.0, 0, 1, 0, 1, 1, 1.0]))
    estimate(rows, estimator=Spy())
    estimate(ROWS, estimator=Spy())
    assert seen[0].score.tolist() == [1.5, 1.0, 1.0, 2.0]
    assert seen[0].score_sq.tolist() == [1.25, 1.0, 1.0, 2.0]
    assert seen[1].score_sq.tolist() == seen[1].score.tolist()
    assert seen[0].prior_strength == 0.1
    assert not seen[0].support.is_pool


def test_a_pool_defines_the_space_and_the_support() -> None:
    pool = pl.concat([ROWS, ROWS.with_columns(age=pl.lit("ancient"))], how="vertical")
    surface = estimate(pool=pool)
    frame = surface.to_frame()
    assert frame.height == 6
    assert frame.get_column("support").to_list() == [4.0, 2.0, 2.0, 4.0, 2.0, 2.0]
    assert frame.get_column("n").to_list() == [0.0, 2.0, 2.0, 0.0, 2.0, 2.0]


def test_labels_outside_the_pool_are_not_lost() -> None:
    pool = ROWS.filter(pl.col("sex") == "F")
    with pytest.warns(PoolWarning, match=r"lacks 4 of 8, such as those of sex=M"):
        surface = estimate(pool=pool)
    assert surface.n_labels == 8.0
    assert surface.support.tolist() == [2.0, 2.0, 2.0, 2.0]
    assert surface.worst().height == 4


def test_declared_attributes_keep_their_values_and_order() -> None:
    age = aa.Attribute("age", ("young", "old", "ancient"), kind="ordinal")
    surface = estimate(attributes=["sex", age])
    assert surface.space.attribute("age") == age
    assert surface.to_frame().get_column("status").to_list().count("not in pool") == 2


def test_numbers_are_binned_at_the_edges() -> None:
    sure = aa.Attribute("sure", kind="continuous", edges=(0.5,))
    assert estimate(attributes=[sure]).n.tolist() == [2.0, 6.0]


def test_signals_are_averaged_out() -> None:
    surface = estimate(signals=["sure"])
    assert surface.space.names == ("sex", "age")
    assert surface.n.tolist() == [2.0] * 4


@pytest.mark.parametrize("name", ["score", "__n", "count", "sum", "literal", "len"])
def test_an_attribute_may_have_any_name(name: str) -> None:
    rows = ROWS.rename({"age": name})
    surface = estimate(rows, attributes=["sex", name])
    assert surface.space.names == ("sex", name)
    assert surface.n.tolist() == [2.0] * 4


def test_the_input_frame_is_left_as_it_was() -> None:
    before = ROWS.clone()
    pandas = ROWS.to_pandas()
    estimate(pandas)
    estimate()
    assert ROWS.equals(before)
    assert pandas.equals(before.to_pandas())


def test_a_billion_arms_cost_no_more_than_the_rows(rng: np.random.Generator) -> None:
    names = [f"a{k}" for k in range(9)]
    ten = [aa.Attribute(name, tuple(range(10))) for name in names]
    table = {name: rng.integers(0, 10, 2000) for name in names}
    rows = pl.DataFrame(table).with_columns(correct=pl.Series(rng.random(2000)))
    tracemalloc.start()
    surface = estimate(rows, attributes=ten)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert surface.space.n_arms == 10**9
    assert 1900 < surface.arms.size <= 2000
    assert surface.n_labels == 2000.0
    assert surface.marginal("a0").height == 10
    assert surface.under(rows).mean == pytest.approx(surface.overall.mean)
    assert peak < 20e6


def test_a_seed_decides_everything() -> None:
    assert estimate(seed=3).to_frame().equals(estimate(seed=3).to_frame())


def test_an_arm_outside_the_pool_is_listed_and_least_certain() -> None:
    age = aa.Attribute("age", ("young", "old", "ancient"), kind="ordinal")
    rows = pl.concat([ROWS] * 5)
    frame = estimate(rows, attributes=["sex", age], estimator="anova-gp").to_frame()
    is_outside = frame["age"] == "ancient"
    outside, seen = frame.filter(is_outside), frame.filter(~is_outside)
    assert outside.height == 2
    assert outside.select("n", "correct", "support").sum().row(0) == (0.0, 0.0, 0.0)
    assert set(outside["status"]) == {"not in pool"}
    assert "not in pool" not in set(seen["status"])
    widths = [part["upper"] - part["lower"] for part in (outside, seen)]
    assert widths[0].min() > widths[1].max()
    assert outside["sd"].min() > seen["sd"].max()


def with_guesses(n: int = 120) -> pl.DataFrame:
    """Return rows whose sex is guessed, rightly in three of four, and whose digit is the label."""
    rng = np.random.default_rng(11)
    sex = rng.choice(["F", "M"], n)
    sure = rng.uniform(0.6, 0.95, n)
    p_true = np.where(rng.random(n) < 0.75, sure, 1.0 - sure)
    p_f = np.where(sex == "F", p_true, 1.0 - p_true)
    return pl.DataFrame(
        {
            "sex": sex,
            "age": rng.choice(["old", "young"], n),
            "digit": rng.integers(0, 3, n),
            "p_sex__F": p_f,
            "p_sex__M": 1.0 - p_f,
            "sure": rng.random(n),
            "correct": (rng.random(n) < 0.7).astype(float),
        }
    )


GUESSED = with_guesses()
PATTERN = {"sex": "p_sex__*"}
MOST_PROBABLE = pl.when(pl.col("p_sex__F") > 0.5).then(pl.lit("F")).otherwise(pl.lit("M"))


def estimate_guessed(rows: pl.DataFrame = GUESSED, **options: Any) -> aa.AccuracySurface:
    return estimate(rows, **{"evidence": PATTERN, "calibration": "raw"} | options)


@pytest.mark.parametrize("estimator", ["beta-independent", "anova-gp"])
@pytest.mark.parametrize("use_pool", [False, True])
def test_evidence_without_doubt_is_an_exact_column(estimator: str, use_pool: bool) -> None:
    certain = GUESSED.with_columns(
        p_sex__F=(pl.col("sex") == "F").cast(pl.Float64),
        p_sex__M=(pl.col("sex") == "M").cast(pl.Float64),
    )
    options: dict[str, Any] = {"estimator": estimator, "pool": certain if use_pool else None}
    exact = estimate(certain[:80], **options).to_frame()
    guessed = estimate_guessed(certain[:80], **options).to_frame()
    without_gold = estimate_guessed(certain[:80].drop("sex"), **options).to_frame()
    assert_frame_equal(guessed, exact, abs_tol=1e-9)
    assert_frame_equal(without_gold, exact, abs_tol=1e-9)


def test_gold_takes_the_place_of_the_guess_in_the_rows_that_have_it() -> None:
    some = pl.when(pl.int_range(pl.len()) % 3 > 0).then("sex")
    known = GUESSED.with_columns(sex=some)
    by_hand = GUESSED.with_columns(sex=pl.coalesce(some, MOST_PROBABLE))
    counts = ["sex", "age", "n", "correct"]
    assert_frame_equal(
        estimate_guessed(known).to_frame().select(counts),
        estimate(by_hand).to_frame().select(counts),
    )
    assert not by_hand["sex"].equals(GUESSED["sex"])


def test_without_a_gold_column_values_are_read_off_the_pattern() -> None:
    surface = estimate_guessed(GUESSED.drop("sex"))
    assert surface.space.attribute("sex").values == ("F", "M")
    by_hand = estimate(GUESSED.with_columns(sex=MOST_PROBABLE))
    assert surface.n.tolist() == by_hand.n.tolist()


def test_gold_of_one_value_alone_leaves_the_others_to_the_guesses() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)  # of how little such gold teaches
        surface = estimate_guessed(GUESSED.filter(sex="F"), pool=GUESSED.drop("sex"))
    assert surface.space.attribute("sex").values == ("F", "M")
    assert surface.at(sex="M").n == 0.0


def test_a_pool_needs_no_gold_and_its_guesses_give_the_support() -> None:
    labelled, pool = GUESSED[:40], GUESSED.drop("sex", "correct")
    surface = estimate_guessed(labelled, pool=pool)
    assert surface.n.tolist() == estimate(labelled).n.tolist()
    guesses = estimate(GUESSED.with_columns(sex=MOST_PROBABLE))
    assert surface.support.tolist() == guesses.support.tolist()


def test_rows_with_gold_teach_the_calibration() -> None:
    taught = estimate_guessed(GUESSED[:80], pool=GUESSED, calibration="temperature")
    n_pool = float(GUESSED.height)
    assert taught.support.sum() == pytest.approx(n_pool)
    assert taught.n.tolist() == estimate(GUESSED[:80]).n.tolist()
    raw = estimate_guessed(GUESSED[:80], pool=GUESSED)
    assert not np.allclose(taught.support, raw.support)  # guesses are shared, not taken as true


def test_what_the_label_reveals_needs_no_column_in_the_pool() -> None:
    options = {"attributes": ["age", "digit"], "from_label": ["digit"], "evidence": None}
    surface = estimate_guessed(GUESSED[:60], pool=GUESSED.drop("digit"), **options)
    by_hand = estimate(GUESSED[:60], attributes=["age", "digit"])
    assert surface.n.tolist() == by_hand.n.tolist()
    assert surface.correct.tolist() == by_hand.correct.tolist()
    young = estimate(GUESSED, attributes=["age"]).support
    assert surface.marginal("age")["support"].to_list() == pytest.approx(young.tolist())
    with pytest.raises(UnknownNameError, match="got 'digit'"):
        estimate_guessed(GUESSED[:60].drop("digit"), pool=GUESSED, **options)


def test_without_a_pool_what_the_label_reveals_is_exact() -> None:
    options = {"attributes": ["age", "digit"], "from_label": ["digit"], "evidence": None}
    surface = estimate_guessed(**options)
    assert_frame_equal(
        surface.to_frame(), estimate(GUESSED, attributes=["age", "digit"]).to_frame()
    )


@pytest.mark.parametrize(
    "options",
    [{"evidence": {"sexx": "p_sex__*"}}, {"evidence": None, "from_label": ["sure"]}],
)
def test_a_guess_of_no_attribute_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError, match=r"attribute .* got '(sexx|sure)'"):
        estimate_guessed(**options)


def test_a_pattern_that_no_column_matches_is_refused() -> None:
    with pytest.raises(InputError, match="sex"):
        estimate_guessed(evidence={"sex": "q_sex__*"})


def test_signals_beside_guesses_divide_no_arm() -> None:
    is_gold = pl.int_range(pl.len()) < 60
    rows = GUESSED.with_columns(sex=pl.when(is_gold).then("sex"))
    surface = estimate_guessed(rows, signals=["sure"], estimator="anova-gp")
    assert surface.n_labels == 120.0
    assert isinstance(surface.memory, AnovaModel)
    assert surface.memory.support.strata is None
    assert surface.memory.support.opinion is not None


@pytest.mark.parametrize("signals", [None, ["sure"]])
@pytest.mark.parametrize("estimator", ["beta-independent", "anova-gp"])
def test_exact_rows_give_the_surface_that_a_simulation_starts_from(
    estimator: str, signals: list[str] | None
) -> None:
    options: dict[str, Any] = {"estimator": estimator, "signals": signals}
    start = aa.simulate(
        GUESSED, ["sex", "age"], "correct", seed_size=40, budget=0, seed=3, **options
    ).surface
    seed_rows = np.random.default_rng(3).spawn(4)[0].permutation(GUESSED.height)[:40]
    alone = estimate(GUESSED[seed_rows], pool=GUESSED, **options)
    assert_frame_equal(alone.to_frame(), start.to_frame(), abs_tol=1e-9)


@pytest.mark.parametrize("evidence", [PATTERN, None])
def test_guessed_rows_give_the_surface_of_a_simulation_that_labels_them_all(
    evidence: dict[str, str] | None,
) -> None:
    from_label = [] if evidence else ["digit"]
    options: dict[str, Any] = {
        "attributes": ["sex", "digit"],
        "evidence": evidence,
        "from_label": from_label,
        "calibration": "raw",
        "target": "pool",
        "estimator": "beta-independent",
    }
    start = aa.simulate(GUESSED, score="correct", seed_size=120, budget=0, **options).surface
    assert_frame_equal(estimate(GUESSED, **options).to_frame(), start.to_frame())


@pytest.mark.parametrize("seed", [-1, 0.5, "0", None])
def test_a_seed_that_is_none_is_refused_with_its_value(seed: Any) -> None:
    with pytest.raises(InputError, match=r"^seed must be a whole number from 0; got "):
        estimate(GUESSED, attributes=["sex"], estimator="constant", seed=seed)


def test_rows_without_a_score_are_rows_of_the_pool() -> None:
    rows = pl.DataFrame(
        {
            "a": ["x", "x", "y", "y", "y", "z"],
            "score": [1.0, 0.0, 1.0, None, None, None],
            "y_true": ["1", "0", "1", None, None, None],
            "y_pred": [1, 1, 1, 1, 0, 0],
        }
    )
    mixed = aa.estimate(rows, ["a"], score="score", estimator="beta-independent")
    apart = aa.estimate(rows[:3], ["a"], score="score", pool=rows, estimator="beta-independent")
    assert mixed.to_frame().equals(apart.to_frame())
    assert mixed.support.tolist() == [2, 3, 1]
    by_label = aa.estimate(rows, ["a"], y_true="y_true", y_pred="y_pred", estimator="constant")
    assert (by_label.n_labels, by_label.correct.sum()) == (3, 2)


def test_rows_of_which_none_has_a_score_are_refused() -> None:
    rows = pl.DataFrame(
        {"a": ["x", "y"], "score": [None, None]}, schema_overrides={"score": pl.Float64}
    )
    with pytest.raises(InputError, match="'score' must have a value in some row; got 2 rows"):
        aa.estimate(rows, ["a"], score="score")


def test_a_missing_attribute_is_a_value_or_a_guess_as_the_user_says(
    rng: np.random.Generator,
) -> None:
    sex = np.where(rng.random(400) < 0.2, None, rng.choice(["f", "m"], 400))
    rows = pl.DataFrame({"sex": sex, "light": rng.choice(["day", "night"], 400), "score": 1.0})
    options = {"score": "score", "estimator": "beta-independent", "calibration": "temperature"}
    with pytest.raises(InputError, match=r'Set missing = "value" .* missing = "guess"'):
        aa.estimate(rows, ["sex", "light"], **options)
    own = aa.Attribute("sex", ("f", "m"), missing="value")
    known = aa.estimate(rows, [own, "light"], **options).marginal("sex")
    assert known["sex"].to_list() == ["f", "m", "(missing)"]
    assert known["n"].to_list() == [(rows["sex"] == v).sum() for v in ("f", "m")] + [
        rows["sex"].null_count()
    ]
    unsure = aa.Attribute("sex", ("f", "m"), missing="guess")
    guessed = aa.estimate(rows, [unsure, "light"], **options).marginal("sex")
    assert guessed["sex"].to_list() == ["f", "m"]
    assert guessed["n"].sum() == pytest.approx(400)
    assert (guessed["n"] > known["n"][:2]).all()


@pytest.mark.parametrize("estimator", ["beta-independent", "constant", "eb-regression"])
def test_estimators_without_clusters_leave_them_aside(estimator: str) -> None:
    rows = ROWS.with_columns(who=pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    without = estimate(rows, estimator=estimator, pool=rows)
    surface = estimate(rows, estimator=estimator, pool=rows, cluster="who")
    assert_frame_equal(surface.to_frame(), without.to_frame())


def test_rows_may_bring_clusters_that_the_pool_has_not() -> None:
    pool = ROWS.with_columns(who=pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    rows = pool[:2].with_columns(who=pl.lit("ann"))
    with pytest.warns(PoolWarning, match="lacks 2 of 2"):
        assert estimate(rows, pool=pool, cluster="who").n_labels == 2


@pytest.mark.parametrize("table", ["rows", "pool"])
def test_a_cluster_that_a_table_lacks_is_named(table: str) -> None:
    tables = {"rows": ROWS.with_columns(who=pl.int_range(8)), "pool": ROWS}
    tables["pool"] = tables["rows"]
    with pytest.raises(UnknownNameError, match="got 'who'"):
        estimate(**tables | {table: ROWS}, cluster="who")
    empty = tables["rows"].with_columns(who=pl.lit(None))
    with pytest.raises(InputError, match="cluster 'who' must be known for every row; got 8"):
        estimate(**tables | {table: empty}, cluster="who")


N_CLUSTERS, ROWS_OF_CLUSTER, N_LABELLED, LABELS_OF_CLUSTER = 30, 20, 10, 15


def of_clusters(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a pool whose clusters differ, and labels of a third of them.

    Clusters deviate by 1.5 on the logit scale, about 0.24 in accuracy. The average of ten of
    thirty then deviates by 0.06, twice as much as that of 150 independent labels.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(N_CLUSTERS), ROWS_OF_CLUSTER)
    a, b = rng.integers(2, size=(2, who.size))
    logit = 0.8 + 0.5 * a + rng.normal(0.0, 1.5, N_CLUSTERS)[who]
    right = (rng.random(who.size) < 1.0 / (1.0 + np.exp(-logit))).astype(float)
    any_of = rng.integers(N_CLUSTERS, size=who.size)
    pool = pl.DataFrame({"a": a, "b": b, "who": who, "any": any_of, "right": right})
    seen = rng.choice(N_CLUSTERS, N_LABELLED, replace=False)
    rows = [rng.choice(np.flatnonzero(who == w), LABELS_OF_CLUSTER, replace=False) for w in seen]
    return pool, pool[np.concatenate(rows)]


def held(cluster: str | None, n_draws: int) -> float:
    """Return how often the interval of the overall accuracy holds that of the pool."""
    n_held = 0
    for seed in range(n_draws):
        pool, labelled = of_clusters(seed)
        found = aa.estimate(labelled, ["a", "b"], "right", pool=pool, cluster=cluster).overall
        n_held += found.lower <= pool["right"].mean() <= found.upper
    return n_held / n_draws


@pytest.mark.slow
def test_labels_of_few_clusters_give_intervals_that_hold_only_if_it_is_said() -> None:
    # Two standard errors of 20 draws below 90 %, and above the 55 % that the sizes make of it.
    assert held("who", 20) >= 0.76
    assert held(None, 20) <= 0.77


def test_clusters_that_mean_nothing_cost_little() -> None:
    error: dict[str | None, float] = {None: 0.0, "any": 0.0}
    for seed in range(8):
        pool, _ = of_clusters(seed)
        labelled = pool.sample(150, seed=seed)
        gold = pool.group_by("a", "b").agg(pl.col("right").mean()).sort("a", "b")["right"]
        for cluster in error:
            found = aa.estimate(labelled, ["a", "b"], "right", pool=pool, cluster=cluster)
            error[cluster] += float(((found.mean - gold.to_numpy()) ** 2).mean())
    assert error["any"] <= 1.03 * error[None]


def test_the_rate_over_clusters_is_less_certain_than_over_those_of_the_pool() -> None:
    # Of 10 of 30 clusters the mean over all varies by sqrt(1 / (1 - 10 / 30)) as much, 1.22.
    pool, labelled = of_clusters(0)
    own, every = (
        aa.estimate(labelled, ["a", "b"], "right", pool=pool, cluster="who", target=target).overall
        for target in ("pool", "population")
    )
    assert 1.05 < (every.upper - every.lower) / (own.upper - own.lower) < 1.4


def test_the_rate_over_clusters_holds_what_a_clustered_standard_error_would() -> None:
    # Thirty clusters of twenty rows in all arms: the error of the mean is that between clusters.
    _, rows = of_clusters(1), of_clusters(1)[0]
    mean = rows.group_by("who").agg(pl.col("right").mean())["right"]
    by_hand = 2 * 1.645 * float(mean.std()) / N_CLUSTERS**0.5
    overall = aa.estimate(rows, ["a", "b"], "right", cluster="who").overall
    assert overall.mean == pytest.approx(rows["right"].mean(), abs=0.02)
    assert overall.upper - overall.lower == pytest.approx(by_hand, rel=0.15)


REFEREED = ROWS.with_columns(
    ibm=pl.Series([1, 0, 1, 1, 0, 0, 0, 1]), acme=pl.Series([1, 1, 0, 1, 1, 1, 1, 0])
)


def test_referees_are_the_signal_of_who_agrees() -> None:
    said = {name: REFEREED[name] for name in ("ibm", "acme")}
    rows = REFEREED.with_columns(referee_signal(REFEREED["guess"], said))
    options: dict[str, Any] = {"estimator": "anova-gp", "pool": rows}
    by_hand = estimate(rows[:6], signals=["sure", REFEREES], **options)
    found = estimate(
        REFEREED[:6],
        signals=["sure"],
        y_pred="guess",
        referees=["ibm", "acme"],
        **options | {"pool": REFEREED},
    )
    assert_frame_equal(found.to_frame(), by_hand.to_frame())
    mean = f"mean of {REFEREES} over the arm"
    assert found.details["alone_variance"].keys() == {"sex", "age", "sure", REFEREES, mean}
    without = estimate(REFEREED[:6], signals=["sure"], **options)
    assert not found.to_frame().equals(without.to_frame())


def test_referees_go_with_a_truth_as_well_and_rows_without_one_are_pool() -> None:
    rows = REFEREED.with_columns(label=pl.Series([1, 0, 1, 1, None, None, 0, None]))
    found = estimate(rows, None, y_true="label", y_pred="guess", referees=["ibm"])
    assert found.n_labels == 5.0
    assert found.support.sum() == 8.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"referees": ["ibm"]}, "referees must have a prediction"),
        ({"referees": ["guess"], "y_pred": "guess"}, "which is the prediction itself"),
        ({"referees": ["sex"], "y_pred": "guess"}, "which is an attribute"),
        ({"referees": ["correct"], "y_pred": "guess"}, "which is the score"),
        ({"referees": ["nobody"], "y_pred": "guess"}, "got 'nobody'"),
        ({"referees": ["ibm"], "y_pred": "guess", "pool": ROWS}, "of pool .*got 'ibm'"),
    ],
)
def test_what_cannot_be_a_referee_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate(REFEREED, **options)


def test_the_truth_is_no_referee() -> None:
    with pytest.raises(InputError, match="got 'label', which is the truth"):
        estimate(REFEREED, None, y_true="label", y_pred="guess", referees=["label"])


JUDGED = ROWS.with_columns(judge=pl.Series([0.9, 0.8, 0.2, 0.7, 0.4, 0.6, 0.8, 0.9]))


def test_judges_are_signals() -> None:
    options: dict[str, Any] = {"estimator": "anova-gp", "pool": JUDGED}
    found = estimate(JUDGED, signals=["sure"], judges=["judge"], **options)
    stars = pl.Enum(["0.2", "0.4", "0.6", "0.7", "0.8", "0.9"])
    ordered = JUDGED.with_columns(pl.col("judge").cast(pl.String).cast(stars))
    by_hand = estimate(ordered, signals=["sure", "judge"], **options | {"pool": ordered})
    assert_frame_equal(found.to_frame(), by_hand.to_frame())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judges": "judge"}, "judges must be a list of columns"),
        ({"judges": ["correct"]}, "got 'correct', which is the score"),
        ({"judges": ["nobody"]}, "column of a judge in rows .*got 'nobody'"),
        ({"judges": ["judge"], "pool": ROWS}, "column of a judge in pool .*got 'judge'"),
        ({"judges": ["silent"]}, "an opinion on some of the rows; got none"),
        ({"judges": ["judge"], "signals": ["judge"]}, "which is a signal"),
    ],
)
def test_what_cannot_be_a_judge_is_refused(options: dict[str, Any], message: str) -> None:
    rows = JUDGED.with_columns(silent=pl.lit(None, pl.Float64))
    with pytest.raises(InputError, match=message):
        estimate(rows, **options)


def test_a_judge_beyond_the_labels_is_warned_of() -> None:
    pool = pl.concat([JUDGED, JUDGED.with_columns(judge=pl.lit(0.99))])
    with pytest.warns(JudgeWarning, match="judge 'judge': 50% of the pool rows"):
        estimate(JUDGED, judges=["judge"], pool=pool, estimator="anova-gp")


def test_the_form_of_answers_is_a_signal() -> None:
    rng = np.random.default_rng(0)
    names = [f"person {i}" for i in range(200)]
    is_open = rng.random(200) < 0.4
    rows = pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 200),
            "said": np.where(is_open, rng.choice(["unknown", "not known"], 200), names),
            "correct": (rng.random(200) < np.where(is_open, 0.1, 0.95)).astype(float),
        }
    )
    given: dict[str, Any] = {"attributes": ["sex"], "score": "correct", "pool": rows}
    found = aa.estimate(rows[:60], y_pred="said", answer_form=True, **given)
    by_hand = aa.estimate(
        rows[:60].with_columns(declines=pl.Series(is_open[:60])),
        signals=["declines"],
        **given | {"pool": rows.with_columns(declines=pl.Series(is_open))},
    )
    assert_frame_equal(found.to_frame(), by_hand.to_frame(), rel_tol=1e-4)
    assert found.expected_macro_mse < 0.7 * aa.estimate(rows[:60], **given).expected_macro_mse
    with pytest.raises(InputError, match="answer_form must have a prediction"):
        aa.estimate(rows, answer_form=True, **given)


def test_a_surface_says_of_whom_and_by_what_it_was_made() -> None:
    known = estimate(score=None, y_true="label", y_pred="guess", seed=3).details["provenance"]
    assert (known["service"], known["seed"], known["version"]) == ("guess", 3, aa.__version__)
    assert len(known["made"]) == len("2026-01-31")
    assert "service" not in estimate().details["provenance"]


@pytest.fixture
def known_pool(rng: np.random.Generator) -> pl.DataFrame:
    """Items of two topics, the scores of ten earlier services, and those of a new one."""
    n = 3_000
    ease = rng.normal(0.0, 2.0, n)

    def scores() -> Any:
        return (rng.random(n) < 1.0 / (1.0 + np.exp(-ease))).astype(float)

    earlier = {f"old{k}": scores() for k in range(10)}
    noise = {f"noise{k}": (rng.random(n) < 0.5).astype(float) for k in range(10)}
    topic = rng.choice(["sums", "words"], n)
    return pl.DataFrame({"topic": topic, "right": scores(), **earlier, **noise})


def _mean_width(pool: pl.DataFrame, history: list[str]) -> float:
    """Return the mean width of the overall interval over eight draws of 150 labels."""
    widths = []
    for seed in range(8):
        at = np.random.default_rng(seed).permutation(pool.height)[:150]
        given = {"pool": pool, "history": history}
        whole = aa.estimate(pool[at], ["topic"], "right", **given).overall
        widths.append(whole.upper - whole.lower)
    return float(np.mean(widths))


def test_a_telling_history_narrows_and_one_of_noise_changes_little(
    known_pool: pl.DataFrame,
) -> None:
    alone = _mean_width(known_pool, [])
    assert _mean_width(known_pool, [f"old{k}" for k in range(10)]) < 0.9 * alone
    noise = _mean_width(known_pool, [f"noise{k}" for k in range(10)])
    assert noise == pytest.approx(alone, rel=0.05)


def test_a_history_of_parquet_that_streams_is_that_of_a_frame(
    known_pool: pl.DataFrame, tmp_path: Path
) -> None:
    known_pool.with_columns(old1=pl.when(pl.col("old0") == 1.0).then("old1")).write_parquet(
        tmp_path / "pool.parquet"
    )
    pool = pl.read_parquet(tmp_path / "pool.parquet")
    given = {"attributes": ["topic"], "score": "right", "history": ["old0", "old1", "old2"]}
    streamed = aa.estimate(pool[:100], pool=tmp_path / "pool.parquet", **given)
    assert streamed.to_frame().equals(aa.estimate(pool[:100], pool=pool, **given).to_frame())


def test_the_score_of_the_service_is_no_history(known_pool: pl.DataFrame) -> None:
    copied = known_pool.with_columns(copy=pl.col("right"))
    with pytest.raises(InputError, match="history 'copy' must hold the scores of another"):
        aa.estimate(copied, ["topic"], "right", history=["copy"])
