"""Training of the network on drawn arms, on a space small enough to know the answer."""

import numpy as np
import pytest

from accuracy_assay.numerics.joint.potential import evaluate, one_hot
from accuracy_assay.numerics.joint.sampled_training import SampledRows, train_sampled

SHAPE = (2, 2)
CODES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
TRUTH = np.array([0.4, 0.1, 0.1, 0.4])


def some_rows(rng: np.random.Generator) -> SampledRows:
    """Nothing is known of any row: arms are drawn evenly, gold ones by the truth."""

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        return CODES[rng.choice(4, n, p=TRUTH)], CODES[rng.integers(0, 4, (n, 32))]

    return SampledRows(*draw(200), *draw(200), *draw(200))


def test_the_network_learns_which_arms_are_frequent(rng) -> None:
    seen = []
    network, n_steps = train_sampled(
        some_rows(rng),
        SHAPE,
        rng,
        width=4,
        batch_rows=64,
        max_steps=150,
        learning_rate=0.03,
        progress=lambda step, loss: seen.append((step, loss)),
    )
    N = np.asarray(evaluate(network, one_hot(CODES, SHAPE)))
    assert n_steps == min(seen, key=lambda pair: pair[1])[0]
    # The truth is log 4 = 1.39 between both kinds of arms.
    assert N[[0, 3]].mean() - N[[1, 2]].mean() == pytest.approx(np.log(4.0), abs=0.6)


def test_no_step_leaves_the_network_at_zero(rng) -> None:
    network, n_steps = train_sampled(
        some_rows(rng), SHAPE, rng, width=4, batch_rows=64, max_steps=0, learning_rate=0.03
    )
    assert n_steps == 0
    np.testing.assert_array_equal(evaluate(network, one_hot(CODES, SHAPE)), 0.0)
