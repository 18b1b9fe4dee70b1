"""A joint potential from what gold rows and pool say about attribute combinations.

::

    N(a) = c_D G_D(a) + c_U G_U(a) + sum_k b_k(a_k)

G_D is the log-ratio of D's prior (`numerics.joint.block_prior`) to the product of its marginals,
G_U the same of the prior that the evidence of U suggests (`numerics.joint.pool_prior`); the other
symbols are those of `numerics.joint`.

Coefficients, biases and sharpness are learned together (`numerics.joint.stacking`); each gold row
is judged by a G_D that did not see it. Spaces above 100,000 arms are cut into blocks of attributes
that D ties together, and each block is fitted alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from accuracy_assay.calibration.factors import evidence_factors, log_scores, predictor_sharpness
from accuracy_assay.calibration.potential import MAX_EXACT_ARMS, Potential
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.block_prior import Block, fit_blocks, join_blocks
from accuracy_assay.numerics.joint.crosstalk import Crosstalk, heard, may_hear, scales
from accuracy_assay.numerics.joint.pool_prior import base_rates, log_product, pool_prior
from accuracy_assay.numerics.joint.stacking import (
    Heard,
    Stacked,
    row_losses,
    stack,
)
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["JointPrior", "PriorFit", "fit_joint_prior"]


# Folds of the gold rows, the usual five: each row is judged by a prior from four fifths of D.
_FOLDS = 5
# Most combinations of a block if arms are too many to list. Chosen by hand, bounds memory: a
# block's posterior is held for every row of a chunk.
_MAX_SAMPLED_BLOCK = 1_000
# Prior mean of (c_D, c_U): D counts in full, U not at all. The pool shows correlations of
# predictions, which need not be correlations of attributes (docs/calibration.md).
_START = np.array([1.0, 0.0])
# Gold rows from which on crosstalk is tried: a fold then has ten rows to judge it by.
_LEAST_ROWS = 50
# Standard errors by which crosstalk must lower the loss of unseen gold rows: the usual one, since
# its prior keeps small what noise alone lets in.
_CLEAR_GAIN = 1.0


class JointPrior(NamedTuple):
    """Sharpness (K,), the potential, the attributes that D ties, and (c_D, c_U) per block.

    ``crosstalk`` is what predictors say about other attributes, if the gold rows show anything.
    """

    sharpness: FloatArray
    potential: Potential
    tied: tuple[tuple[int, ...], ...]
    coefficients: tuple[tuple[float, ...], ...]
    crosstalk: Crosstalk | None = None


def fit_joint_prior(
    evidence: Evidence, gold: IntArray, pool: Evidence, *, has_crosstalk: bool = True
) -> JointPrior:
    """Return sharpness and potential learned from gold codes (m, K) and a pool."""
    return PriorFit.prepare(evidence, gold, pool, has_crosstalk=has_crosstalk).prior


@dataclass(frozen=True, eq=False)
class PriorFit:
    """The parts of a joint prior, one per block, ready to be fitted to other weights of D.

    ``tied`` are the attributes that D ties.
    """

    parts: tuple[_BlockFit, ...]
    tied: tuple[tuple[int, ...], ...]

    @classmethod
    def prepare(
        cls, evidence: Evidence, gold: IntArray, pool: Evidence, *, has_crosstalk: bool = True
    ) -> PriorFit:
        """Return the parts for gold codes (m, K) and a pool.

        With ``has_crosstalk`` and arms few enough to list, predictors may say something about
        other attributes.
        """
        space = evidence.space
        is_exact = space.n_arms <= MAX_EXACT_ARMS
        factors = evidence_factors(pool, predictor_sharpness(evidence, gold))
        rates = base_rates(factors)
        most = MAX_EXACT_ARMS if is_exact else _MAX_SAMPLED_BLOCK
        tied = tuple(block.attributes for block in fit_blocks(gold, rates, most))
        scores, is_guessed = log_scores(evidence), np.array(evidence.is_guessed)
        parts = []
        for attributes in (tuple(range(len(space.shape))),) if is_exact else tied:
            at = list(attributes)
            shape = tuple(space.shape[k] for k in at)
            base = [rates[k] for k in at]
            suggested = pool_prior([factors[k] for k in at], base).reshape(shape)
            part = [scores[k] for k in at]
            hears = has_crosstalk and is_exact and int(is_guessed.sum()) > 1
            fit = _BlockFit(attributes, gold[:, at], part, base, suggested, is_guessed[at], hears)
            parts.append(fit)
        return cls(tuple(parts), tied)

    @cached_property
    def prior(self) -> JointPrior:
        """The prior of the gold rows as they are."""
        return self._prior(None)

    def vary(self, weight: FloatArray) -> JointPrior:
        """Return the prior of gold rows with weights (m,), a few steps from the one without."""
        return self._prior(weight)

    def _prior(self, weight: FloatArray | None) -> JointPrior:
        sharpness = np.ones(sum(len(part.attributes) for part in self.parts))
        blocks, coefficients, crosstalk = [], [], None
        for part in self.parts:
            fit = part.fitted if weight is None else part.fit(weight, part.fitted)
            if fit.crosstalk is not None:
                crosstalk = Crosstalk(fit.crosstalk, part.scale)
            blocks.append(Block(part.attributes, part.table(fit, weight)))
            sharpness[list(part.attributes)] = fit.sharpness
            coefficients.append(tuple(fit.coefficients.tolist()))
        potential = Potential(tuple(blocks))
        return JointPrior(sharpness, potential, self.tied, tuple(coefficients), crosstalk)


@dataclass(frozen=True, eq=False)
class _BlockFit:
    """What one block is fitted from: gold codes, scores, base rates and the pool's prior."""

    attributes: tuple[int, ...]
    gold: IntArray
    scores: list[FloatArray]
    rates: list[FloatArray]
    suggested: FloatArray
    is_guessed: BoolArray
    hears: bool = False

    @cached_property
    def _fold(self) -> IntArray:
        m = self.gold.shape[0]
        return np.asarray(np.arange(m) % min(_FOLDS, m))

    @cached_property
    def fitted(self) -> Stacked:
        """The fit to the gold rows as they are, with crosstalk if it clearly helps."""
        alone = self.fit()
        if not self.hears or self.gold.shape[0] < _LEAST_ROWS:
            return alone
        together = self._stack(None, alone, self._heard)
        gains = self._unseen_losses(alone) - self._unseen_losses(together)
        is_clear = gains.mean() > _CLEAR_GAIN * gains.std() / np.sqrt(gains.size)
        return together if is_clear else alone

    @cached_property
    def scale(self) -> FloatArray:
        """The scale of each value's score (V,)."""
        return scales(self.scores)

    @cached_property
    def _heard(self) -> Heard:
        sizes = [scores.shape[1] for scores in self.scores]
        return Heard(heard(self.scores, self.scale), may_hear(sizes, self.is_guessed))

    def fit(self, weight: FloatArray | None = None, near: Stacked | None = None) -> Stacked:
        """Return the fit to weighted gold rows; each is judged by a G_D that did not see it.

        It hears what ``near`` heard.
        """
        hears = near is not None and near.crosstalk is not None
        return self._stack(weight, near, self._heard if hears else None)

    def _stack(
        self, weight: FloatArray | None, near: Stacked | None, what: Heard | None
    ) -> Stacked:
        unseen = self._unseen if weight is None else self._features_by_fold(weight)
        return self._stack_on(unseen, weight, near, what)

    def _stack_on(
        self,
        unseen: FloatArray,
        weight: FloatArray | None,
        near: Stacked | None,
        what: Heard | None,
    ) -> Stacked:
        rows = (self.scores, self._arm, self._fold)
        return stack(*rows, unseen, _START, self.is_guessed, weight, near, what)

    def _unseen_losses(self, near: Stacked) -> FloatArray:
        """Return the loss of each gold row under a fit to the other folds, (m,)."""
        what = None if near.crosstalk is None else self._heard
        losses = np.empty(self._arm.size)
        for j, features in enumerate(self._unseen):
            rest = self._stack_on(self._unseen, (self._fold != j).astype(float), near, what)
            rows = np.flatnonzero(self._fold == j)
            scores = [table[rows] for table in self.scores]
            of_rows = None if what is None else what.take(rows)
            losses[rows] = row_losses(rest, scores, self._arm[rows], features, of_rows)
        return losses

    @cached_property
    def _arm(self) -> IntArray:
        return np.asarray(
            np.ravel_multi_index(tuple(self.gold.T), self.suggested.shape), dtype=np.int64
        )

    @cached_property
    def _unseen(self) -> FloatArray:
        return self._features_by_fold(None)

    def _features_by_fold(self, weight: FloatArray | None) -> FloatArray:
        folds = range(max(self._fold) + 1)
        return np.stack([self._features(weight, self._fold != j) for j in folds])

    def table(self, fit: Stacked, weight: FloatArray | None = None) -> FloatArray:
        """Return N over the combinations of the block."""
        table = fit.coefficients @ self._features(weight)
        table += log_product([np.exp(bias) for bias in fit.biases])
        return np.asarray(table.reshape(self.suggested.shape))

    def _features(self, weight: FloatArray | None, part: BoolArray | None = None) -> FloatArray:
        """Return G_D of some gold rows, and G_U, over the combinations, (2, their number)."""
        gold = self.gold if part is None else self.gold[part]
        counts = weight if weight is None or part is None else weight[part]
        seen = join_blocks(fit_blocks(gold, self.rates, self.suggested.size, counts)).table
        return np.stack([_log_ratio(seen), _log_ratio(self.suggested)])


def _log_ratio(table: FloatArray) -> FloatArray:
    axes = range(table.ndim)
    marginals = [table.sum(axis=tuple(j for j in axes if j != k)) for k in axes]
    return np.asarray(np.log(table).reshape(-1) - log_product(marginals))
