"""The fitted model: what it says about cells, over all its nodes."""

import numpy as np
import pytest
from anova_world import fit, observe, observe_slice, slice_arms


def test_a_posterior_for_strategies_holds_what_the_model_knows(rng: np.random.Generator) -> None:
    fitted = fit(observe(rng))
    posterior = fitted.posterior
    every = np.arange(12)
    covariance = posterior.covariance(every, every)
    np.testing.assert_allclose(np.diag(covariance), posterior.variance, rtol=1e-5)
    assert np.linalg.eigvalsh(covariance).min() > -1e-9
    coin = posterior.rate * (1.0 - posterior.rate)
    np.testing.assert_allclose(posterior.label_variance, coin, rtol=1e-9)
    assert posterior.labelled.sum() == 300.0


def test_details_name_every_coordinate(rng: np.random.Generator) -> None:
    details = fit(observe(rng)).details
    assert set(details["joint_weight"]) == set(details["alone_variance"]) == {"a", "b"}
    assert details["dispersion"] == 1.0


def test_variances_are_those_of_a_mixture_of_all_nodes(rng: np.random.Generator) -> None:
    fitted = fit(observe(rng, 15))
    assert len(fitted.nodes) > 1
    draws = np.concatenate(
        [
            rng.multivariate_normal(
                node.moments[0],
                node.covariance(np.arange(12), np.arange(12)),
                size=round(200_000 * node.weight),
            )
            for node in fitted.nodes
        ]
    )
    covariance = fitted.covariance(np.arange(12), np.arange(12))
    np.testing.assert_allclose(draws.mean(axis=0), fitted.moments[0], atol=0.005)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.002)
    index, weight = np.array([[0, 5]]), np.array([[0.3, 0.7]])
    mixed = weight[0] @ covariance[np.ix_(index[0], index[0])] @ weight[0]
    assert fitted.mixed_variance(index, weight)[0] == pytest.approx(mixed, rel=1e-6)


def test_in_a_large_pool_variances_stay_exact_and_correlations_are_those_of_the_best_node(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted, every = fit(observe(rng, 40)), np.arange(12)
    assert len(fitted.nodes) > 1
    exact = fitted.covariance(every, every)
    monkeypatch.setattr("accuracy_assay.estimators.anova.model._MANY_CELLS", 11)
    found = fitted.covariance(every, every)
    np.testing.assert_allclose(np.diag(found), np.diag(exact), rtol=1e-4)
    np.testing.assert_allclose(found, exact, atol=0.1 * np.diag(exact).max())
    assert not np.allclose(found, exact, rtol=1e-6)


def test_draws_and_covariances_have_the_effect(rng: np.random.Generator) -> None:
    fitted = fit(observe_slice(rng))
    cells = np.flatnonzero(np.isin(fitted.support.cells, slice_arms()))
    drawn = fitted.draw(4000, rng)[:, cells]
    mean, variance = (part[cells] for part in fitted.moments)
    # A covariance of 4,000 draws is known to 3% of a variance, a mean to 1.6% of a deviation.
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.08 * np.sqrt(variance.max()))
    C = fitted.covariance(cells, cells)
    np.testing.assert_allclose(np.cov(drawn.T), C, atol=0.15 * variance.max())
    np.testing.assert_allclose(np.diag(C), variance, rtol=1e-4)
    weight = np.full((1, cells.size), 1.0 / cells.size)
    assert fitted.mixed_variance(cells[None], weight)[0] == pytest.approx(C.mean(), rel=1e-5)
