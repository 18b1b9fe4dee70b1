"""Partitions over drawn arms against those over all arms, on a case that can be enumerated."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from accuracy_assay.numerics.joint import exact_loss as exact
from accuracy_assay.numerics.joint import sampled_loss as sampled
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import BARRED, Network, evaluate, one_hot
from accuracy_assay.numerics.joint.sampled_loss import Drawing
from accuracy_assay.runtime.precision import precision

BLOCKS = ((0, 2), (1,), (3,))


class Setting:
    """Tables of the blocks, a network, and a gold arm of each row."""

    def __init__(self, case, rng: np.random.Generator, *, is_flat: bool = False) -> None:
        self.case = case
        shapes = [tuple(case.shape[k] for k in block) for block in BLOCKS]
        self.blocks = [Block(b, rng.normal(size=s)) for b, s in zip(BLOCKS, shapes, strict=True)]
        self.tables = sampled.pad_tables(self.blocks)
        w1, w2 = rng.normal(0, 0.6, (11, 5)), rng.normal(0, 0.6, (5, 5))
        w3 = rng.normal(size=5) * (0.0 if is_flat else 1.0)
        self.network: Network = (w1, rng.normal(size=5), w2, rng.normal(size=5), w3)
        self.gold = case.codes[rng.integers(0, case.n_arms, case.n_rows)]
        self.arm = np.ravel_multi_index(tuple(self.gold.T), case.shape)

    @property
    def log_m(self) -> np.ndarray:
        """Log-scores side by side, (n, V)."""
        return np.concatenate(self.case.log_m, axis=1)

    def drawing(self, n_samples: int) -> Drawing:
        return Drawing(BLOCKS, self.case.shape, n_samples)

    def potential(self, network: Network) -> Any:
        """Return N of every arm, (A,)."""
        codes = self.case.codes
        apart = sum(b.table[tuple(codes[:, k] for k in b.attributes)] for b in self.blocks)
        return apart + evaluate(network, one_hot(codes, self.case.shape))

    def losses(self, n_samples: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the exact and the sampled mean loss of gold arms, functions of (s, network)."""
        drawing = self.drawing(n_samples)

        def over_all(s, network):
            N = jnp.asarray(self.potential(network))
            return jnp.mean(exact.gold_losses(self.case.log_m, self.arm, s, N))

        def over_drawn(s, network):
            F = self.log_m * jnp.repeat(s, np.array(self.case.shape), total_repeat_length=11)
            gold = sampled.arm_scores(F, self.gold, self.tables, network, drawing)
            key = jax.random.key(0)
            return jnp.mean(sampled.log_partition(F, self.tables, network, key, drawing) - gold)

        return over_all, over_drawn


@pytest.mark.parametrize(
    ("is_flat", "n_samples", "tolerance"), [(True, 1, 1e-9), (False, 20_000, 0.015)]
)
def test_losses_and_slopes_are_the_exact_ones(case, rng, is_flat, n_samples, tolerance) -> None:
    # Without a network one drawn arm is enough. With one, means over 20 rows of 20,000 draws have
    # a standard error near 0.0016 times the deviation of what is averaged, which is at most 2.
    by = Setting(case, rng, is_flat=is_flat)
    with precision("float64"):
        (wanted, exact_slopes), (found, slopes) = (
            jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(jnp.asarray(case.s), by.network)
            for loss in by.losses(n_samples)
        )
    assert float(found) == pytest.approx(float(wanted), abs=tolerance)
    np.testing.assert_allclose(slopes[0], exact_slopes[0], atol=tolerance)
    if not is_flat:  # the slope of a flat network is a mean over drawn arms, of which one is few
        for one, other in zip(slopes[1], exact_slopes[1], strict=True):
            np.testing.assert_allclose(one, other, atol=tolerance)


def test_apart_is_the_partition_of_no_potential(case, rng) -> None:
    by = Setting(case, rng)
    drawing = by.drawing(1)
    with precision("float64"):
        F = jnp.asarray(
            np.concatenate([s * m for s, m in zip(case.s, case.log_m, strict=True)], 1)
        )
        found = jax.jit(sampled.log_partition_apart, static_argnames="drawing")(F, drawing=drawing)
        gold = jax.jit(sampled.scores_apart, static_argnames="drawing")(
            F, by.gold, drawing=drawing
        )
    scores = case.scores(case.s, np.zeros(case.n_arms))
    np.testing.assert_allclose(found, np.logaddexp.reduce(scores, axis=1))
    np.testing.assert_allclose(gold, scores[np.arange(case.n_rows), by.arm])


def test_what_is_ruled_out_is_never_drawn(case, rng) -> None:
    by, F = Setting(case, rng), Setting(case, rng).log_m.copy()
    F[:, 7:] = np.where(np.arange(4) == 1, 0.0, BARRED)  # the last attribute is known: value 1
    w1, *others = by.network
    apart = w1.copy()
    apart[[7, 9, 10]] += 5.0  # what the network would say of its other values
    with precision("float64"):
        partition = jax.jit(sampled.log_partition, static_argnames="drawing")
        one, other = (
            partition(F, by.tables, (w, *others), jax.random.key(1), drawing=by.drawing(200))
            for w in (w1, apart)
        )
    np.testing.assert_array_equal(one, other)
    assert np.isfinite(np.asarray(one)).all()


def test_blocks_may_hold_attributes_in_any_places() -> None:
    drawing = Drawing(((0, 2), (1,), (3,)), (2, 3, 2, 4), 1)
    assert drawing.first_column.tolist() == [0, 2, 5, 7]
    assert drawing.block_of.tolist() == [0, 1, 0, 2]
    assert drawing.stride.tolist() == [2, 1, 1, 1]
