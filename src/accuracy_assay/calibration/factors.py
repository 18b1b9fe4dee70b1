"""From evidence to one non-negative factor per attribute.

Symbols as in `numerics.joint`: F_k (n, V_k) = M_k^s_k = M_k^(1 / T_k), scaled so that the largest
entry of a row is one.
"""

from collections.abc import Sequence

import numpy as np

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.crosstalk import Crosstalk
from accuracy_assay.numerics.joint.potential import BARRED
from accuracy_assay.numerics.joint.sharpness import fit_sharpness
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "SMALLEST_PROBABILITY",
    "evidence_factors",
    "log_predictions",
    "log_scores",
    "predictor_sharpness",
]

SMALLEST_PROBABILITY = 1e-6
"""Smallest probability that counts. Chosen by hand: predictors print zeros and ones, and no seed
set is large enough to show that a value is rarer than one in a million."""


def log_predictions(evidence: Evidence) -> list[FloatArray]:
    """Return log M_k (n, V_k), scaled to a largest entry of zero in each row.

    Probabilities below 1e-6 count as 1e-6, so no predictor can rule a value out. An exact
    attribute has 0 at its value and minus infinity elsewhere; an unknown one has zeros.
    """
    scores = []
    with np.errstate(divide="ignore"):
        for k, column in enumerate(evidence.columns):
            if column.ndim == 2:
                table = np.log(np.maximum(column, SMALLEST_PROBABILITY))
                scores.append(table - table.max(axis=1, keepdims=True))
            else:
                scores.append(np.log(_constraint(column, evidence.space.shape[k])))
    return scores


def log_scores(evidence: Evidence) -> tuple[FloatArray, ...]:
    """Return `log_predictions` with finite scores for ruled-out values, as training needs."""
    return tuple(np.maximum(scores, BARRED) for scores in log_predictions(evidence))


def predictor_sharpness(evidence: Evidence, gold: IntArray) -> FloatArray:
    """Return s_k of each attribute alone, (K,); 1 for attributes without a predictor."""
    scores = log_predictions(evidence)
    return np.array(
        [
            fit_sharpness(scores[k], gold[:, k]) if is_guessed else 1.0
            for k, is_guessed in enumerate(evidence.is_guessed)
        ]
    )


def evidence_factors(
    evidence: Evidence,
    sharpness: Sequence[float] | FloatArray,
    *,
    is_hard: bool = False,
    known: IntArray | None = None,
    crosstalk: Crosstalk | None = None,
) -> list[FloatArray]:
    """Return F_k of each attribute.

    Parameters
    ----------
    evidence
        n instances.
    sharpness : (K,)
        s_k; not applied to exact attributes.
    is_hard
        Whether only the most probable value counts (several if they tie).
    known : (n, K) int, optional
        Certain codes, -1 elsewhere; they overrule the evidence.
    crosstalk
        What predictors of other attributes add to the factors of an attribute, if anything.
    """
    shifts = None if crosstalk is None else crosstalk.shifts(log_scores(evidence))
    factors = []
    for k, column in enumerate(evidence.columns):
        size = evidence.space.shape[k]
        if column.ndim == 1:
            factor = _constraint(column, size)
        elif is_hard:
            factor = (column >= column.max(axis=1, keepdims=True)).astype(np.float64)
        else:
            table = np.maximum(column, SMALLEST_PROBABILITY)
            factor = (table / table.max(axis=1, keepdims=True)) ** sharpness[k]
            if shifts is not None:
                log_factor = np.log(factor) + shifts[k]
                factor = np.exp(log_factor - log_factor.max(axis=1, keepdims=True))
        if known is not None:
            certain = known[:, k]
            if certain.size and certain.max() >= size:
                raise InputError(
                    f"known codes of attribute {evidence.space.names[k]!r} must lie in "
                    f"0..{size - 1}, or be -1 where unknown; got {certain.max()}."
                )
            factor = np.where((certain >= 0)[:, None], _constraint(certain, size), factor)
        factors.append(factor)
    return factors


def _constraint(codes: IntArray, size: int) -> FloatArray:
    """Return one-hot rows of codes; a row of ones for the code -1."""
    table = np.zeros((codes.size, size))
    table[np.arange(codes.size), codes] = 1.0
    table[codes < 0] = 1.0
    return table
