"""Training of sharpness and network on drawn arms, beside the training over all arms."""

import numpy as np
import pytest
from numpy.typing import NDArray

from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.exact_training import TrainingRows, train_potential
from accuracy_assay.numerics.joint.potential import BARRED, evaluate, one_hot
from accuracy_assay.numerics.joint.sampled_training import SampledRows, train_sampled
from accuracy_assay.numerics.joint.sharpness import fit_sharpness

SHAPE = (2, 2)
CODES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
TRUTH = np.array([0.45, 0.05, 0.05, 0.45])
IS_GUESSED = np.array([True, False])
BLOCKS = (Block((0,), np.zeros(2)), Block((1,), np.zeros(2)))
SETTINGS = {"width": 4, "batch_rows": 64, "max_steps": 150, "learning_rate": 0.03}
SAMPLES = {"n_samples": 32, "n_held_samples": 64}


def some_rows(rng: np.random.Generator) -> SampledRows:
    """The first attribute is guessed, too confidently; the second is known of no row."""

    def draw(n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        arm = rng.choice(4, n, p=TRUTH)
        said = np.where(rng.random(n) < 0.75, CODES[arm, 0], 1 - CODES[arm, 0])
        guess = np.where(np.arange(2) == said[:, None], 0.0, np.log(0.01 / 0.99))
        return np.concatenate([guess, np.zeros((n, 2))], axis=1), CODES[arm]

    seed, seed_gold = draw(300)
    held, held_gold = draw(300)
    pool, _ = draw(300)
    predicted = np.where(pool[:, :2] == 0.0, 0.0, BARRED)
    predicted = np.concatenate([predicted, np.zeros((300, 2))], axis=1)
    return SampledRows(seed, seed_gold, held, held_gold, pool, predicted)


def held_out_loss(rows: SampledRows, s: NDArray[np.float64], N: NDArray[np.float64]) -> float:
    scores = sum(s[k] * rows.held[:, 2 * k + CODES[:, k]] for k in range(2)) + N
    log_z = np.logaddexp.reduce(scores, axis=1)
    arm = rows.held_gold @ [2, 1]
    return float((log_z - scores[np.arange(300), arm]).mean())


def test_an_overconfident_predictor_gets_its_temperature_and_the_network_the_joint(rng) -> None:
    rows, seen = some_rows(rng), []
    trained = train_sampled(
        rows,
        SHAPE,
        BLOCKS,
        np.ones(2),
        IS_GUESSED,
        rng,
        progress=lambda step, loss: seen.append((step, loss)),
        **SETTINGS,
        **SAMPLES,
    )
    N = np.asarray(evaluate(trained.network, one_hot(CODES, SHAPE)))
    assert (trained.n_steps, trained.held_loss) == min(seen, key=lambda pair: pair[1])
    # Said at 99 %, right in 75 %: s = log(3) / log(99), a quarter.
    alone = fit_sharpness(rows.seed[:, :2], rows.seed_gold[:, 0])
    assert alone == pytest.approx(0.24, abs=0.05)
    assert trained.sharpness[0] == pytest.approx(alone, rel=0.2)
    assert trained.sharpness[1] == 1.0
    assert N[[0, 3]].min() > N[[1, 2]].max()
    # 64 drawn arms stand for four: the loss that was looked at is near the exact one.
    exact = held_out_loss(rows, trained.sharpness, N)
    assert trained.held_loss == pytest.approx(exact, abs=0.01)
    assert exact < held_out_loss(rows, np.ones(2), np.zeros(4)) - 0.3


def test_drawn_arms_lead_where_all_arms_lead(rng) -> None:
    rows, index = some_rows(rng), np.array([2, 1])

    def both(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        return table[:, :2], table[:, 2:]

    s = np.array([fit_sharpness(rows.seed[:, :2], rows.seed_gold[:, 0]), 1.0])
    over_all = train_potential(
        TrainingRows(
            both(rows.seed),
            rows.seed_gold @ index,
            both(rows.held),
            rows.held_gold @ index,
            both(rows.pool),
            both(rows.pool_predicted),
        ),
        np.zeros(4),
        one_hot(CODES, SHAPE),
        s,
        IS_GUESSED,
        np.random.default_rng(1),
        **SETTINGS,
    )
    drawn = train_sampled(
        rows, SHAPE, BLOCKS, s, IS_GUESSED, np.random.default_rng(1), **SETTINGS, **SAMPLES
    )
    N = np.asarray(evaluate(drawn.network, one_hot(CODES, SHAPE)))
    exact = held_out_loss(rows, drawn.sharpness, N)
    # Two runs of Adam, each with batches of its own; over all arms the pool sharpens as well.
    assert exact == pytest.approx(over_all.held_loss, rel=0.03)
    assert over_all.sharpness[0] > drawn.sharpness[0]


def test_no_step_leaves_the_network_at_zero_and_the_sharpness_in_place(rng) -> None:
    settings = SETTINGS | {"max_steps": 0}
    trained = train_sampled(
        some_rows(rng), SHAPE, BLOCKS, np.array([0.7, 1.0]), IS_GUESSED, rng, **settings, **SAMPLES
    )
    assert trained.n_steps == 0
    np.testing.assert_array_equal(evaluate(trained.network, one_hot(CODES, SHAPE)), 0.0)
    np.testing.assert_allclose(trained.sharpness, [0.7, 1.0])
