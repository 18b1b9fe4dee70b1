"""Averages by factors are those of draws from what the factors say."""

import numpy as np
import pytest

from accuracy_assay.domain import factored_arms
from accuracy_assay.domain.factored_arms import FactoredArms

A = 30


@pytest.fixture
def arms(rng: np.random.Generator) -> FactoredArms:
    # Arms move together, as those of a posterior do: what averages leave out is second order.
    F = (0.03 * (0.5 + 0.5 * rng.standard_normal((A, 4)))).astype(np.float32)
    t1 = 1.2 * np.linalg.norm(F, axis=1)
    terms = np.stack([np.full(A, 1e-4), t1, -0.1 * t1, 0.01 * t1], axis=1)
    return FactoredArms(np.linspace(0.6, 0.9, A), F, terms, rng.random((64, A), dtype=np.float32))


def drawn(arms: FactoredArms, rng: np.random.Generator, count: int = 100_000) -> np.ndarray:
    F, (t0, t1, t2, t3) = arms.F.astype(float), arms.terms.T
    unshared = np.sqrt(t1**2 - (F**2).sum(axis=1))
    x = rng.standard_normal((count, 4)) @ F.T + unshared * rng.standard_normal((count, A))
    x /= t1
    own = np.sqrt(t0) * rng.standard_normal((count, A))
    return arms.mean + t1 * x + t2 * (x**2 - 1) / 2**0.5 + t3 * (x**3 - 3 * x) / 6**0.5 + own


def test_they_are_those_of_draws(arms: FactoredArms, rng: np.random.Generator) -> None:
    weights = np.stack([np.full(A, 1 / A), rng.dirichlet(np.ones(A))])
    draws = drawn(arms, rng)
    for weight, (lower, upper, sd) in zip(weights, arms.intervals(weights, 0.9), strict=True):
        average = draws @ weight
        low, high = np.quantile(average, [0.05, 0.95])
        assert [lower, upper] == pytest.approx([low, high], abs=0.03 * (high - low))
        assert sd == pytest.approx(average.std(), rel=0.03)


def test_few_arms_are_read_from_the_draws(arms: FactoredArms) -> None:
    weight = np.zeros((1, A))
    weight[0, :2] = 0.5
    ((lower, upper, sd),) = arms.intervals(weight, 0.8)
    average = arms.draws[:, :2].astype(float).mean(axis=1)
    average += arms.mean[:2].mean() - average.mean()
    assert [lower, upper] == pytest.approx(np.quantile(average, [0.1, 0.9]))
    assert sd == pytest.approx(average.std())


def test_a_file_keeps_it_as_it_is(arms: FactoredArms) -> None:
    assert arms.factored() is arms


def test_arms_outside_the_pool_share_nothing_however_many_are_listed(
    arms: FactoredArms, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    F = np.concatenate([arms.F, np.zeros((5, 4), np.float32)])
    terms = np.concatenate([arms.terms, np.tile([4e-4, 0.0, 0.0, 0.0], (5, 1))])
    wide = FactoredArms(np.append(arms.mean, np.full(5, 0.8)), F, terms, arms.draws)
    weight = rng.dirichlet(np.ones(A + 5))[None]
    few = wide.intervals(weight, 0.9)
    monkeypatch.setattr(factored_arms, "_MOST_DRAWN_ARMS", 0)
    np.testing.assert_allclose(wide.intervals(weight, 0.9), few, rtol=1e-6)
    inside = arms.intervals(weight[:, :A], 0.9)[0][2]
    outside = 4e-4 * (weight[0, A:] ** 2).sum()
    assert few[0][2] ** 2 == pytest.approx(inside**2 + outside, rel=1e-3)
