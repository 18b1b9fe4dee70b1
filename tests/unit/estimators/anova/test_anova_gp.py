"""anova-gp: its laws, the finite pool, guessed rows, fractional scores and signals."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.estimators.anova.anova_gp import AnovaGP, Likelihood
from accuracy_assay.runtime.arrays import FloatArray, IntArray

SPACE = AttributeSpace(
    (Attribute("a", values=("p", "q", "r", "s")), Attribute("b", values=("x", "y", "z")))
)
RATE = np.array([0.95, 0.9, 0.6, 0.9, 0.85, 0.5, 0.97, 0.95, 0.7, 0.8, 0.7, 0.3])


def labels(rng: np.random.Generator, n: int = 300) -> tuple[IntArray, FloatArray]:
    arms = rng.integers(0, 12, n)
    return arms, (rng.random(n) < RATE[arms]).astype(float)


def observe(
    arms: IntArray,
    scores: FloatArray,
    size: float | FloatArray = 100.0,
    *,
    is_pool: bool = True,
) -> Observations:
    sizes = np.broadcast_to(size, 12).astype(float)
    support = Support(SPACE, None, np.arange(12), sizes, is_pool)
    one = np.ones(arms.size)
    return Observations.exact(support, arms, one, scores, scores**2)


def fit(observations: Observations, likelihood: Likelihood = "mixture") -> AccuracySurface:
    return AnovaGP(likelihood=likelihood).fit(observations, np.random.default_rng(0))


def test_it_is_closer_than_each_arm_alone(rng: np.random.Generator) -> None:
    arms, scores = labels(rng, 120)
    surface = fit(observe(arms, scores, is_pool=False))
    alone = np.bincount(arms, scores, 12) / np.maximum(np.bincount(arms, minlength=12), 1)
    assert np.mean((surface.mean - RATE) ** 2) < np.mean((alone - RATE) ** 2)


def test_a_large_arm_is_less_likely_to_stand_out_than_a_small_one() -> None:
    arms = np.repeat(np.arange(12), 12)
    right = np.where(arms % 3 == arms // 3, 4, 11)
    scores = (np.arange(144) % 12 < right).astype(float)
    sizes = np.array([1000.0, 80.0, 80.0, 80.0, 40.0] + [80.0] * 7)
    mean = fit(observe(arms, scores, sizes, is_pool=False)).mean
    alike = fit(observe(arms, scores, 80.0, is_pool=False)).mean
    assert alike[0] == pytest.approx(alike[4], abs=1e-6)
    assert mean[4] < mean[0] - 0.01


def test_permuting_values_permutes_the_surface(rng: np.random.Generator) -> None:
    arms, scores = labels(rng)
    plain = fit(observe(arms, scores)).mean.reshape(4, 3)
    order = np.array([2, 0, 3, 1])
    turned = order[arms // 3] * 3 + arms % 3
    permuted = fit(observe(turned, scores)).mean.reshape(4, 3)
    np.testing.assert_allclose(permuted[order], plain, atol=1e-6)


def test_exact_rows_make_both_likelihoods_one(rng: np.random.Generator) -> None:
    observed = observe(*labels(rng))
    np.testing.assert_allclose(fit(observed, "fractional").mean, fit(observed).mean, atol=1e-10)


def test_mixtures_of_certain_rows_equal_the_exact_fit(rng: np.random.Generator) -> None:
    arms, scores = labels(rng)
    exact = observe(arms, scores, is_pool=False)
    # Entries of next to no weight make the rows mixtures in form, and are dropped as negligible.
    columns = np.stack([arms, (arms + 1) % 12], axis=1).reshape(-1)
    weights = np.tile([1.0 - 1e-9, 1e-9], arms.size)
    rows = Affiliation(np.arange(0, 2 * arms.size + 1, 2), columns, weights)
    mixed = Observations.from_instances(exact.support, rows, scores)
    np.testing.assert_allclose(fit(mixed).mean, fit(exact).mean, atol=1e-5)


def blurred(rng: np.random.Generator) -> Observations:
    """Return labels of arms 0..5, always right, and 6..11, always wrong, mistaken one in ten."""
    arms = rng.integers(0, 6, 400)
    truth = rng.random(400) < 0.5
    columns = np.stack([arms, arms + 6], axis=1).reshape(-1)
    sure = np.where(truth, 0.9, 0.1)
    weights = np.stack([sure, 1.0 - sure], axis=1).reshape(-1)
    is_first = rng.random(400) < sure
    rows = Affiliation(np.arange(0, 801, 2), columns, weights)
    support = Support(SPACE, None, np.arange(12), np.full(12, 100.0), is_pool=False)
    return Observations.from_instances(support, rows, is_first.astype(float))


def gap(estimator: AnovaGP, observed: Observations) -> float:
    mean = estimator.fit(observed, np.random.default_rng(0)).mean
    return float(mean[:6].mean() - mean[6:].mean())


def test_one_label_of_a_mixture_is_not_several_labels(rng: np.random.Generator) -> None:
    observed = blurred(rng)
    mixture, split = (
        gap(AnovaGP(likelihood=name, split_share=0.0), observed)
        for name in ("mixture", "fractional")
    )
    assert mixture > split + 0.05
    assert mixture > 0.8


def test_the_mean_moves_towards_split_labels_by_their_share(rng: np.random.Generator) -> None:
    observed = blurred(rng)
    gaps = [gap(AnovaGP(split_share=share), observed) for share in (0.0, 1 / 3, 1.0)]
    assert gaps[0] > gaps[1] + 0.01 > gaps[2] + 0.02


@pytest.mark.parametrize(
    "settings", [{"split_share": 1.5}, {"level": 1.0}, {"likelihood": "mixtures"}]
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises((InputError, UnknownNameError), match=next(iter(settings))):
        AnovaGP(**settings)


def test_an_arm_whose_rows_are_all_labelled_is_known() -> None:
    arms = np.repeat(np.arange(12), 20)
    scores = (np.arange(240) % 20 < 13).astype(float)
    surface = fit(observe(arms, scores, size=20.0))
    np.testing.assert_allclose(surface.mean, 0.65)
    np.testing.assert_allclose(surface.sd, 0.0, atol=1e-12)
    np.testing.assert_allclose(surface.upper - surface.lower, 0.0, atol=1e-12)


def test_the_rate_behind_the_pool_is_less_certain_than_a_labelled_pool() -> None:
    arms = np.repeat(np.arange(12), 19)
    scores = (np.arange(228) % 19 < 15).astype(float)
    pool, population = (fit(observe(arms, scores, 20.0, is_pool=p)) for p in (True, False))
    assert (pool.sd < population.sd).all()


def test_a_later_fit_starts_from_the_one_before(rng: np.random.Generator) -> None:
    arms, scores = labels(rng, 600)
    first = fit(observe(arms[:500], scores[:500]))
    later = AnovaGP().fit(observe(arms, scores), np.random.default_rng(0), first)
    fresh = fit(observe(arms, scores))
    np.testing.assert_allclose(later.mean, fresh.mean, atol=0.01)


def test_fractional_scores_have_narrower_intervals_that_hold(rng: np.random.Generator) -> None:
    held, width = [], []
    for _ in range(12):
        arms = rng.integers(0, 12, 200)
        scores = rng.beta(4.0 * RATE[arms], 4.0 * (1.0 - RATE[arms]))
        surface = fit(observe(arms, scores, is_pool=False))
        held.append((surface.lower <= RATE) & (surface.upper >= RATE))
        width.append(surface.upper - surface.lower)
        coins = fit(observe(arms, (rng.random(200) < RATE[arms]).astype(float), is_pool=False))
        width.append(-(coins.upper - coins.lower))
    assert 0.8 < np.mean(held) < 0.98
    assert np.mean(width) < 0.0


def a_pool(rng: np.random.Generator) -> pl.DataFrame:
    arms = rng.choice(12, 3_000, p=np.arange(1, 13) / 78)
    codes = SPACE.codes(arms)
    correct = (rng.random(3_000) < RATE[arms]).astype(float)
    return pl.DataFrame(
        {
            "a": np.asarray(SPACE.attributes[0].values)[codes[:, 0]],
            "b": np.asarray(SPACE.attributes[1].values)[codes[:, 1]],
            "correct": correct,
            "static": rng.random(3_000),
            "confidence": correct + rng.normal(0.0, 0.6, 3_000),
        }
    )


def errors(rows: pl.DataFrame, signals: list[str] | None, n_seeds: int) -> FloatArray:
    found = [
        aa.simulate(
            rows,
            ["a", "b"],
            "correct",
            signals=signals,
            strategy="random",
            seed_size=200,
            budget=0,
            seed=seed,
        ).metrics["macro_mse"][0]
        for seed in range(n_seeds)
    ]
    return np.asarray(found)


@pytest.mark.slow
def test_noise_costs_little_and_confidence_helps(rng: np.random.Generator) -> None:
    rows = a_pool(rng)
    plain = errors(rows, None, 30)
    assert errors(rows, ["static"], 30).mean() < 1.03 * plain.mean()
    assert errors(rows, ["confidence"], 10).mean() < 0.8 * plain[:10].mean()


def test_the_report_tells_a_useful_signal_from_noise(rng: np.random.Generator) -> None:
    rows = a_pool(rng)
    report = aa.signal_report(
        rows.sample(400, seed=0),
        ["a", "b"],
        "correct",
        pool=rows,
        signals=["static", "confidence"],
    )
    noise, useful = report.rows(named=True)
    assert noise["log_evidence_gain"] < 2.0
    assert useful["log_evidence_gain"] > 20.0
    assert useful["without"] > 1.2 * useful["expected_macro_mse"]


def test_signals_need_an_estimator_that_weighs_them(rng: np.random.Generator) -> None:
    rows = a_pool(rng)
    with pytest.raises(InputError, match="anova-gp"):
        aa.signal_report(
            rows, ["a", "b"], "correct", signals=["static"], estimator="beta-independent"
        )
    with pytest.raises(InputError, match="at least one"):
        aa.signal_report(rows, ["a", "b"], "correct", signals=[])


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_a_label_or_two_tell_nothing_of_arms(score: float) -> None:
    for n in (0, 1, 2, 10):
        arms = np.arange(n) % 12
        surface = fit(observe(arms, np.full(n, score), 1000.0))
        assert not surface.tells_arms_apart
        seen = np.unique(arms)
        assert (surface.status[np.setdiff1d(np.arange(12), seen)] == 1).all()
        overall = surface.overall
        assert overall.upper - overall.lower > {0: 0.8, 1: 0.6, 2: 0.4, 10: 0.1}[n]


def test_the_interval_of_all_arms_is_as_wide_as_the_labels_leave_it(
    rng: np.random.Generator,
) -> None:
    # Wilson's interval of the same labels, widened by half, holds ours; half of it does not.
    arms, scores = labels(rng, 40)
    overall = fit(observe(arms, scores, 1000.0)).overall
    z, p = 1.645, scores.mean()
    wilson = 2.0 * z * np.sqrt(p * (1.0 - p) / 40 + z**2 / (4 * 40**2)) / (1.0 + z**2 / 40)
    assert 0.5 * wilson < overall.upper - overall.lower < 1.5 * wilson


def test_a_judge_of_arms_helps_though_within_them_it_says_nothing(
    rng: np.random.Generator,
) -> None:
    arm = rng.integers(0, 60, 6_000)
    logit = rng.normal(1.0, 1.2, 60)
    correct = (rng.random(6_000) < 1.0 / (1.0 + np.exp(-logit[arm]))).astype(float)
    judge = logit[arm] + rng.normal(0.0, 2.0, 6_000)
    rows = pl.DataFrame({"arm": arm.astype(str), "correct": correct, "judge": judge})
    gold = rows.group_by("arm").agg(pl.col("correct").mean().alias("gold"), pl.len())

    def error(signals: list[str]) -> float:
        labelled = rows[:150]
        surface = aa.estimate(labelled, ["arm"], "correct", pool=rows, signals=signals)
        both = surface.to_frame().join(gold, on="arm")
        return float(((both["mean"] - both["gold"]) ** 2).mean())  # type: ignore[arg-type]

    assert error(["judge"]) < 0.5 * error([])
