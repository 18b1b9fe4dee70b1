import numpy as np

from accuracy_assay.numerics.watching.change_point import when_changed


def test_a_clear_change_is_dated_and_measured(rng: np.random.Generator) -> None:
    right = np.concatenate([np.tile(8.0, 20), np.tile(3.0, 20)])
    blocks = np.stack([right, 10.0 - right], axis=1)
    found = when_changed(np.array([160.0, 40.0]), blocks, rng)
    assert found.block == 20
    assert abs(found.now - 0.3) < 0.01
    lower, upper = np.quantile(found.loss, [0.05, 0.95])
    assert lower < 0.5 < upper
    # Two binomial standard errors of 200 labels each, 1.645 either side.
    assert abs((upper - lower) / (2 * 1.645 * np.sqrt(0.16 / 200 + 0.21 / 200)) - 1.0) < 0.1


def test_blocks_without_labels_are_no_start(rng: np.random.Generator) -> None:
    blocks = np.array([[0.0, 0.0], [0.0, 5.0], [0.0, 5.0]])
    assert when_changed(np.array([50.0, 5.0]), blocks, rng).block == 1
