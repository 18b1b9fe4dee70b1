"""The potential of a fitted calibration: blocks, combinations and the network on top."""

import numpy as np
import pytest

from accuracy_assay.calibration import potential as module
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import evaluate, one_hot

SHAPE = (2, 3, 2)


@pytest.fixture
def blocks(rng) -> tuple[Block, ...]:
    return Block((0, 2), rng.normal(size=(2, 2))), Block((1,), rng.normal(size=3))


@pytest.fixture
def network(rng) -> tuple[np.ndarray, ...]:
    return tuple(rng.normal(size=size) for size in ((7, 4), 4, (4, 4), 4, 4))


def test_posteriors_of_blocks_are_factors_times_tables(blocks, rng) -> None:
    factors = [rng.random((5, size)) for size in SHAPE]
    first, second = Potential(blocks).block_posteriors(factors)
    joint = np.einsum("na,nc,ac->nac", factors[0], factors[2], np.exp(blocks[0].table))
    np.testing.assert_allclose(first, joint.reshape(5, 4) / joint.sum(axis=(1, 2))[:, None])
    alone = factors[1] * np.exp(blocks[1].table)
    np.testing.assert_allclose(second, alone / alone.sum(axis=1, keepdims=True))


def test_combinations_of_blocks_become_codes_in_the_order_of_the_attributes(blocks) -> None:
    # Combination 2 of (first, third) is (1, 0); combination 1 of the second is its value 1.
    codes = Potential(blocks).codes(np.array([[2, 1], [3, 0]]), 3)
    assert codes.tolist() == [[1, 1, 0], [1, 0, 1]]


def test_a_network_is_evaluated_in_pieces(blocks, network, monkeypatch) -> None:
    codes = np.stack(np.unravel_index(np.arange(12), SHAPE), axis=1)
    monkeypatch.setattr(module, "_PIECE", 5)
    found = Potential(blocks, network).network_values(codes, SHAPE)
    np.testing.assert_allclose(found, evaluate(network, one_hot(codes, SHAPE)))
    np.testing.assert_array_equal(Potential(blocks).network_values(codes, SHAPE), 0.0)


def test_one_table_without_a_network_is_exact(blocks, network, rng) -> None:
    whole = (Block((0, 1, 2), rng.normal(size=SHAPE)),)
    assert Potential(whole).is_exact
    assert Potential(whole, folded=network).is_exact
    assert not Potential(blocks).is_exact
    assert not Potential(whole, network).is_exact


def test_hidden_layers_are_those_of_the_network_wherever_it_stands(blocks, network) -> None:
    assert Potential(blocks).hidden_layers is None
    for potential in (Potential(blocks, network), Potential(blocks, folded=network)):
        layers = potential.hidden_layers
        assert layers is not None
        for found, expected in zip(layers, (network[:2], network[2:4]), strict=True):
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])
