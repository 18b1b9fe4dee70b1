"""Explained variances equal those of dense least squares, draw by draw."""

import numpy as np
import pytest

from accuracy_assay.numerics.variance_parts import WeightedDraws


def made(n_places: int = 40, n_draws: int = 30) -> tuple[WeightedDraws, list[np.ndarray]]:
    rng = np.random.default_rng(3)
    weight = rng.dirichlet(np.ones(n_places))
    mean = rng.random(n_places)
    draws = mean + 0.1 * rng.standard_normal((n_draws, n_places))
    draws += mean - draws.mean(axis=0)
    first = rng.integers(0, 3, n_places)
    # The second goes with the first, as attributes of a pool do.
    second = (first + rng.integers(0, 2, n_places)) % 4
    return WeightedDraws(weight, mean, draws), [first, second]


def by_least_squares(values: np.ndarray, weight: np.ndarray, groups: list[np.ndarray]) -> float:
    """Return the weighted variance of the fit on indicators and a constant."""
    indicators = [np.ones(weight.size)]
    indicators += [(group == g).astype(float) for group in groups for g in np.unique(group)]
    root = np.sqrt(weight)
    X = np.stack(indicators, axis=1)
    fit = X @ np.linalg.lstsq(X * root[:, None], values * root, rcond=None)[0]
    return float(weight @ (fit - weight @ fit) ** 2)


@pytest.mark.parametrize("used", [[0], [1], [0, 1]])
def test_drawn_variances_are_those_of_least_squares(used: list[int]) -> None:
    known, groups = made()
    chosen = [groups[k] for k in used]
    wanted = [by_least_squares(draw, known.weight, chosen) for draw in known.draws]
    parts = known.explained(chosen)
    np.testing.assert_allclose(parts.drawn, wanted, atol=1e-12)
    assert parts.centre == pytest.approx(by_least_squares(known.mean, known.weight, chosen))


def test_total_is_the_weighted_variance_of_every_draw() -> None:
    known, _ = made()
    wanted = [known.weight @ (d - known.weight @ d) ** 2 for d in known.draws]
    np.testing.assert_allclose(known.total.drawn, wanted)


def test_groups_of_one_place_explain_everything_and_no_group_nothing() -> None:
    known, _ = made()
    every = known.explained([np.arange(known.mean.size)])
    np.testing.assert_allclose(every.drawn, known.total.drawn)
    assert not known.explained([]).drawn.any()


def test_crossed_variance_is_around_that_of_the_mean() -> None:
    known, groups = made(n_draws=4000)
    parts = known.explained(groups[:1])
    error = parts.crossed.std() / np.sqrt(4000)
    assert abs(parts.crossed.mean() - parts.centre) < 4 * error
    assert parts.drawn.mean() > parts.centre + 4 * error


def test_expected_is_halfway_on_average() -> None:
    known, groups = made(n_draws=4000)
    parts = known.explained(groups)
    assert parts.expected == pytest.approx(parts.halfway.mean(), rel=0.05)


def test_parts_subtract() -> None:
    known, groups = made()
    more = known.explained(groups) - known.explained(groups[:1])
    both, one = known.explained(groups).drawn, known.explained(groups[:1]).drawn
    np.testing.assert_allclose(more.drawn, both - one)
    assert (more.drawn > -1e-12).all()
