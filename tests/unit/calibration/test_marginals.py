"""Marginals and the most probable arm against enumeration of all arms."""

import numpy as np
import pytest

from accuracy_assay.calibration import marginals as module
from accuracy_assay.calibration.marginals import marginals
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import evaluate, one_hot
from accuracy_assay.numerics.joint.sparse_rows import expand_rows

SHAPE = (2, 3, 2, 2)
CODES = np.stack(np.unravel_index(np.arange(24), SHAPE), axis=1)


@pytest.fixture
def factors(rng) -> list[np.ndarray]:
    return [rng.uniform(0.1, 1.0, (40, size)) for size in SHAPE]


@pytest.fixture
def blocks(rng) -> tuple[Block, ...]:
    return Block((0, 2), rng.normal(size=(2, 2))), Block((1, 3), rng.normal(size=(3, 2)))


def brute_force(factors: list[np.ndarray], potential: Potential | None) -> np.ndarray:
    P = expand_rows(factors)
    for block in () if potential is None else potential.blocks:
        P = P * np.exp(block.table[tuple(CODES[:, list(block.attributes)].T)])
    if potential is not None and potential.network is not None:
        P = P * np.exp(evaluate(potential.network, one_hot(CODES, SHAPE)))
    return P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("piece", [24, 2_000_000])
def test_blocks_are_combined_exactly(factors, blocks, piece: int, monkeypatch) -> None:
    monkeypatch.setattr(module, "_PIECE", piece)
    for potential in (None, Potential(blocks)):
        found, P = marginals(factors, potential), brute_force(factors, potential)
        for k, size in enumerate(SHAPE):
            np.testing.assert_allclose(found.tables[k], P @ np.eye(size)[CODES[:, k]])
        np.testing.assert_array_equal(found.top_codes, CODES[P.argmax(axis=1)])
        np.testing.assert_allclose(found.top_probability, P.max(axis=1))


def test_with_a_network_they_are_estimated_from_samples(factors, blocks, rng) -> None:
    network = tuple(rng.normal(0, 0.6, size) for size in ((9, 6), 6, (6, 6), 6, 6))
    potential = Potential(blocks, network)
    found, P = marginals(factors, potential), brute_force(factors, potential)
    for k, size in enumerate(SHAPE):
        # 512 samples: a standard error of at most 0.5 / sqrt(effective samples), about 0.03.
        np.testing.assert_allclose(found.tables[k], P @ np.eye(size)[CODES[:, k]], atol=0.12)
        np.testing.assert_allclose(found.tables[k].sum(axis=1), 1.0)
    at_top = P[np.arange(40), np.ravel_multi_index(tuple(found.top_codes.T), SHAPE)]
    np.testing.assert_allclose(found.top_probability, at_top, rtol=0.25)
    np.testing.assert_allclose(at_top, P.max(axis=1))
