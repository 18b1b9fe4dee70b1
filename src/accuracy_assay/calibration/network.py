"""A network on top of a calibration with a joint potential (appendix E, algorithm 2).

Every batch has as many rows of the seed set D as of the pool U; on U predicted attributes replace
gold ones. The held-out part of D decides when to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay.calibration.factors import evidence_factors, log_scores
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import MAX_EXACT_ARMS, Potential
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.exact_training import TrainingRows, train_potential
from accuracy_assay.numerics.joint.potential import BARRED, evaluate, one_hot
from accuracy_assay.numerics.joint.sampled_training import SampledRows, train_sampled
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["NetworkTraining", "at_most"]


# If arms are too many to list, arms are drawn for every row of a batch. Chosen by hand to bound
# the time of a step; the held-out rows, which decide, get more.
_SAMPLED_BATCH_ROWS = 64
_TRAINING_SAMPLES = 64
_HELD_OUT_SAMPLES = 256


@dataclass(frozen=True, slots=True)
class NetworkTraining:
    """How one network is trained.

    Parameters
    ----------
    width
        Units of each of the two hidden layers.
    batch_rows
        Rows of D, and as many of U, in a batch.
    max_steps, learning_rate
        Limits of Adam.
    progress
        Called with (step, held-out loss) from time to time.
    """

    width: int
    batch_rows: int
    max_steps: int
    learning_rate: float
    progress: Callable[[int, float], None] | None = None

    def train(
        self, first: FittedCalibration, seed: SeedSet, pool: Evidence, rng: np.random.Generator
    ) -> tuple[FittedCalibration, int]:
        """Return ``first`` with a network added, and the steps that led to it."""
        train = _train_exact if first.space.n_arms <= MAX_EXACT_ARMS else _train_sampled
        return train(self, first, seed, pool, rng)


def at_most(evidence: Evidence, n: int, rng: np.random.Generator) -> Evidence:
    """Return the evidence, or ``n`` random rows if it has more."""
    if evidence.n_rows <= n:
        return evidence
    return evidence.take(rng.choice(evidence.n_rows, n, replace=False))


def _train_exact(
    training: NetworkTraining,
    first: FittedCalibration,
    seed: SeedSet,
    pool: Evidence,
    rng: np.random.Generator,
) -> tuple[FittedCalibration, int]:
    """Train a network over every arm; what it adds becomes part of the table."""
    space, table = first.space, _potential(first).blocks[0].table
    x = one_hot(space.codes(np.arange(space.n_arms)), space.shape)
    held, held_gold = seed.judged
    trained = train_potential(
        TrainingRows(
            log_scores(seed.train),
            space.arm_index(seed.train_gold),
            log_scores(held),
            space.arm_index(held_gold),
            log_scores(pool),
            _predicted(first, pool),
        ),
        table.reshape(-1),
        x,
        first.sharpness,
        np.array(seed.train.is_guessed),
        rng,
        width=training.width,
        batch_rows=training.batch_rows,
        max_steps=training.max_steps,
        learning_rate=training.learning_rate,
        progress=training.progress,
    )
    added = np.asarray(evaluate(trained.network, x)).reshape(table.shape)
    block = Block(tuple(range(table.ndim)), table + added)
    potential = Potential((block,), folded=trained.network)
    fitted = replace(first, sharpness=trained.sharpness, potential=potential)
    return fitted, trained.n_steps


def _train_sampled(
    training: NetworkTraining,
    first: FittedCalibration,
    seed: SeedSet,
    pool: Evidence,
    rng: np.random.Generator,
) -> tuple[FittedCalibration, int]:
    """Train a network if arms are too many to list; it is kept beside the blocks."""
    blocks = _potential(first).blocks
    held, held_gold = seed.judged
    trained = train_sampled(
        SampledRows(
            np.concatenate(log_scores(seed.train), axis=1),
            seed.train_gold,
            np.concatenate(log_scores(held), axis=1),
            held_gold,
            np.concatenate(log_scores(pool), axis=1),
            np.concatenate(_predicted(first, pool), axis=1),
        ),
        first.space.shape,
        blocks,
        first.sharpness,
        np.array(seed.train.is_guessed),
        rng,
        width=training.width,
        batch_rows=min(training.batch_rows, _SAMPLED_BATCH_ROWS),
        n_samples=_TRAINING_SAMPLES,
        n_held_samples=_HELD_OUT_SAMPLES,
        max_steps=training.max_steps,
        learning_rate=training.learning_rate,
        progress=training.progress,
    )
    potential = Potential(blocks, trained.network)
    return replace(first, sharpness=trained.sharpness, potential=potential), trained.n_steps


def _predicted(first: FittedCalibration, pool: Evidence) -> tuple[FloatArray, ...]:
    """Return 0 at the most probable values of each attribute and ``BARRED`` elsewhere."""
    predicted = evidence_factors(pool, first.sharpness, is_hard=True)
    return tuple(np.where(factor > 0.0, 0.0, BARRED) for factor in predicted)


def _potential(fitted: FittedCalibration) -> Potential:
    assert fitted.potential is not None
    return fitted.potential
