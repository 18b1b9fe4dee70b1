"""Paired differences: exact where all is labelled, symmetric, and surer than two surfaces."""

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.observations import Observations
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.study.compare.differences import IndependentDifferences, PairedDifferences
from accuracy_assay.study.compare.pair import Pair, differing_answers, sides_taken
from accuracy_assay.study.compare.paired_fit import PairedFit, differences_of
from accuracy_assay.study.read.arms import Arms

N = 400


def make_pool(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.choice(list("abcd"), N)

    def answers(accuracy: float) -> list[str]:
        return np.where(rng.random(N) < accuracy, truth, rng.choice(list("abcd"), N)).tolist()

    said = {name: answers(a) for name, a in {"good": 0.9, "poor": 0.7, "third": 0.8}.items()}
    return pl.DataFrame({"sex": rng.choice(["F", "M"], N), "truth": truth, **said})


POOL = make_pool()


def surface_of(labelled: list[int], service: str = "good") -> aa.AccuracySurface:
    rows = POOL[labelled]
    options = {"y_true": "truth", "y_pred": service, "pool": POOL}
    return aa.estimate(rows, ["sex"], estimator="beta-independent", **options)


def scores(service: str) -> FloatArray:
    return (POOL[service] == POOL["truth"]).cast(pl.Float64).to_numpy()


def paired(
    labelled: list[int],
    first: str = "good",
    second: str = "poor",
    *,
    is_pool: bool = True,
    use_answers: bool = True,
    scale: float = 1.0,
) -> PairedDifferences:
    """Return the differences from labels of some rows of the pool."""
    rows = np.asarray(labelled)
    difference = scale * (scores(first) - scores(second))[rows]
    is_open = differing_answers(POOL[first], POOL[second]) if use_answers else np.ones(N, bool)
    third = [POOL["third"]] if use_answers else []
    pair = Pair(rows, difference, is_open, sides_taken(POOL[first], POOL[second], third))
    surface = surface_of(labelled)
    codes = surface.space.encode(POOL)
    fit = PairedFit(Arms.exact(surface.space, codes, N), BetaIndependent(), 0, is_pool)
    return differences_of(pair, fit, surface)


def truth_of(first: str = "good", second: str = "poor") -> list[float]:
    away = scores(first) - scores(second)
    return [float(away[(POOL["sex"] == sex).to_numpy()].mean()) for sex in ("F", "M")]


EVERY = list(range(N))
SOME = list(range(0, N, 4))


def test_a_pool_that_is_labelled_has_its_exact_difference() -> None:
    found = paired(EVERY)
    assert found.mean == pytest.approx(truth_of())
    assert np.stack(found.interval) == pytest.approx(np.stack([truth_of()] * 2))
    assert found.sd == pytest.approx(0.0)


def test_scores_in_between_are_exact_there_too() -> None:
    found = paired(EVERY, scale=0.5)
    assert found.mean == pytest.approx(0.5 * np.asarray(truth_of()), abs=0.03)


def test_an_open_row_that_is_labelled_is_enough() -> None:
    is_open = differing_answers(POOL["good"], POOL["poor"])
    found = paired(np.flatnonzero(is_open).tolist())
    assert found.mean == pytest.approx(truth_of())
    assert found.sd == pytest.approx(0.0)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    held = 0
    for seed in range(20):
        pool = make_pool(seed)
        found = aa.compare(
            pool[SOME],
            ["sex"],
            services=["good", "poor"],
            y_true="truth",
            pool=pool,
            estimator="beta-independent",
        ).better("good", "poor")
        away = pool.select("sex", d=sum_of_scores(pool, "good") - sum_of_scores(pool, "poor"))
        gold = away.group_by("sex").agg(pl.col("d").mean()).sort("sex")["d"]
        held += int(((found["lower"] <= gold) & (gold <= found["upper"])).sum())
    # Of 40 intervals of 90 % fewer than 30 hold once in ten thousand times.
    assert held >= 30


def sum_of_scores(pool: pl.DataFrame, service: str) -> pl.Series:
    return (pool[service] == pool["truth"]).cast(pl.Float64)


def test_differences_are_surer_than_those_of_two_surfaces() -> None:
    lower, upper = paired(SOME).interval
    alone = IndependentDifferences(surface_of(SOME), surface_of(SOME, "poor"))
    wide = alone.interval[1] - alone.interval[0]
    assert (upper - lower < 0.9 * wide).all()


def test_a_service_is_no_better_than_itself() -> None:
    found = paired(SOME, "good", "good")
    assert (found.mean.tolist(), found.sd.tolist()) == ([0.0, 0.0], [0.0, 0.0])
    assert found.probability.tolist() == [0.5, 0.5]


def test_swapped_services_have_the_opposite_difference() -> None:
    found, swapped = paired(SOME), paired(SOME, "poor", "good")
    assert swapped.mean == pytest.approx(-found.mean)
    # Draws differ: the standard error of a share of 2,048 is 0.01.
    assert swapped.probability == pytest.approx(1.0 - found.probability, abs=0.06)


def test_answers_make_differences_surer_than_scores_alone() -> None:
    with_answers, without = paired(SOME), paired(SOME, use_answers=False)
    assert (with_answers.sd < without.sd).all()


def test_the_rate_behind_the_pool_is_not_known_for_sure() -> None:
    found = paired(EVERY, is_pool=False)
    assert found.mean == pytest.approx(truth_of(), abs=0.02)
    assert (found.sd > 0.0).all()


def test_without_labels_nobody_is_better() -> None:
    is_closed = ~differing_answers(POOL["good"], POOL["poor"])
    found = paired(np.flatnonzero(is_closed)[:5].tolist())
    assert found.mean == pytest.approx(0.0, abs=1e-9)
    assert found.probability == pytest.approx(0.5, abs=0.1)


@dataclass
class Hopeful:
    """Expects three of four to be right, and notes how many clusters it is shown."""

    n_clusters: list[int] = field(default_factory=list)

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: aa.AccuracySurface | None = None,
    ) -> aa.AccuracySurface:
        self.n_clusters.append(observations.support.n_clusters)
        counts = observations.per_arm().on(observations.support.listed_arms)
        mean = (counts.correct + 3.0) / (counts.n + 4.0)
        sd = np.sqrt(mean * (1.0 - mean) / (counts.n + 5.0))
        return aa.AccuracySurface.build(observations, mean=mean, sd=sd, lower=0.0, upper=1.0)


def test_no_estimator_takes_sides_before_it_sees_labels() -> None:
    is_open = differing_answers(POOL["good"], POOL["poor"])
    pair = Pair(np.flatnonzero(~is_open)[:2], np.zeros(2), is_open)
    surface = surface_of(SOME)
    arms = Arms.exact(surface.space, surface.space.encode(POOL), N)
    found = differences_of(pair, PairedFit(arms, Hopeful()), surface)
    assert found.mean == pytest.approx(0.0, abs=1e-9)


def test_clusters_reach_the_estimator_and_rows_are_not_taken_as_independent() -> None:
    is_open = differing_answers(POOL["good"], POOL["poor"])
    pair = Pair(np.asarray(SOME), (scores("good") - scores("poor"))[SOME], is_open)
    surface, hopeful = surface_of(SOME), Hopeful()
    arms = Arms.exact(surface.space, surface.space.encode(POOL), N)
    speaker = pl.Series("speaker", [f"s{i % 20}" for i in range(N)])
    found = differences_of(pair, PairedFit(arms, hopeful, cluster=speaker), surface)
    assert set(hopeful.n_clusters) == {20}
    assert (found.sd > 0.0).all()


def test_with_two_answers_a_row_is_always_decided() -> None:
    is_open = np.ones(N, dtype=bool)
    pair = Pair(np.asarray(SOME[:4]), np.ones(4), is_open, is_always_decided=True)
    surface = surface_of(SOME)
    arms = Arms.exact(surface.space, surface.space.encode(POOL), N)
    sure = differences_of(pair, PairedFit(arms, Hopeful()), surface)
    unsure = differences_of(
        replace(pair, is_always_decided=False), PairedFit(arms, Hopeful()), surface
    )
    assert (sure.mean > unsure.mean).all()


def test_labels_beside_the_pool_count() -> None:
    """A pool that leaves the labelled rows out has them all the same."""
    labelled = POOL[SOME]
    rest = POOL.filter(~pl.int_range(pl.len()).is_in(SOME))
    said = {"services": ["good", "poor"], "y_true": "truth", "estimator": "beta-independent"}
    found = aa.compare(labelled, ["sex"], pool=rest, **said)
    assert found.difference("good", "poor").mean == pytest.approx(np.mean(truth_of()), abs=0.1)
