"""The Newton search of low rank finds the mode that the dense one finds."""

from dataclasses import replace

import numpy as np
import pytest
from latent_gp import as_labels, find_mode

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.gp.anova import MEAN_LOGIT, CellArrays, Layout
from accuracy_assay.numerics.gp.low_rank import fit_low_rank
from accuracy_assay.numerics.gp.nested_effects import Level
from accuracy_assay.numerics.gp.prior_factor import PriorFactor
from accuracy_assay.runtime.precision import precision


def some_prior(rng: np.random.Generator) -> PriorFactor:
    F = rng.standard_normal((30, 4)).astype(np.float32)
    nothing = CellArrays(*(np.zeros((4, 1)), *(np.zeros(4) for _ in range(3))))  # type: ignore[arg-type]
    rest = rng.uniform(0.1, 0.5, 30)
    return PriorFactor(F, rest, nothing, np.eye(4), np.zeros(1), Layout((2,), (False,), 1))


def test_the_mode_is_that_of_the_dense_search(rng: np.random.Generator) -> None:
    prior = some_prior(rng)
    level = Level(np.arange(30) // 3, np.full(10, 0.6))
    observed = np.array([0, 1, 3, 7, 8, 20, 29])
    n = rng.integers(1, 40, 7).astype(float)
    y = np.floor(0.9 * n)
    F = prior.F.astype(float)
    K = F @ F.T + np.diag(prior.rest) + 0.6 * (level.group[:, None] == level.group)
    K = K[np.ix_(observed, observed)]
    with precision():
        mode = find_mode(K, MEAN_LOGIT, as_labels(y, n), np.zeros(7))
        g = np.asarray(mode.g)
    for start in (np.zeros(7), rng.standard_normal(7)):
        own = replace(prior, F=prior.F.copy())
        found = fit_low_rank(own, [level], observed, y, n, start)
        np.testing.assert_allclose(found.g, g, atol=1e-5)


def test_labels_that_are_no_numbers_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(ConvergenceError, match="must stay finite"):
        fit_low_rank(
            some_prior(rng), [], np.array([2]), np.array([np.nan]), np.ones(1), np.zeros(1)
        )


def test_a_cell_without_labels_is_the_same_inside_the_pool_and_outside(
    rng: np.random.Generator,
) -> None:
    prior = some_prior(rng)
    level = Level(np.arange(30) // 3, np.full(10, 0.6))
    observed = np.array([0, 1, 3, 7, 8, 20, 29])
    n = rng.integers(1, 40, 7).astype(float)
    own = replace(prior, F=prior.F.copy())
    found = fit_low_rank(own, [level], observed, np.floor(0.9 * n), n, np.zeros(7))
    free = np.array([2, 12, 13])  # one in a group with labels, two in one without
    group = np.where(free == 2, level.group[free], -1)
    rest = prior.rest[free] + np.where(free == 2, 0.0, 0.6)
    mean, variance = found.elsewhere(prior.F[free], rest, [group])
    np.testing.assert_allclose(mean, found.mean[free], atol=1e-5)
    np.testing.assert_allclose(
        variance[1:], found.variance[free][1:], rtol=1e-5
    )  # what the first shares with its group is the caller's
