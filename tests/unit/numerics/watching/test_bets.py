import numpy as np
import pytest
from numpy.testing import assert_allclose

from accuracy_assay.numerics.watching.bets import (
    level_counts,
    log_factors,
    log_restarted,
    score_levels,
    unstarted,
)

RATES = np.linspace(0.0, 1.0, 41)
BELOW = -np.array([0.025, 0.2, 0.8, 1.6])


def test_scores_of_right_and_wrong_are_counted_as_they_are() -> None:
    scores = np.array([1.0, 0.0, 1.0])
    assert_allclose(level_counts(scores, score_levels(scores)), [[0, 1], [1, 0], [0, 1]])


def test_shares_of_levels_add_up_and_keep_the_mean(rng: np.random.Generator) -> None:
    scores = np.append(rng.random(50), [0.0, 1.0, 0.5])
    levels = score_levels(scores)
    shares = level_counts(scores, levels)
    assert_allclose(shares.sum(axis=1), 1.0)
    assert_allclose(shares @ levels, scores)


def test_a_score_between_levels_gives_no_more_than_it_would_alone(
    rng: np.random.Generator,
) -> None:
    scores = rng.random(30)
    levels = score_levels(scores)
    rates = np.array([0.3, 0.8])
    exact = log_factors(rates, BELOW, scores)
    shared = np.tensordot(level_counts(scores, levels), log_factors(rates, BELOW, levels), 1)
    assert np.all(shared <= exact + 1e-12)
    assert_allclose(shared[..., 1], exact[..., 1], atol=0.002)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_bet_gains_on_average_where_what_it_is_against_is_true(sign: float) -> None:
    levels = np.array([0.0, 0.25, 1.0])
    factors = np.exp(log_factors(RATES, sign * BELOW, levels))
    for m, of_rate in zip(RATES, factors.transpose(1, 0, 2), strict=True):
        chances = np.array([[1.0 - m, 0.0, m], [1.0 - m / 0.25, m / 0.25, 0.0]])
        fair = chances[(chances >= 0.0).all(axis=1)]
        assert np.all(fair @ of_rate <= 1.0 + 1e-9)


def test_evidence_against_a_rate_is_evidence_against_all_beyond_it() -> None:
    levels = np.array([0.0, 0.3, 1.0])
    for turns, sign in ((BELOW, 1.0), (-BELOW, -1.0)):
        steps = np.diff(log_factors(RATES, turns, levels), axis=1)
        assert np.all(sign * steps >= -1e-9)


def test_half_of_the_bets_begin_within_the_scale() -> None:
    assert_allclose(unstarted(np.array([0.0, 10.0, 20.0]), 10.0), [1.0, 1 / 2, 1 / 3])


def test_bets_that_begin_at_every_block_are_worth_the_sum_of_each(
    rng: np.random.Generator,
) -> None:
    logs = rng.normal(size=(6, 2))
    started = np.array([0.3, 0.0, 0.2, 0.1, 0.1, 0.05])
    found = np.exp(log_restarted(np.cumsum(logs, axis=0), started))
    for t in range(6):
        alone = [started[s] * np.exp(logs[s : t + 1].sum(axis=0)) for s in range(t + 1)]
        assert_allclose(found[t], np.sum(alone, axis=0))
