"""Hyper-parameters integrated out: weights are probabilities, and many labels leave one fit."""

from collections.abc import Callable

import numpy as np
import pytest
from latent_gp import as_labels, some_cells

from accuracy_assay.numerics.gp.anova import Layout
from accuracy_assay.numerics.gp.marginal_likelihood import (
    Begun,
    FittedGP,
    begin_at,
    maximise_marginal,
)
from accuracy_assay.numerics.gp.theta_grid import weigh_around
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.precision import precision

LAYOUT = Layout((3, 3, 3), (False, False, True), 3)


def weighed(rng: np.random.Generator, labels_of_a_cell: int) -> list[tuple[FittedGP, float]]:
    with precision():
        cells = some_cells(rng, 27)
        n = np.full(27, float(labels_of_a_cell))
        rate = 1.0 / (1.0 + np.exp(-rng.normal(1.0, 1.5, 27)))
        labels = as_labels(rng.binomial(labels_of_a_cell, rate).astype(float), n)
        best = maximise_marginal(cells, labels, LAYOUT, [LAYOUT.start], max_steps=100)
        return weigh_around(
            best, lambda theta: begin_at(theta, cells, labels, np.zeros(27), LAYOUT)
        )


def test_weights_are_those_of_likelihood_and_prior(rng: np.random.Generator) -> None:
    fits = weighed(rng, 1)
    values = np.array([fit.value for fit, _ in fits])
    weights = np.array([weight for _, weight in fits])
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.log(weights / weights[0]), values - values[0], atol=1e-9)
    assert values[0] == values.max()


def test_few_labels_leave_the_scale_open_and_many_do_not(rng: np.random.Generator) -> None:
    few, many = weighed(rng, 1), weighed(rng, 2000)
    own = LAYOUT.slices["o"].start
    scale = LAYOUT.slices["s"].start
    assert len(few) > len(many)
    steps = {round(float(fit.theta[scale] - few[0][0].theta[scale]), 6) for fit, _ in few}
    assert {-1.2, 0.0, 1.2} <= steps
    assert max(weight for _, weight in many) > 0.5
    for fit, _ in few:
        away = fit.theta - few[0][0].theta
        assert set(np.flatnonzero(away)) <= set(np.flatnonzero(LAYOUT.directions[0]))
        assert round(abs(float(away[own] - away[scale])), 6) in (0.0, 1.5)


def test_fits_that_are_not_finite_weigh_nothing(rng: np.random.Generator) -> None:
    best = weighed(rng, 1)[0][0]

    def broken(value: float) -> Callable[[FloatArray], Begun]:
        return lambda theta: Begun(value, lambda: best)

    for value in (float("nan"), float("-inf"), best.value - 100.0):
        assert weigh_around(best, broken(value)) == [(best, 1.0)]
