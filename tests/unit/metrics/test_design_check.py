"""The check by design: unbiased whatever the model, and silent where it cannot tell."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.constant import Constant
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.metrics.design_check import DesignCheck, design_check, disagreement
from accuracy_assay.protocols import Candidates

N_POOL = 300
SPACE = AttributeSpace((Attribute("group", ("good", "bad")),))
ARM = np.repeat([0, 1], [240, 60])
SCORES = np.concatenate([np.arange(240) % 20 > 0, np.arange(60) % 3 == 0]).astype(float)


def biased_session(rng: np.random.Generator, share: float) -> tuple[np.ndarray, ...]:
    """Return scores, chances and least chances of 60 labels, most of them of the bad arm.

    The model is wrong on purpose: one accuracy for both arms. The strategy cares for the bad arm
    alone, as its weights say.
    """
    strategy = VarianceReduction(goal="mix", mix={1: 1.0}, random_share=share)
    taken: list[int] = []
    chances, least = [], []
    for _ in range(5):
        rows = np.asarray(taken, dtype=np.int64)
        seen = Observations.from_instances(
            Support.count(SPACE, None, ARM), Affiliation.exact(ARM[rows]), SCORES[rows]
        )
        surface = Constant().fit(seen, rng)
        free = np.setdiff1d(np.arange(N_POOL), rows)
        choice = strategy.choose(surface, Candidates(free, Affiliation.exact(ARM[free])), 12, rng)
        taken += free[choice.positions].tolist()
        chances.append(choice.probability)
        least.append(choice.least)
    return SCORES[taken], np.concatenate(chances), np.concatenate(least)


@pytest.mark.slow
def test_with_a_wrong_model_and_biased_picks_the_check_stays_unbiased() -> None:
    truth, n_runs = SCORES.mean(), 150
    checks, plain = [], []
    for seed in range(n_runs):
        scores, chances, least = biased_session(np.random.default_rng(seed), 0.3)
        check = design_check(scores, chances, least, N_POOL)
        assert check is not None
        checks.append(check)
        plain.append(scores.mean())
    means = np.asarray([check.unbiased for check in checks])
    error = means.std() / np.sqrt(n_runs)
    assert abs(np.mean(plain) - truth) > 0.2  # the labels themselves mislead
    assert abs(means.mean() - truth) < 3.0 * error
    held = np.mean([check.lower <= truth <= check.upper for check in checks])
    assert held > 0.86


def test_uniform_draws_give_nearly_the_plain_mean_and_wilsons_interval() -> None:
    chance = 1.0 / (100_000.0 - np.arange(200))
    scores = (np.arange(200) % 5 > 0).astype(float)
    check = design_check(scores, chance, chance, 100_000)
    assert check is not None
    assert check.worth == pytest.approx(200.0, rel=0.01)
    assert check.mean == pytest.approx(scores.mean(), abs=0.02)
    # Wilson's has a width of 0.092 here; what c was off by at first adds a little.
    assert check.upper - check.lower == pytest.approx(0.092, rel=0.05)


def test_a_pool_that_was_drawn_to_the_end_is_known() -> None:
    chance = 1.0 / (50.0 - np.arange(50))
    scores = (np.arange(50) % 5 > 0).astype(float)
    check = design_check(scores, chance, chance, 50)
    assert check is not None
    assert check.lower < 0.8 < check.upper
    assert check.upper - check.lower < 0.1


def test_a_draw_weighs_as_much_as_its_least_chance_over_the_rows_that_were_left() -> None:
    # Worked out from the definition: ten rows; one has no answer, one was not drawn by chance.
    scores = np.array([1.0, 0.0, np.nan, 1.0, 1.0, 0.0, 1.0])
    chances = np.array([0.1, 0.3, 0.125, 0.0, 0.2, 0.15, 0.5])
    least = np.array([0.1, 0.05, 0.125, 0.0, 0.1, 0.15, 0.25])
    known: list[float] = []
    weights, sums, centres = [], [], []
    for t in np.flatnonzero(np.isfinite(scores)):
        plain = (sum(known) + 0.5) / (len(known) + 1.0)
        worth = 100.0 * sum(weights)
        own = np.average(sums, weights=weights) / 10.0 if worth else plain
        c = (10.0 * plain + worth * np.clip(own, 0.0, 1.0)) / (10.0 + worth)
        if least[t] > 0.0:
            weights.append(least[t] / (10 - t))
            sums.append(10.0 * c + sum(y - c for y in known) + (scores[t] - c) / chances[t])
            centres.append(c)
        known.append(scores[t])
    mean, worth = np.average(sums, weights=weights) / 10.0, 100.0 * sum(weights)
    excess = np.average((np.array(centres) - np.clip(mean, 0.0, 1.0)) ** 2, weights=weights)
    check = design_check(scores, chances, least, 10)
    assert check is not None
    assert (check.unbiased, check.worth) == pytest.approx((mean, worth))
    for end in (check.lower, check.upper):  # 1.645 deviations from the mean, or where a share ends
        variance = (end * (1.0 - end) + excess) / worth
        assert abs(end - mean) == pytest.approx(1.6448536 * np.sqrt(variance)) or end in (0.0, 1.0)
    assert check.upper - check.lower > 0.1


def test_picks_that_leave_part_of_the_pool_out_tell_nothing() -> None:
    scores, chances, least = biased_session(np.random.default_rng(0), 0.0)
    assert (least == 0.0).all()
    assert design_check(scores, chances, least, N_POOL) is None


def test_labels_that_nobody_drew_count_as_known_rows_only() -> None:
    chance = np.concatenate([np.zeros(100), 1.0 / (100.0 - np.arange(60))])
    scores = np.concatenate([np.zeros(100), np.ones(60)])  # told unasked: all wrong
    check = design_check(scores, chance, chance, 200)
    assert check is not None
    assert check.mean == pytest.approx(0.5, abs=0.05)


def test_intervals_are_apart_only_without_a_common_value() -> None:
    check = (0.6, 0.5, 0.7)
    said = disagreement((0.75, 0.71, 0.8), check)
    assert said is not None
    assert "75.0% (71.0% to 80.0%)" in said
    assert "60.0% (50.0% to 70.0%)" in said
    assert disagreement((0.4, 0.3, 0.49), check) is not None
    assert disagreement((0.75, 0.7, 0.8), check) is None


def test_the_mean_is_a_share_even_where_the_estimate_is_none() -> None:
    assert DesignCheck(1.04, 0.9, 1.0, 0.9, 50.0).mean == 1.0


def test_the_rate_behind_the_pool_is_known_less_well() -> None:
    chance = 1.0 / (100.0 - np.arange(80))
    scores = np.arange(80) % 2.0
    own = design_check(scores, chance, chance, 100)
    behind = design_check(scores, chance, chance, 100, is_pool=False)
    assert own is not None
    assert behind is not None
    assert behind.upper - behind.lower > own.upper - own.lower
