"""Temperatures and a joint potential: log P(a|x) = sum_k t_k log M_k(a_k|x) + N(a) - log Z.

Notation
--------
D, U     seed set (gold attributes) and pool (evidence alone)
pi_k     base rate of predictor k over the pool; pi(a) joint prior of attribute combinations
N(a)   = log pi(a) - sum_k log pi_k(a_k) + network(a)

Section 3.5, appendix E and algorithm 2 of the paper. Where we depart from it: N starts at the
log-ratio of a joint prior (`numerics.block_prior` from D, `numerics.pool_prior` from U) instead of
at random, and on U the predicted attributes stand in with their uncertainty instead of as hard
values. ``Full(start="zero", pool_target="predicted")`` is the appendix to the letter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from accuracy_assay.calibration.factors import evidence_factors, log_evidence
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import MAX_EXACT_ARMS, Potential
from accuracy_assay.calibration.quality import reported
from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.sampled import N_SAMPLES, sample_cells, sampled_log_partition
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.calibration.temperature import fit_temperatures
from accuracy_assay.evidence import Evidence
from accuracy_assay.numerics.block_prior import Block, fit_blocks, join_blocks
from accuracy_assay.numerics.pool_prior import base_rates, log_product, pool_prior
from accuracy_assay.numerics.potential import BARRED, evaluate, one_hot

__all__ = ["Full"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_MAX_SAMPLED_BLOCK = 1_000
_SAMPLED_POOL_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Full:
    """Rescale each predictor and learn which attribute combinations are natural.

    Parameters
    ----------
    widths
        Widths of the network to try. The held-out part of the seed set chooses; a network that
        does not lower the held-out loss by more than its standard error is left out.
    start
        ``"prior"``: N starts at a joint prior of seed set and pool; ``"zero"``: at nothing.
    pool_target
        What stands in for gold attributes on the pool: ``"posterior"``, P(a|x) itself against
        the prior of the model, or ``"predicted"``, the most probable values as in the paper.
    held_out_share
        Share of the seed set that is held out for early stopping, for the width and the report.
    batch_rows
        Rows of the seed set, and as many of the pool, in a batch.
    max_steps, learning_rate
        Limits of the training of the network (Adam).
    max_pool_rows
        Pool rows that training looks at; drawn at random from a larger pool.
    progress
        Called with (width, step, held-out loss) from time to time.
    """

    widths: tuple[int, ...] = (16, 64)
    start: Literal["prior", "zero"] = "prior"
    pool_target: Literal["posterior", "predicted"] = "posterior"
    held_out_share: float = 0.2
    batch_rows: int = 256
    max_steps: int = 600
    learning_rate: float = 1e-3
    max_pool_rows: int = 50_000
    progress: Callable[[int, int, float], None] | None = None

    def fit(
        self,
        seed: Evidence,
        gold: npt.NDArray[np.int64],
        pool: Evidence,
        rng: np.random.Generator,
    ) -> FittedCalibration:
        """Return the calibration."""
        if seed.n_rows == 0:
            return uncalibrated(pool.space, wanted="full")
        split = SeedSet.split(seed, gold, rng, self.held_out_share)
        some = _at_most(pool if pool.n_rows else seed, self.max_pool_rows, rng)
        is_exact = seed.space.n_arms <= MAX_EXACT_ARMS
        first = _Start.of(split, some, use_prior=self.start == "prior", is_exact=is_exact)
        base_loss = _losses(first.fitted, split)
        best, best_loss = first.fitted, float(base_loss.mean())
        details: dict[str, Any] = {
            "start": self.start,
            "blocks": [[seed.space.names[k] for k in block] for block in first.blocks],
            "width": 0,
            "steps": 0,
        }
        for width in self.widths:
            train = self._train_exact if is_exact else self._train_sampled
            fitted, n_steps = train(first, split, some, width, rng)
            losses = _losses(fitted, split)
            if losses.mean() < best_loss and _is_clear_gain(base_loss - losses):
                best, best_loss = fitted, float(losses.mean())
                details |= {"width": width, "steps": n_steps}
        return reported(best, split, details | _sampling(best, split))

    def _train_exact(
        self, first: _Start, seed: SeedSet, pool: Evidence, width: int, rng: np.random.Generator
    ) -> tuple[FittedCalibration, int]:
        from accuracy_assay.numerics.calibration_training import TrainingRows, train_potential

        space = seed.train.space
        table = first.potential.blocks[0].table
        x = one_hot(space.codes(np.arange(space.n_arms)), space.shape)
        held, held_gold = seed.judged
        trained = train_potential(
            TrainingRows(
                _log_scores(seed.train),
                space.arm_index(seed.train_gold),
                _log_scores(held),
                space.arm_index(held_gold),
                _log_scores(pool),
                tuple(
                    np.maximum(np.log(np.maximum(factor, 1e-300)), BARRED)
                    for factor in evidence_factors(pool, first.fitted.temperatures, is_hard=True)
                ),
            ),
            table.reshape(-1),
            log_product(first.rates),
            x,
            first.fitted.temperatures,
            np.array(seed.train.is_guessed),
            rng,
            width=width,
            pool_target=self.pool_target,
            batch_rows=self.batch_rows,
            max_steps=self.max_steps,
            learning_rate=self.learning_rate,
            progress=self._progress(width),
        )
        added = np.asarray(evaluate(trained.network, x)).reshape(table.shape)
        potential = Potential((Block(tuple(range(len(space.shape))), table + added),))
        fitted = replace(first.fitted, temperatures=trained.temperatures, potential=potential)
        return fitted, trained.n_steps

    def _train_sampled(
        self, first: _Start, seed: SeedSet, pool: Evidence, width: int, rng: np.random.Generator
    ) -> tuple[FittedCalibration, int]:
        from accuracy_assay.numerics.sampled_training import SampledRows, train_sampled

        held, held_gold = seed.judged
        prior = [np.exp(block.table.reshape(1, -1)) for block in first.priors]
        few = _at_most(pool, _SAMPLED_POOL_ROWS, rng)
        network, n_steps = train_sampled(
            SampledRows(
                seed.train_gold,
                first.draw(seed.train, 64, rng),
                held_gold,
                first.draw(held, 256, rng),
                first.draw(few, 64, rng),
                first.draw_cells(prior, 20_000, rng)[0],
            ),
            pool.space.shape,
            rng,
            width=width,
            batch_rows=min(self.batch_rows, 64),
            max_steps=self.max_steps,
            learning_rate=self.learning_rate,
            progress=self._progress(width),
        )
        potential = Potential(first.potential.blocks, network)
        return replace(first.fitted, potential=potential), n_steps

    def _progress(self, width: int) -> Callable[[int, float], None] | None:
        return None if self.progress is None else partial(self.progress, width)


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """Where training starts: temperatures, base rates and a potential without a network."""

    fitted: FittedCalibration
    potential: Potential
    rates: list[Floats]
    blocks: list[tuple[int, ...]]
    priors: tuple[Block, ...]

    @classmethod
    def of(cls, seed: SeedSet, pool: Evidence, *, use_prior: bool, is_exact: bool) -> _Start:
        space = seed.train.space
        temperatures = fit_temperatures(seed)
        factors = evidence_factors(pool, temperatures)
        rates = base_rates(factors)
        cells = MAX_EXACT_ARMS if is_exact else _MAX_SAMPLED_BLOCK
        blocks = fit_blocks(seed.train_gold, rates, cells)
        if not use_prior:
            blocks = tuple(Block((k,), rate) for k, rate in enumerate(rates))
        found = [block.attributes for block in blocks]
        if is_exact:
            blocks = (join_blocks(blocks),)
        if use_prior:
            blocks = tuple(_seen_in_pool(block, factors, rates) for block in blocks)
        potential = Potential(tuple(_log_ratio(block, rates) for block in blocks))
        report = CalibrationReport("full", 0, 0)
        fitted = FittedCalibration(space, "full", temperatures, potential, report)
        logs = tuple(Block(block.attributes, np.log(block.table)) for block in blocks)
        return cls(fitted, potential, rates, found, logs)

    def draw(self, evidence: Evidence, n_samples: int, rng: np.random.Generator) -> Ints:
        """Return codes (n, S, K) of arms drawn from the posterior without a network."""
        factors = evidence_factors(evidence, self.fitted.temperatures)
        return self.draw_cells(self.potential.block_posteriors(factors), n_samples, rng)

    def draw_cells(self, tables: list[Floats], n_samples: int, rng: np.random.Generator) -> Ints:
        """Return codes (n, S, K) of arms drawn from tables over the blocks."""
        n_attributes = len(self.fitted.space.shape)
        cells = sample_cells(tables, n_samples, rng)
        codes = self.potential.codes(cells.reshape(-1, cells.shape[2]), n_attributes)
        return codes.reshape(*cells.shape[:2], n_attributes)


def _seen_in_pool(block: Block, factors: list[Floats], rates: list[Floats]) -> Block:
    own = [factors[k] for k in block.attributes]
    base = [rates[k] for k in block.attributes]
    table = pool_prior(own, base, block.table.reshape(-1))
    return Block(block.attributes, table.reshape(block.table.shape))


def _log_ratio(block: Block, rates: list[Floats]) -> Block:
    base = log_product([rates[k] for k in block.attributes])
    return Block(block.attributes, np.log(block.table) - base.reshape(block.table.shape))


def _log_scores(evidence: Evidence) -> tuple[Floats, ...]:
    return tuple(np.maximum(scores, BARRED) for scores in log_evidence(evidence))


def _at_most(evidence: Evidence, n: int, rng: np.random.Generator) -> Evidence:
    if evidence.n_rows <= n:
        return evidence
    return evidence.take(rng.choice(evidence.n_rows, n, replace=False))


def _losses(fitted: FittedCalibration, seed: SeedSet) -> Floats:
    return -fitted.log_probability(*seed.judged)


def _is_clear_gain(gains: Floats) -> bool:
    """Whether the mean gain exceeds its standard error, so that noise adds no network."""
    return bool(gains.mean() > gains.std() / np.sqrt(gains.size))


def _sampling(fitted: FittedCalibration, seed: SeedSet) -> dict[str, Any]:
    """Return how good sampled partitions are, where they are sampled."""
    if fitted.potential is None or fitted.potential.network is None:
        return {}
    factors = evidence_factors(seed.judged[0], fitted.temperatures)
    sampled = sampled_log_partition(fitted.potential, factors, fitted.space.shape)
    return {
        "samples": N_SAMPLES,
        "effective_samples_min": float(sampled.effective_samples.min()),
        "effective_samples_mean": float(sampled.effective_samples.mean()),
        "log_z_standard_error": float(sampled.standard_error.max()),
    }
