"""Effects of arms where rows go together: against the dense closed form, and laws."""

import numpy as np
import pytest

from accuracy_assay.numerics.clustered_effects import (
    Averages,
    ClusteredEffects,
    Mixture,
    fit_clustered_effects,
)

CODES = np.array([(a, b) for a in range(4) for b in range(3)])
WHOLE = np.full((1, 12), 1.0 / 12.0)


def asked(weight: np.ndarray) -> Averages:
    none = np.zeros(weight.shape[0])
    return Averages(none, weight, np.zeros((weight.shape[0], 0)), none, none)


def dense(
    effects: ClusteredEffects, arm: np.ndarray, d: np.ndarray, cluster: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and deviation of every arm at the first draw, by dense algebra."""
    fit = effects.fits[0]
    n_terms = effects.terms.kind.size
    phi = effects.terms.phi.toarray()
    own = np.full(12, fit.own)
    own[effects.seen] = fit.t[n_terms:]
    prior = phi @ np.diag(fit.t[:n_terms]) @ phi.T + np.diag(own)
    together = np.where(cluster[:, None] == cluster[None], fit.r, 0.0)
    np.fill_diagonal(together, 1.0)
    gain = np.linalg.solve(prior[np.ix_(arm, arm)] + together, prior[arm]).T
    return gain @ d, np.sqrt(fit.s2 * np.diag(prior - gain @ prior[arm]))


def test_a_fit_is_the_dense_closed_form(rng: np.random.Generator) -> None:
    arm, cluster = rng.integers(0, 11, 80), rng.integers(0, 30, 80)  # the last arm has no label
    d = rng.normal(0.0, 0.3, 80) + rng.normal(0.0, 0.3, 30)[cluster]
    effects = fit_clustered_effects(CODES, arm, d, rng, cluster=cluster)
    found = effects.averages(asked(np.eye(12)))
    mean, sd = dense(effects, arm, d, cluster)
    assert found.means[0] == pytest.approx(mean, abs=1e-8)
    assert found.sds[0] == pytest.approx(sd, abs=1e-8)


def test_an_arm_that_is_far_off_is_drawn_inwards_less_than_others(
    rng: np.random.Generator,
) -> None:
    codes = np.array([(a, b) for a in range(5) for b in range(4)])
    arm = np.repeat(np.arange(20), 20)
    d = rng.normal(0.0, 0.3, 400)
    d -= (np.bincount(arm, d) / 20.0)[arm]
    d += np.where(arm == 7, 0.3, 0.04 * (-1.0) ** arm)
    effects = fit_clustered_effects(codes, arm, d, rng)
    mean = effects.averages(asked(np.eye(20))).mean
    assert mean[7] > 0.15  # a normal prior makes it 0.10
    assert np.abs(np.delete(mean, 7)).max() < 0.05


def test_rows_that_come_four_times_are_worth_one(rng: np.random.Generator) -> None:
    ratios = []
    for _ in range(8):
        arm, d = rng.integers(0, 12, 100), rng.choice([-1.0, 0.0, 1.0], 100, p=[0.1, 0.8, 0.1])
        arm, d, cluster = (np.repeat(x, 4) for x in (arm, d, np.arange(100)))
        of_rows = fit_clustered_effects(CODES, arm, d, rng).averages(asked(WHOLE))
        of_clusters = fit_clustered_effects(CODES, arm, d, rng, cluster=cluster)
        ratios.append(of_clusters.averages(asked(WHOLE)).sd[0] / of_rows.sd[0])
    # Half the information in a standard deviation: the square root of four.
    assert np.mean(ratios) == pytest.approx(2.0, abs=0.2)


def test_clusters_of_one_row_change_nothing(rng: np.random.Generator) -> None:
    arm, d = rng.integers(0, 12, 60), rng.normal(0.0, 0.4, 60)
    alone = fit_clustered_effects(CODES, arm, d, np.random.default_rng(1), cluster=np.arange(60))
    none = fit_clustered_effects(CODES, arm, d, np.random.default_rng(1))
    assert alone.averages(asked(WHOLE)).sd == pytest.approx(none.averages(asked(WHOLE)).sd)


def test_rows_that_never_differed_still_may(rng: np.random.Generator) -> None:
    effects = fit_clustered_effects(CODES, rng.integers(0, 12, 30), np.zeros(30), rng)
    upper = effects.averages(asked(WHOLE)).quantile(0.95)[0]
    assert 1.0 / 30.0 < upper < 3.0 / 30.0  # no case in n rows: at most 3 / n with 95%


def test_a_slope_that_is_known_explains_the_noise(rng: np.random.Generator) -> None:
    x = rng.normal(0.0, 1.0, 200)
    arm, d = rng.integers(0, 12, 200), 0.5 * x + rng.normal(0.0, 0.1, 200)
    plain = fit_clustered_effects(CODES, arm, d, rng)
    sloped = fit_clustered_effects(CODES, arm, d, rng, slopes=x[:, None])
    assert sloped.noise_variance < 0.2 * plain.noise_variance


def test_quantiles_invert_the_distribution() -> None:
    found = Mixture(np.array([0.3, 0.7]), np.array([[0.0], [1.0]]), np.array([[0.5], [0.2]]))
    for p in (0.05, 0.5, 0.95):
        assert found.below(found.quantile(p)) == pytest.approx(p)
    assert found.mean == pytest.approx(0.7)


@pytest.mark.slow
def test_intervals_of_arms_hold_as_often_as_they_say(rng: np.random.Generator) -> None:
    held = []
    for _ in range(40):
        truth = rng.normal(0.0, 0.1, 12)
        arm, cluster = rng.integers(0, 12, 240), rng.integers(0, 80, 240)
        shared = rng.normal(0.0, 0.2, 80)[cluster]
        d = truth[arm] + shared + rng.normal(0.0, 0.3, 240)
        found = fit_clustered_effects(CODES, arm, d, rng, cluster=cluster)
        posterior = found.averages(asked(np.eye(12)))
        held.append((posterior.quantile(0.05) <= truth) & (truth <= posterior.quantile(0.95)))
    # 480 intervals, of which about a fifth are independent: a standard error of 3%.
    assert 0.81 < np.mean(held) < 0.97
