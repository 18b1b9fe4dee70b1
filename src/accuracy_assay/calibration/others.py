"""Other calibrations that the gold rows allow: what a fit to a few hundred rows does not know.

Each is the calibration of gold rows with random weights (the Bayesian bootstrap; Rubin, 1981).
What is kept is how it differs from the fitted one, in sharpness and in the potential's tables.

Notation: B others; the other symbols are those of `numerics.joint`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from accuracy_assay.calibration.factors import SMALLEST_PROBABILITY, log_scores
from accuracy_assay.calibration.joint_prior import PriorFit
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.crosstalk import Crosstalk
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["N_OTHERS", "OtherCalibrations", "other_priors", "other_sharpness"]

N_OTHERS = 8
"""Other calibrations. Chosen by hand: eight know a deviation to about a quarter."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherCalibrations:
    """How other calibrations differ from the fitted one.

    Parameters
    ----------
    sharpness : (B, K)
        Differences of s_k.
    blocks
        The attributes of each block of the potential; none without a potential.
    tables : arrays (B, size of the block)
        Differences of N, one array per block.
    crosstalk
        Differences of C, (B, V, V), and its scale; None without crosstalk.
    """

    sharpness: FloatArray
    blocks: tuple[tuple[int, ...], ...] = ()
    tables: tuple[FloatArray, ...] = ()
    crosstalk: Crosstalk | None = None

    def weights(self, evidence: Evidence, rows: Affiliation) -> FloatArray:
        """Return the weights of the entries of ``rows`` under each other, (B, entries).

        A row keeps its arms; attributes that are known cancel out.
        """
        codes, row = evidence.space.codes(rows.indices), rows.row_index
        with np.errstate(divide="ignore"):
            change = np.repeat(np.log(rows.weights)[None], self.sharpness.shape[0], axis=0)
        for k, column in enumerate(evidence.columns):
            if column.ndim == 2:
                said = np.log(np.maximum(column[row, codes[:, k]], SMALLEST_PROBABILITY))
                change += self.sharpness[:, k, None] * said
        for attributes, table in zip(self.blocks, self.tables, strict=True):
            shape = [evidence.space.shape[k] for k in attributes]
            columns = tuple(codes[:, list(attributes)].T)
            change += table[:, np.ravel_multi_index(columns, shape)]
        if self.crosstalk is not None:
            change += self._heard_change(evidence, codes, row)
        start = rows.indptr[:-1]
        change -= np.maximum.reduceat(change, start, axis=1)[:, row]
        weights = np.exp(change)
        weights /= np.add.reduceat(weights, start, axis=1)[:, row]
        return np.asarray(weights)

    def _heard_change(self, evidence: Evidence, codes: IntArray, row: IntArray) -> FloatArray:
        """Return what the others hear differently at each entry, (B, entries)."""
        assert self.crosstalk is not None
        said, scale = log_scores(evidence), self.crosstalk.scale
        change = np.zeros((self.sharpness.shape[0], row.size))
        for total, weights in zip(change, self.crosstalk.weights, strict=True):
            for k, shift in enumerate(Crosstalk(weights, scale).shifts(said)):
                if evidence.columns[k].ndim == 2:
                    total += shift[row, codes[:, k]]
        return change


def other_priors(fit: PriorFit, n_rows: int, rng: np.random.Generator) -> OtherCalibrations:
    """Return the others of a joint prior that was fitted to ``n_rows`` gold rows."""
    fitted = fit.prior
    priors = [fit.vary(weight) for weight in _row_weights(n_rows, rng)]
    tables = [
        np.stack([(p.potential.blocks[i].table - block.table).reshape(-1) for p in priors])
        for i, block in enumerate(fitted.potential.blocks)
    ]
    blocks = tuple(block.attributes for block in fitted.potential.blocks)
    sharpness = np.stack([p.sharpness for p in priors]) - fitted.sharpness
    crosstalk = None
    if fitted.crosstalk is not None:
        weights = [p.crosstalk.weights for p in priors if p.crosstalk is not None]
        crosstalk = Crosstalk(np.stack(weights) - fitted.crosstalk.weights, fitted.crosstalk.scale)
    return OtherCalibrations(sharpness, blocks, tuple(tables), crosstalk)


def other_sharpness(
    fit: Callable[[IntArray], FloatArray],
    fitted: FloatArray,
    n_rows: int,
    rng: np.random.Generator,
) -> OtherCalibrations:
    """Return the others of sharpness alone, given a fit to chosen gold rows.

    Each is fitted to as many rows, drawn with replacement.
    """
    drawn = rng.integers(0, n_rows, (N_OTHERS, n_rows))
    return OtherCalibrations(np.stack([fit(rows) for rows in drawn]) - fitted)


def _row_weights(n_rows: int, rng: np.random.Generator) -> FloatArray:
    """Return random weights of gold rows, (B, m), whose mean is one."""
    weight = rng.exponential(size=(N_OTHERS, n_rows))
    return np.asarray(weight / weight.mean(axis=1, keepdims=True))
