from itertools import product

import numpy as np
import pytest

from accuracy_assay.numerics.watching.bets import (
    level_counts,
    log_factors,
    score_levels,
    unstarted,
)
from accuracy_assay.numerics.watching.evidence import log_evidence
from accuracy_assay.runtime.arrays import FloatArray

PLAIN = np.array([0.0, 1.0])


def counted(scores: FloatArray) -> FloatArray:
    return np.array([(scores == 0.0).sum(), (scores == 1.0).sum()], dtype=float)


def begun(n: int, scale: float = 1000.0) -> FloatArray:
    left = unstarted(np.arange(n + 1.0), scale)
    return left[:-1] - left[1:]


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8, 0.97, 1.0])
@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_evidence_of_what_did_not_happen_is_one_at_most_on_average(
    rate: float, tolerance: float
) -> None:
    n, later = 6, 5
    rates = rate - tolerance * np.array([1.0, 1.0, 0.0, 1.0, 1.0])
    rates = np.clip(rates, 0.0, 1.0)
    mean = np.zeros(later)
    for right in range(n + 1):
        baseline = np.array([n - right, right], dtype=float)
        chance = (
            float(np.prod(np.arange(n - right + 1, n + 1) / np.arange(1, right + 1)))
            * rate**right
            * (1.0 - rate) ** (n - right)
        )
        for x in product((0.0, 1.0), repeat=later):
            blocks = np.eye(2)[np.array(x, dtype=int)]
            here = np.prod(np.where(np.array(x) == 1.0, rates, 1.0 - rates))
            e = np.exp(log_evidence(baseline, blocks, PLAIN, begun(later, 4.0), tolerance))
            mean += chance * here * e
    assert np.all(mean <= 1.0 + 1e-9)


def test_evidence_is_close_to_the_infimum_over_the_rate_and_never_above() -> None:
    rng = np.random.default_rng(5)
    baseline = counted((rng.random(150) < 0.8).astype(float))
    blocks = np.eye(2)[(rng.random(80) < 0.45).astype(int)]
    found = log_evidence(baseline, blocks, PLAIN, begun(80), 0.02)

    # Written out, one rate and one start at a time.
    losses = np.array([0.03, 0.08, 0.15, 0.25, 0.4, 0.7])
    shares = np.array([0.05, 0.1, 0.2, 0.3, 0.25, 0.1])
    middle = np.arcsin(np.sqrt(baseline[1] / 150.0))
    starts = begun(80)
    values = []
    for b in np.linspace(0.4, 0.9, 251):
        up = np.array([1.5 / np.sqrt(150.0)])
        on_baseline = baseline @ log_factors(np.array([b]), up, PLAIN)[:, 0, 0]
        here = np.arcsin(np.sqrt(b - 0.02))
        turns = -np.maximum(here - (middle - losses), 0.5 * losses)
        later = blocks @ log_factors(np.array([b - 0.02]), turns, PLAIN)[:, 0, :]
        worth = 1.0 - starts.sum()
        for s in range(80):
            worth += starts[s] * shares @ np.exp(later[s:].sum(axis=0))
        values.append(np.log(0.2 + 0.8 * np.exp(on_baseline)) + np.log(worth))
    assert found[-1] <= min(values) + 1e-6
    assert found[-1] >= min(values) - 0.3


def test_evidence_rises_with_every_wrong_answer_and_mirrors_for_gains() -> None:
    baseline = np.array([20.0, 80.0])
    wrong = np.tile([1.0, 0.0], (30, 1))
    found = log_evidence(baseline, wrong, PLAIN, begun(30), 0.02)
    assert np.all(np.diff(found) >= 0.0)
    assert found[-1] > 10.0
    gained = log_evidence(baseline[::-1], wrong[:, ::-1], PLAIN, begun(30), 0.02)
    assert gained[-1] < 0.0


@pytest.mark.parametrize("gain", [False, True])
def test_kinds_that_stay_are_no_evidence_whatever_their_mix(gain: bool) -> None:
    rng = np.random.default_rng(1)
    rates = np.array([0.3, 0.9])

    def counts(n: int, share: float) -> FloatArray:
        kind = (rng.random(n) < share).astype(int)
        right = (rng.random(n) < rates[kind]).astype(int)
        table = np.zeros((2, 2))
        np.add.at(table, (kind, right), 1.0)
        return table

    before, after = (0.1, 0.9) if gain else (0.9, 0.1)
    baseline = counts(400, before)
    blocks = np.stack([counts(20, after) for _ in range(40)])
    angles = np.arcsin(np.sqrt(rates))
    if gain:
        baseline, blocks, angles = baseline[:, ::-1], blocks[..., ::-1], np.pi / 2.0 - angles
    alone = log_evidence(baseline.sum(0), blocks.sum(1), PLAIN, begun(40), 0.02)
    apart = log_evidence(baseline, blocks, PLAIN, begun(40), 0.02, angles)
    assert alone[-1] > 10.0
    assert apart.max() < 3.0


def test_nothing_is_known_without_a_baseline() -> None:
    found = log_evidence(np.zeros(2), np.tile([1.0, 0.0], (3, 1)), PLAIN, begun(3), 0.02)
    assert np.all(found == -np.inf)


def test_scores_that_vary_little_need_fewer_labels() -> None:
    rng = np.random.default_rng(0)
    levels = score_levels(np.array([0.3]))
    high, low = (np.clip(rng.normal(m, 0.05, 60), 0, 1) for m in (0.8, 0.7))

    def shares(scores: FloatArray) -> FloatArray:
        return level_counts(scores, levels)

    graded = log_evidence(shares(high).sum(axis=0), shares(low), levels, begun(60), 0.02)
    coins = np.array([0.2 * 60, 0.8 * 60]), np.tile([0.3, 0.7], (60, 1))
    plain = log_evidence(coins[0], coins[1], PLAIN, begun(60), 0.02)
    assert graded[-1] > plain[-1] + 3.0


@pytest.mark.slow
def test_a_service_at_the_edge_of_what_is_tolerated_hardly_ever_alarms(
    rng: np.random.Generator,
) -> None:
    alarms, worlds = 0, 250
    for _ in range(worlds):
        baseline = counted((rng.random(60) < 0.7).astype(float))
        blocks = np.eye(2)[(rng.random(150) < 0.65).astype(int)]
        e = log_evidence(baseline, blocks, PLAIN, begun(150, 50.0), 0.05)
        alarms += e.max() >= np.log(10.0)
    # At most one in ten; three standard errors are 6 points.
    assert alarms / worlds <= 0.1 + 3.0 * np.sqrt(0.09 / worlds)
