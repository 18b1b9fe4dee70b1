"""Two-phase sampling: the variance that is promised, and the cheapest way to it."""

import numpy as np
import pytest

from accuracy_assay.numerics.two_phase import (
    Spending,
    Strata,
    cheapest,
    fixed_mix,
    variance_of,
)


def strata(rng: np.random.Generator, labels: float = 0.0) -> Strata:
    rows = rng.integers(200, 4_000, 5).astype(float)
    variance = rng.uniform(0.05, 0.25, 5)
    left = variance * rng.uniform(0.1, 1.0, 5)
    so_far = np.full(5, labels)
    return Strata(rows, variance, left, so_far, so_far, rows / rows.sum())


def reached(of: Strata, plan: Spending) -> float:
    return float(of.weight**2 @ variance_of(of, plan))


def test_the_variance_is_that_of_drawn_samples(rng: np.random.Generator) -> None:
    n_rows, m, n = 400, 100, 30
    x = rng.standard_normal(n_rows)
    y = 0.8 * x + 0.4 * rng.standard_normal(n_rows)
    slope = np.polyfit(x, y, 1)[0]
    found = []
    for _ in range(4_000):
        rows = rng.permutation(n_rows)
        shift = x[rows[:m]].mean() - x[rows[:n]].mean()
        found.append(y[rows[:n]].mean() + slope * shift)
    left = np.var(y - slope * x, ddof=1)
    one = Strata(*(np.array([v]) for v in (n_rows, y.var(ddof=1), left, 0.0, 0.0, 1.0)))
    expected = variance_of(one, Spending(np.array([n]), np.array([m])))[0]
    # The variance of 4,000 draws has a relative standard error of 2.2%.
    assert np.var(found) == pytest.approx(expected, rel=0.09)


@pytest.mark.parametrize("score_price", [0.0, 0.02, 0.3, 3.0])
def test_no_plan_costs_more_than_people_alone_or_a_fixed_mix(
    rng: np.random.Generator, score_price: float
) -> None:
    for _ in range(20):
        of = strata(rng)
        plan = cheapest(of, 1e-4, 1.0, score_price)
        assert reached(of, plan) <= 1e-4
        others = [fixed_mix(of, 1e-4, is_judged=judged) for judged in (True, False)]
        others.append(cheapest(of, 1e-4, 1.0, None))
        paid = plan.cost(of, 1.0, score_price)
        # Each stratum is rounded up to whole rows.
        most = 5.0 * (1.0 + score_price)
        assert all(paid <= other.cost(of, 1.0, score_price) + most for other in others)


def test_more_labels_go_where_the_cheap_score_says_less(rng: np.random.Generator) -> None:
    rows, variance = np.full(2, 3_000.0), np.full(2, 0.2)
    none, half = np.zeros(2), np.full(2, 0.5)
    of = Strata(rows, variance, np.array([0.02, 0.15]), none, none, half)
    plan = cheapest(of, 1e-4, 1.0, 0.02)
    assert plan.labels[1] > 2.0 * plan.labels[0]


def test_what_is_there_already_is_free(rng: np.random.Generator) -> None:
    of = strata(rng, labels=50.0)
    plan = cheapest(of, 1e-4, 1.0, 0.02)
    assert (plan.labels >= 50.0).all()
    assert plan.cost(of, 1.0, 0.0) == pytest.approx((plan.labels - 50.0).sum())


def test_every_row_has_no_variance_left(rng: np.random.Generator) -> None:
    of = strata(rng)
    assert reached(of, Spending(of.rows, np.zeros(5))) == 0.0
    assert cheapest(of, 0.0, 1.0, None).labels.tolist() == of.rows.tolist()
