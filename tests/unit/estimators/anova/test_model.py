"""The fitted model: cells as arrays, warm starts, hyper-parameters from a part of the cells."""

from collections.abc import Callable

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova import model
from accuracy_assay.estimators.anova.model import AnovaModel, cell_arrays, fit_model, to_layout
from accuracy_assay.runtime.precision import precision

SPACE = AttributeSpace(
    (Attribute("a", values=("p", "q", "r", "s")), Attribute("b", values=("x", "y", "z")))
)
STRATA = AttributeSpace(
    (
        Attribute("says", values=("no", "yes")),
        Attribute("sure", kind="continuous", edges=(0.2, 0.5, 0.8)),
    )
)
RATE = np.array([0.95, 0.9, 0.6, 0.9, 0.85, 0.5, 0.97, 0.95, 0.7, 0.8, 0.7, 0.3])
SUPPORT = Support(SPACE, None, np.arange(12), np.full(12, 100.0))


def observe(rng: np.random.Generator, n: int = 300) -> Observations:
    arms = rng.integers(0, 12, n)
    scores = (rng.random(n) < RATE[arms]).astype(float)
    return Observations.exact(SUPPORT, arms, np.ones(n), scores, scores)


def blurred(rng: np.random.Generator, n: int = 300) -> Observations:
    arms = rng.integers(0, 12, n)
    columns = np.stack([arms, (arms + 5) % 12], axis=1).reshape(-1)
    rows = Affiliation(np.arange(0, 2 * n + 1, 2), columns, np.tile([0.9, 0.1], n))
    scores = (rng.random(n) < RATE[arms]).astype(float)
    return Observations.from_instances(SUPPORT, rows, scores)


def fit(observed: Observations, previous: AnovaModel | None = None) -> AnovaModel:
    return fit_model(
        observed,
        previous,
        likelihood="mixture",
        split_share=1.0 / 3.0,
        first_steps=30,
        later_steps=6,
        growth=0.1,
    )


def test_own_variance_is_inverse_to_the_arm_s_size_and_at_most_twice_the_typical() -> None:
    sizes = np.array([100.0] * 8 + [200.0, 50.0, 1.0])
    # Two arms at 200 and 50 leave the geometric mean at 100; the last is too small to be active.
    support = Support(SPACE, None, np.arange(11), sizes)
    with precision():
        own = np.asarray(cell_arrays(support, np.array([0, 8, 9, 10, 11])).own)
    np.testing.assert_allclose(own[:5], [1.0, 0.5, 2.0, 2.0, 1.0])
    np.testing.assert_array_equal(own[5:], 1.0)


def test_cells_are_coded_by_arm_stratum_and_signal_group() -> None:
    support = Support(SPACE, STRATA, np.arange(96), np.full(96, 10.0))
    with precision():
        arrays = cell_arrays(support, np.array([0, 7 * 8 + 6]))
    # Arms of equal make-up have equal means of both signals.
    np.testing.assert_array_equal(
        np.asarray(arrays.codes)[:2], [[0, 0, 0, 0, 0, 0], [2, 1, 1, 2, 0, 0]]
    )
    assert np.asarray(arrays.arm)[:2].tolist() == [0, 7]
    assert np.asarray(arrays.group)[:2].tolist() == [0, 1]
    assert (np.asarray(arrays.codes)[2:] == -1).all()


def test_the_layout_is_that_of_attributes_and_signals() -> None:
    layout = to_layout(Support(SPACE, STRATA, np.arange(2), np.ones(2)))
    assert layout.sizes == (4, 3, 2, 4, 12, 12)
    assert layout.ordered == (False, False, False, True, True, True)
    assert (layout.n_attributes, layout.n_groups, layout.n_means) == (2, 2, 2)


@pytest.mark.parametrize("observe_some", [observe, blurred])
def test_hyper_parameters_from_a_part_of_the_cells_serve_all_of_them(
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
    observe_some: Callable[[np.random.Generator], Observations],
) -> None:
    observed = observe_some(rng)
    whole = fit(observed)
    monkeypatch.setattr(model, "_MOST_CELLS_FOR_THETA", 8)
    part = fit(observed)
    assert not np.allclose(part.fitted.theta, whole.fitted.theta)
    # Every cell's labels count, whatever theta was learned from.
    np.testing.assert_array_equal(part.observed, np.arange(12))
    assert np.abs(part.moments[0] - whole.moments[0]).max() < 0.1
    error = np.mean((part.moments[0] - RATE) ** 2)
    assert error < 0.5 * np.mean((RATE.mean() - RATE) ** 2)


def test_a_few_labels_more_keep_the_hyper_parameters(rng: np.random.Generator) -> None:
    observed = observe(rng, 330)
    fewer = Observations.exact(SUPPORT, np.arange(12), np.full(12, 25.0), 25.0 * RATE, 25.0 * RATE)
    first = fit(fewer)
    later = fit(observe(rng, 320), first)
    np.testing.assert_array_equal(later.fitted.theta, first.fitted.theta)
    assert later.theta_labels == first.theta_labels == 300.0
    anew = fit(observed, first)
    assert not np.array_equal(anew.fitted.theta, first.fitted.theta)
    assert anew.theta_labels == 330.0


def test_a_fit_of_another_pool_is_not_carried_on(rng: np.random.Generator) -> None:
    signals = Support(SPACE, STRATA, np.arange(96), np.full(96, 10.0))
    cells = rng.integers(0, 96, 50)
    one = np.ones(50)
    other = fit(Observations.exact(signals, cells, one, one, one))
    observed = observe(rng)
    np.testing.assert_array_equal(fit(observed, other).fitted.theta, fit(observed).fitted.theta)


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


def test_a_refit_keeps_the_nodes_and_weighs_them_anew(rng: np.random.Generator) -> None:
    first = fit(observe(rng, 30))
    again = fit(observe(rng, 31), first)
    assert again.theta_labels == first.theta_labels
    before = {node.fitted.theta.tobytes() for node in first.nodes}
    assert {node.fitted.theta.tobytes() for node in again.nodes} <= before
    assert sum(node.weight for node in again.nodes) == pytest.approx(1.0)
    assert [node.weight for node in again.nodes] != [node.weight for node in first.nodes]


def test_in_a_large_pool_variances_stay_exact_and_correlations_are_those_of_the_best_node(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted, every = fit(observe(rng, 40)), np.arange(12)
    assert len(fitted.nodes) > 1
    exact = fitted.covariance(every, every)
    monkeypatch.setattr(model, "_MANY_CELLS", 11)
    found = fitted.covariance(every, every)
    np.testing.assert_allclose(np.diag(found), np.diag(exact), rtol=1e-4)
    np.testing.assert_allclose(found, exact, atol=0.1 * np.diag(exact).max())
    assert not np.allclose(found, exact, rtol=1e-6)


@pytest.mark.parametrize("most_exact_cells", [None, 0])
def test_with_millions_of_labels_the_surface_is_what_they_say(
    most_exact_cells: int | None, rng: np.random.Generator
) -> None:
    n = np.full(12, 2e6)
    right = rng.binomial(n.astype(int), RATE).astype(float)
    support = Support(SPACE, None, np.arange(12), n, is_pool=False)
    fitted = fit_model(
        Observations.exact(support, np.arange(12), n, right, right),
        None,
        likelihood="mixture",
        split_share=0.0,
        first_steps=30,
        later_steps=6,
        growth=0.1,
        most_exact_cells=most_exact_cells,
    )
    np.testing.assert_allclose(fitted.moments[0], right / n, atol=1e-5)


WIDE = AttributeSpace(
    (
        Attribute("a", values=("p", "q", "r", "s")),
        Attribute("b", values=("x", "y", "z")),
        Attribute("c", values=("1", "2", "3")),
    )
)
IN_SLICE = {"a": "r", "b": "y"}


def observe_slice(
    rng: np.random.Generator, *, is_pool: bool = True, is_guessed: bool = False
) -> Observations:
    """Return 900 labels, 40% right where a = r and b = y and 90% elsewhere."""
    arms = rng.integers(0, 36, 900)
    inside = WIDE.matches(arms, IN_SLICE)
    scores = (rng.random(900) < np.where(inside, 0.4, 0.9)).astype(float)
    # One arm of the slice has no pool row.
    size = np.where(np.arange(36) == slice_arms()[-1], 0.0, 200.0)
    pool = np.flatnonzero(size)
    support = Support(WIDE, None, pool, size[pool], is_pool=is_pool)
    kept = np.isin(arms, pool)
    arms, scores = arms[kept], scores[kept]
    if not is_guessed:
        return Observations.exact(support, arms, np.ones(arms.size), scores, scores)
    other = pool[(np.searchsorted(pool, arms) + 5) % pool.size]
    columns = np.stack([arms, other], axis=1).reshape(-1)
    rows = Affiliation(
        np.arange(0, 2 * arms.size + 1, 2), columns, np.tile([0.95, 0.05], arms.size)
    )
    return Observations.from_instances(support, rows, scores)


def slice_arms() -> np.ndarray:
    return np.flatnonzero(WIDE.matches(np.arange(36), IN_SLICE))


@pytest.mark.parametrize("is_pool", [True, False])
@pytest.mark.parametrize("is_guessed", [True, False])
def test_a_slice_that_stands_out_has_an_effect_of_its_own(
    rng: np.random.Generator, is_pool: bool, is_guessed: bool
) -> None:
    fitted = fit(observe_slice(rng, is_pool=is_pool, is_guessed=is_guessed))
    assert fitted.details["slice_effects"][0]["slice"] == IN_SLICE
    assert sum(node.weight for node in fitted.nodes) == pytest.approx(1.0)
    assert fitted.moments[0][np.isin(fitted.support.cells, slice_arms())].max() < 0.6
    # An arm of the slice outside the pool moves with it.
    mean, _ = fitted.moments_at(np.array([slice_arms()[-1], 0]))
    assert mean[0] < 0.6 < 0.8 < mean[1]


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


def test_few_more_labels_keep_theta_and_find_the_slice_again(rng: np.random.Generator) -> None:
    first = fit(observe_slice(rng))
    again = fit(observe_slice(rng), first)
    np.testing.assert_array_equal(again.fitted.theta, first.fitted.theta)
    assert again.details["slice_effects"][0]["slice"] == IN_SLICE


def test_without_a_slice_that_stands_out_there_is_one_fit_for_each_theta(
    rng: np.random.Generator,
) -> None:
    support = Support(WIDE, None, np.arange(36), np.full(36, 200.0))
    arms = rng.integers(0, 36, 600)
    scores = (rng.random(600) < 0.85).astype(float)
    fitted = fit(Observations.exact(support, arms, np.ones(600), scores, scores))
    assert fitted.details["slice_effects"] == []
    thetas = {tuple(node.fitted.theta) for node in fitted.nodes}
    assert len(thetas) == len(fitted.nodes)
