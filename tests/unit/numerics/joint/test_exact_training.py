"""Training of sharpness and potential on rows whose truth is known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from accuracy_assay.numerics.joint.exact_training import TrainingRows, train_potential
from accuracy_assay.numerics.joint.potential import BARRED, evaluate, one_hot

SHAPE = (2, 2)
CODES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
X = one_hot(CODES, SHAPE)
TRUTH = np.array([0.45, 0.05, 0.05, 0.45])
IS_GUESSED = np.array([True, False])


def some_rows(rng: np.random.Generator) -> TrainingRows:
    """The first attribute is guessed, too confidently; the second is known of no row."""

    def draw(n: int) -> tuple[tuple[NDArray[np.float64], ...], NDArray[np.int64]]:
        arm = rng.choice(4, n, p=TRUTH)
        said = np.where(rng.random(n) < 0.75, CODES[arm, 0], 1 - CODES[arm, 0])
        guess = np.where(np.arange(2) == said[:, None], 0.0, np.log(0.1 / 0.9))
        return (guess, np.zeros((n, 2))), arm

    seed, seed_arm = draw(300)
    held, held_arm = draw(300)
    pool, _ = draw(300)
    predicted = (np.where(pool[0] == 0.0, 0.0, BARRED), np.zeros((300, 2)))
    return TrainingRows(seed, seed_arm, held, held_arm, pool, predicted)


def held_out_loss(rows: TrainingRows, s: NDArray[np.float64], N: NDArray[np.float64]) -> float:
    scores = sum(s[k] * rows.held[k][:, CODES[:, k]] for k in range(2)) + N
    log_z = np.logaddexp.reduce(scores, axis=1)
    return float((log_z - scores[np.arange(300), rows.held_arm]).mean())


def test_the_best_parameters_are_returned_with_their_loss(rng) -> None:
    rows, seen = some_rows(rng), []
    trained = train_potential(
        rows,
        np.zeros(4),
        X,
        np.ones(2),
        IS_GUESSED,
        rng,
        width=4,
        batch_rows=64,
        max_steps=100,
        learning_rate=0.03,
        progress=lambda step, loss: seen.append((step, loss)),
    )
    N = np.asarray(evaluate(trained.network, X))
    first = held_out_loss(rows, np.ones(2), np.zeros(4))
    assert trained.held_loss == pytest.approx(held_out_loss(rows, trained.sharpness, N))
    assert trained.held_loss == pytest.approx(min([first, *(loss for _, loss in seen)]))
    assert (trained.n_steps, trained.held_loss) in [(s, pytest.approx(v)) for s, v in seen]
    # Arms whose two values agree are nine times as frequent.
    assert N[[0, 3]].min() > N[[1, 2]].max()
    assert trained.held_loss < first - 0.1
    assert trained.sharpness[1] == 1.0


def test_a_start_that_nothing_improves_is_kept_and_training_ends_early(rng) -> None:
    rows, steps = some_rows(rng), []
    trained = train_potential(
        rows,
        np.zeros(4),
        X,
        np.ones(2),
        IS_GUESSED,
        rng,
        width=4,
        batch_rows=64,
        max_steps=1000,
        patience=2,
        learning_rate=50.0,
        progress=lambda step, loss: steps.append(step),
    )
    assert steps == [25, 50]
    assert trained.n_steps == 0
    np.testing.assert_array_equal(evaluate(trained.network, X), 0.0)
    np.testing.assert_array_equal(trained.sharpness, 1.0)
