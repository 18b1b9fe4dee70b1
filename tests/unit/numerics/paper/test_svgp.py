"""The objective's pieces: which arms a step looks at, where parameters start, how f is linked."""

from functools import partial

import jax
import numpy as np
import pytest

from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.numerics.paper.svgp import (
    Counts,
    Model,
    StepRows,
    initial_params,
    latent,
    lengths,
    pooled_counts,
    rows_of_step,
    supervised_total,
)
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision


def counts(
    n_observed: int, size: int, n_rest: int, arms_rest: float, n_touched: int | None = None
) -> Counts:
    n_touched = n_touched or n_observed
    n = np.where(np.arange(size) < n_touched, 4.0, 0.0)
    return Counts(
        X=put(np.arange(size, dtype=float)[:, None]),
        n=put(n),
        c=put(0.5 * n),
        n_observed=put(n_observed),
        n_touched=put(n_touched),
        X_rest=put(1000.0 + np.arange(n_rest, dtype=float)[:, None]),
        n_rest=put(n_rest),
        arms_rest=put(arms_rest),
        prior_n=put(0.1),
        prior_c=put(0.07),
    )


@partial(jax.jit, static_argnames="model")
def step(model: Model, given: Counts, seed: int) -> StepRows:

    def own(index: jax.Array) -> tuple[jax.Array, jax.Array]:
        return given.n[index], given.c[index]

    return rows_of_step(model, given, own, jax.random.key(seed))


@pytest.mark.parametrize(
    ("observed_per_step", "rest_per_step"), [(64, 16), (8, 16), (64, 5), (8, 5)]
)
def test_a_step_weighs_its_rows_up_to_all_arms(observed_per_step: int, rest_per_step: int) -> None:
    model = Model(observed_per_step=observed_per_step, rest_per_step=rest_per_step)
    with precision("float64"):
        given = counts(30, 32, 16, 4000.0)
        rows = step(model, given, 1)
    place, w = np.asarray(rows.X)[:, 0], np.asarray(rows.w)
    is_rest = place >= 1000.0
    assert w[~is_rest].sum() == pytest.approx(30.0)
    assert w[is_rest].sum() == pytest.approx(4000.0)
    assert (place[(w > 0.0) & ~is_rest] < 30).all()


def test_the_scale_is_supervised_where_labels_are_unless_all_arms_are_wanted() -> None:
    with precision("float64"):
        given = counts(30, 32, 16, 4000.0)
        for is_all, expected in ((False, 0.0), (True, 4000.0)):
            model = Model(supervise_rest=is_all)
            rows = step(model, given, 1)
            scale_w = np.asarray(rows.scale_w)
            is_rest = np.asarray(rows.X)[:, 0] >= 1000.0
            assert scale_w[~is_rest].sum() == pytest.approx(30.0)
            assert scale_w[is_rest].sum() == pytest.approx(expected)


def test_arms_that_labels_only_touch_count_but_do_not_supervise_and_are_not_pooled() -> None:
    given = counts(10, 32, 16, 4000.0, n_touched=30)
    for is_all, expected, total in ((False, 10.0, 40.0), (True, 4030.0, 120.0 + 400.0)):
        model = Model(supervise_rest=is_all)
        rows = step(model, given, 1)
        assert np.asarray(rows.w).sum() == pytest.approx(4030.0)
        assert np.asarray(rows.scale_w).sum() == pytest.approx(expected)
        assert float(supervised_total(model, given)) == pytest.approx(total)
    pooling = Model(pooling=Pooling(use_kernel=False))
    n = given.n.at[10].set(400.0)  # the first arm that is not observed, next to the last that is
    params = initial_params(pooling, given.X[:4])
    pooled = np.asarray(pooled_counts(pooling, params, given._replace(n=n))[0])
    np.testing.assert_allclose(pooled, n)


def test_another_step_draws_other_arms() -> None:
    model = Model(observed_per_step=8, rest_per_step=5)
    with precision("float64"):
        given = counts(30, 32, 16, 4000.0)
        drawn = [np.asarray(step(model, given, seed).X)[:, 0] for seed in (0, 1)]
    assert (drawn[0] != drawn[1]).any()


compiled_latent = jax.jit(latent, static_argnums=0)


def test_q_starts_at_the_prior(rng: np.random.Generator) -> None:
    params = initial_params(Model(), put(rng.normal(size=(6, 3))), constant=(0.5, -1.0))
    mean, variance = compiled_latent((1.0, 0.0), params, put(rng.normal(size=(4, 3))), put(0.0))
    np.testing.assert_allclose(mean, np.repeat([[0.5], [-1.0]], 4, axis=1))
    np.testing.assert_allclose(variance, np.log(2.0))  # softplus(0)


def test_the_kernel_starts_where_it_is_told_to(rng: np.random.Generator) -> None:
    inducing = put(rng.normal(size=(6, 3)))
    np.testing.assert_allclose(
        lengths(initial_params(Model(), inducing)), np.full((2, 1), np.log(2))
    )
    unit = initial_params(Model(), inducing, unit_kernel=True, use_ard=True)
    np.testing.assert_allclose(lengths(unit), np.ones((2, 3)))


def test_a_link_moves_and_stretches_f_alone(rng: np.random.Generator) -> None:
    params = initial_params(Model(), put(rng.normal(size=(6, 3))))
    params = params._replace(mean=put(rng.normal(size=(2, 6))))
    X = put(rng.normal(size=(4, 3)))
    mean, variance = compiled_latent((1.0, 0.0), params, X, put(1e-6))
    linked_mean, linked_variance = compiled_latent((6.0, -3.0), params, X, put(1e-6))
    np.testing.assert_allclose(linked_mean, [6.0 * mean[0] - 3.0, mean[1]])
    np.testing.assert_allclose(linked_variance, [36.0 * variance[0], variance[1]])


def test_counts_stay_as_they_are_without_pooling() -> None:
    given = counts(30, 32, 16, 4000.0)
    params = initial_params(Model(), given.X[:4])
    n, c = pooled_counts(Model(), params, given)
    np.testing.assert_array_equal(n, given.n)
    np.testing.assert_array_equal(c, given.c)
