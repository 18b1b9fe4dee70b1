from functools import partial

import jax
import numpy as np
import pytest

from accuracy_assay.numerics.paper.svgp import Counts, Model, Rows, rows_of_step
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision


def counts(n_observed: int, size: int, n_rest: int, arms_rest: float) -> Counts:
    n = np.where(np.arange(size) < n_observed, 4.0, 0.0)
    return Counts(
        X=put(np.arange(size, dtype=float)[:, None]),
        n=put(n),
        c=put(0.5 * n),
        n_observed=put(n_observed),
        X_rest=put(1000.0 + np.arange(n_rest, dtype=float)[:, None]),
        n_rest=put(n_rest),
        arms_rest=put(arms_rest),
        prior_n=put(0.1),
        prior_c=put(0.07),
    )


@partial(jax.jit, static_argnames="model")
def step(model: Model, given: Counts, seed: int) -> Rows:
    return rows_of_step(model, given, (given.n, given.c), jax.random.key(seed))


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


def test_another_step_draws_other_arms() -> None:
    model = Model(observed_per_step=8, rest_per_step=5)
    with precision("float64"):
        given = counts(30, 32, 16, 4000.0)
        drawn = [np.asarray(step(model, given, seed).X)[:, 0] for seed in (0, 1)]
    assert (drawn[0] != drawn[1]).any()
