"""A run of Adam: its loss falls, it stops where numbers end, and it pools anew as it learns.

Neighbours follow the kernel as it is learned (section 3.3 of the paper).

Eight arms on a grid. Accuracy changes along its first axis alone, so the kernel learns a short
length there and a long one along the second. Arm 0 has one label. At the start its nearest arm is
arm 1, one step along the first axis, where almost all labels are wrong; once the kernel is learned
it is arm 2, a little further along the second, where almost all are right.
"""

import jax
import numpy as np
import pytest

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.adam import adam_start
from accuracy_assay.numerics.paper import training
from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.numerics.paper.svgp import Counts, Model, Params, initial_params, pooled_counts
from accuracy_assay.numerics.paper.training import TrainedGP, fit_counts, train
from accuracy_assay.runtime.device import put

X = np.array([[i, 1.1 * j] for j in range(4) for i in range(2)])
N = np.array([1.0] + [40.0] * 7)
C = np.array([1.0] + [4.0, 38.0] * 3 + [4.0])
FIRST_NEIGHBOUR, LEARNED_NEIGHBOUR = 1, 2
STEPS = 40


MODEL = Model(
    likelihood="bernoulli",
    pooling=Pooling(n_neighbours=1, use_self=False),
    pooling_steps=STEPS,
    learning_rate=0.1,
)
compiled_pooling = jax.jit(pooled_counts, static_argnames="model")


def counts() -> Counts:
    none = put(0.0)
    return Counts(put(X), put(N), put(C), put(8), put(8), put(X[:0]), put(0), none, none, none)


def begin() -> Params:
    return initial_params(MODEL, put(X), use_ard=True)


def run(n_steps: int, after: TrainedGP | None = None) -> TrainedGP:
    if after is None:
        return train(MODEL, begin(), adam_start(begin()), counts(), n_steps, 0, 1e-6)
    return train(MODEL, after.params, after.state, counts(), n_steps, 0, 1e-6)


def pooled_correct(params: Params) -> float:
    """Return the correct labels that pooling gives to arm 0: those of its nearest arm."""
    return float(compiled_pooling(MODEL, params, counts())[1][0])


def test_a_sparse_arm_changes_its_neighbour_as_the_kernel_is_learned() -> None:
    assert pooled_correct(begin()) == C[FIRST_NEIGHBOUR]
    assert pooled_correct(run(STEPS).params) == C[LEARNED_NEIGHBOUR]


def test_a_run_pools_anew_after_so_many_steps() -> None:
    """Two runs in a row, each of which pools at its start, are one run that pools in between."""
    at_once, in_two = run(2 * STEPS), run(STEPS, after=run(STEPS))
    np.testing.assert_allclose(at_once.params.mean, in_two.params.mean, rtol=1e-9)
    assert float(at_once.loss) == pytest.approx(float(in_two.loss), rel=1e-9)


def test_the_loss_falls_and_the_state_goes_on() -> None:
    losses = [float(run(n).loss) for n in (1, 10, STEPS)]
    assert losses == sorted(losses, reverse=True)
    assert bool(run(STEPS).is_finite)


def test_a_run_stops_at_the_first_step_that_is_not_finite() -> None:
    broken = begin()._replace(constant=put([np.nan]))
    ended = train(MODEL, broken, adam_start(broken), counts(), STEPS, 0, 1e-6)
    assert not bool(ended.is_finite)
    # One step was taken: Adam's count of steps says so.
    assert int(jax.tree.leaves(ended.state)[0]) == 1


def test_no_step_changes_nothing() -> None:
    ended = run(0)
    np.testing.assert_array_equal(ended.params.mean, begin().mean)
    assert bool(ended.is_finite)


def test_steps_that_pool_their_own_rows_are_those_of_a_run_that_pools_every_arm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = MODEL._replace(observed_per_step=4, pooling_steps=1)
    assert training._pools_in_steps(few, counts())
    assert not training._pools_in_steps(few._replace(pooling_steps=2), counts())

    def end(model: Model) -> TrainedGP:
        return train(model, begin(), adam_start(begin()), counts(), STEPS, 0, 1e-6)

    own = end(few)
    monkeypatch.setattr(training, "_pools_in_steps", lambda model, counts: False)
    # Another clip, which this model does not use, has it compiled anew.
    every = end(few._replace(count_clip=(0.02, 10.0)))
    np.testing.assert_allclose(every.params.mean, own.params.mean, rtol=1e-9)


def test_counts_alone_are_fitted_at_their_own_arms() -> None:
    fit = fit_counts(MODEL, X, N, C, 100, 1e-6)
    assert fit.mean.shape == fit.variance.shape == (1, 8)
    assert fit.raw_length.shape == (1, 1)
    rate = 1.0 / (1.0 + np.exp(-fit.mean[0]))
    np.testing.assert_allclose(rate[1:], (C / N)[1:], atol=0.1)
    with pytest.raises(ConvergenceError, match="must stay finite"):
        fit_counts(MODEL, X, N, np.full(8, np.nan), 100, 1e-6)
