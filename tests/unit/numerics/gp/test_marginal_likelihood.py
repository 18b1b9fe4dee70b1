"""The search for hyper-parameters: it climbs, and what it returns is the posterior there."""

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import as_labels, kernel, mean_shift, some_cells
from scipy.special import expit

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.gp import marginal_likelihood
from accuracy_assay.numerics.gp.anova import Layout
from accuracy_assay.numerics.gp.marginal_likelihood import FittedGP, fit_at, maximise_marginal
from accuracy_assay.numerics.gp.posterior import predict
from accuracy_assay.runtime.precision import precision


def test_the_search_climbs_from_every_start(rng: np.random.Generator) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells = some_cells(rng, 27)
        n = rng.integers(1, 30, 27).astype(float)
        y = rng.binomial(n.astype(int), expit(rng.normal(1.0, 1.5, 27))).astype(float)
        labels = as_labels(y, n)
        far = layout.prior_mean + rng.normal(size=layout.size)
        found = [
            maximise_marginal(cells, labels, layout, [start], max_steps=200)
            for start in (layout.prior_mean, far)
        ]
        K = kernel(jnp.asarray(found[0].theta), cells, cells, layout)
        mean, variance, _ = predict(found[0], cells)
        shift = K @ mean_shift(K, labels, found[0].mode)
    assert found[0].value == pytest.approx(found[1].value, abs=0.05)
    H = np.asarray(found[0].mode.H)
    C = np.asarray(K) - np.asarray(K) @ H.T @ H @ np.asarray(K)
    np.testing.assert_allclose(np.asarray(variance), np.diag(C), atol=1e-8)
    expected = np.asarray(found[0].mode.eta) + np.asarray(shift)
    np.testing.assert_allclose(np.asarray(mean), expected, atol=1e-5)


def test_more_steps_never_end_lower(rng: np.random.Generator) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells = some_cells(rng, 27)
        n = rng.integers(1, 30, 27).astype(float)
        labels = as_labels(rng.binomial(n.astype(int), 0.8).astype(float), n)
        values = [
            maximise_marginal(cells, labels, layout, [layout.start], max_steps=steps).value
            for steps in (0, 2, 20)
        ]
    assert values[0] < values[1] < values[2]


def test_a_fit_at_the_found_theta_is_the_found_fit(rng: np.random.Generator) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells = some_cells(rng, 27)
        n = rng.integers(1, 30, 27).astype(float)
        labels = as_labels(rng.binomial(n.astype(int), 0.8).astype(float), n)
        found = maximise_marginal(cells, labels, layout, [layout.start], max_steps=5)
        again = fit_at(found.theta, cells, labels, np.zeros(27), layout)
    assert again.value == pytest.approx(found.value, abs=1e-7)
    np.testing.assert_allclose(np.asarray(again.mode.eta), np.asarray(found.mode.eta), atol=1e-7)


def test_labels_without_a_finite_likelihood_are_refused(rng: np.random.Generator) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells = some_cells(rng, 27)
        labels = as_labels(np.full(27, np.nan), np.ones(27))
        with pytest.raises(ConvergenceError, match="marginal likelihood must be finite"):
            maximise_marginal(cells, labels, layout, [layout.start], max_steps=1)


def test_a_search_of_a_part_in_32_bits_ends_where_one_in_64_does(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells = some_cells(rng, 27)
        n = rng.integers(1, 30, 27).astype(float)
        y = rng.binomial(n.astype(int), expit(rng.normal(1.0, 1.5, 27))).astype(float)

        def search(*, is_part: bool) -> FittedGP:
            labels = as_labels(y, n)
            return maximise_marginal(
                cells, labels, layout, [layout.start], max_steps=50, is_part=is_part
            )

        whole, part = search(is_part=False), search(is_part=True)
        assert not np.array_equal(part.theta, whole.theta)
        assert part.value == pytest.approx(whole.value, abs=0.01)
        assert part.weights.dtype == jnp.float64
        # With more labels than 32 bits allow for, both are the same search.
        monkeypatch.setattr(marginal_likelihood, "_MOST_LABELS_SINGLE", int(n.sum()) - 1)
        np.testing.assert_array_equal(search(is_part=True).theta, whole.theta)
