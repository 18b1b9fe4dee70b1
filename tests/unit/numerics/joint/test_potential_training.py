"""When training stops, and which parameters it returns: a list of losses stands in for it."""

import numpy as np

from accuracy_assay.numerics.joint.potential_training import (
    CHECK_EVERY,
    Best,
    train_while_it_helps,
)


def train(losses: list[float], max_steps: int, patience: int = 2) -> tuple[Best, list[int]]:
    """Train parameters that count their runs; the held-out loss after i runs is losses[i]."""
    looks: list[int] = []
    best = train_while_it_helps(
        np.array(0.0),
        lambda params, state, key: (params + 1.0, state),
        lambda params: losses[int(params)],  # type: ignore[arg-type, return-value]
        np.random.default_rng(0),
        max_steps=max_steps,
        patience=patience,
        progress=lambda step, loss: looks.append(step),
    )
    return best, looks


def test_the_lowest_loss_wins_even_if_it_rises_later() -> None:
    best, _ = train([5.0, 4.0, 3.0, 3.5, 3.2, 9.0], max_steps=1000)
    assert (int(best.params), best.held_loss, best.n_steps) == (2, 3.0, 2 * CHECK_EVERY)


def test_it_stops_after_so_many_looks_without_improvement() -> None:
    _, looks = train([5.0, 4.0, 4.5, 4.5, 1.0], max_steps=1000)
    assert looks == [CHECK_EVERY, 2 * CHECK_EVERY, 3 * CHECK_EVERY]


def test_it_stops_at_the_limit() -> None:
    best, looks = train([5.0, 4.0, 3.0, 2.0], max_steps=2 * CHECK_EVERY)
    assert looks == [CHECK_EVERY, 2 * CHECK_EVERY]
    assert best.held_loss == 3.0


def test_a_start_that_nothing_improves_is_returned() -> None:
    best, _ = train([1.0, 2.0, float("nan"), 0.0], max_steps=1000)
    assert (int(best.params), best.held_loss, best.n_steps) == (0, 1.0, 0)
