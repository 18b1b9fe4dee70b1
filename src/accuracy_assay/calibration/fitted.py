"""A fitted calibration P(a|x): temperatures, an optional joint potential, and a report.

P(a|x) is proportional to prod_k F_k(a_k) exp N(a), symbols as in `numerics.joint`; F_k is one-hot
for a known attribute and all ones for an unknown one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from accuracy_assay.calibration import calibration_file
from accuracy_assay.calibration.factors import evidence_factors
from accuracy_assay.calibration.marginals import Marginals, marginals
from accuracy_assay.calibration.others import OtherCalibrations
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.sampled import sample_partition, top_sampled
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.joint.arm_distribution import log_partition, top_joint
from accuracy_assay.numerics.joint.crosstalk import Crosstalk
from accuracy_assay.numerics.joint.top_product import TooManyCombinationsError, top_product
from accuracy_assay.protocols import Layers
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["FittedCalibration"]

# Default share of a row's probability that its affiliation may leave out: a hundredth, well below
# the error of calibrated predictors, keeps rows short.
_MAX_DROPPED = 0.01
# Default number of instances processed at a time: some hundred megabytes for thousands of arms,
# with the cost of each call spread over many rows.
_CHUNK_ROWS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class FittedCalibration:
    """P(a|x) of instances with evidence over one attribute space.

    It follows `protocols.KeptCalibration`: it can be saved, and it has a report.

    Parameters
    ----------
    space
        The attributes.
    method
        ``raw``, ``temperature`` or ``full``. ``raw`` takes each predictor's most probable value.
    sharpness : (K,)
        s_k = 1 / T_k of each attribute, as fitted; 1 for an attribute without a predictor.
    potential
        The joint potential N, or None for independent attributes.
    report
        What was measured on the held-out part of the seed set.
    others
        Other calibrations that the gold rows allow, or None if nobody asked.
    crosstalk
        What predictors say about attributes of others, or None: nothing.
    """

    space: AttributeSpace
    method: str
    sharpness: FloatArray
    potential: Potential | None
    report: CalibrationReport
    others: OtherCalibrations | None = None
    crosstalk: Crosstalk | None = None

    @property
    def temperatures(self) -> FloatArray:
        """T_k of each attribute, (K,), which divides log M_k: above 1 for an overconfident one."""
        return np.asarray(1.0 / self.sharpness)

    @property
    def hidden_layers(self) -> Layers | None:
        """Hidden layers of the network in the joint potential, over one-hot values, or None."""
        return None if self.potential is None else self.potential.hidden_layers

    def affiliation(
        self,
        evidence: Evidence,
        known: IntArray | None = None,
        *,
        max_dropped: float = _MAX_DROPPED,
        chunk_rows: int = _CHUNK_ROWS,
    ) -> Affiliation:
        """Return the sparse rows P(a|x) of all instances.

        Parameters
        ----------
        evidence
            What is known about n instances.
        known : (n, K) int, optional
            Certain codes (revealed by the label, or confirmed by an annotator), -1 elsewhere.
            They overrule the evidence.
        max_dropped
            Bound on the probability that a row loses with its least probable arms. The rest is
            scaled to sum to one.
        chunk_rows
            Instances processed at a time; memory grows with it, the result does not change.
        """
        parts = list(self.stream(evidence, known, max_dropped=max_dropped, chunk_rows=chunk_rows))
        return _join(parts)

    def stream(
        self,
        evidence: Evidence,
        known: IntArray | None = None,
        *,
        max_dropped: float = _MAX_DROPPED,
        chunk_rows: int = _CHUNK_ROWS,
    ) -> Iterator[Affiliation]:
        """Yield the `affiliation` of ``chunk_rows`` instances at a time."""
        self._check(evidence, known, max_dropped, chunk_rows)
        for start in range(0, evidence.n_rows, chunk_rows):
            rows = slice(start, start + chunk_rows)
            factors = self._factors(evidence.take(rows), None if known is None else known[rows])
            try:
                owner, arms, weights = self._top(factors, max_dropped)
            except TooManyCombinationsError as error:
                raise InputError(
                    f"instance {start + error.row} must have {1 - max_dropped:.4g} of its "
                    "probability in at most 1,000,000 arms; got evidence that is too flat. Allow "
                    "a larger max_dropped, give better evidence, or use fewer attributes."
                ) from None
            yield _normalised(owner, arms, weights, factors[0].shape[0], max_dropped)

    def other_weights(self, evidence: Evidence, rows: Affiliation) -> FloatArray | None:
        """Return what other calibrations would make of affiliated rows.

        Parameters
        ----------
        evidence
            What is known about the instances.
        rows
            Their `affiliation`.

        Returns
        -------
        (B, entries) array or None
            The weights of the entries of ``rows`` under each; None if there are no others.
        """
        return None if self.others is None else self.others.weights(evidence, rows)

    def log_probability(self, evidence: Evidence, codes: IntArray) -> FloatArray:
        """Return log P(a|x) of the combination ``codes`` (n, K) of each instance, (n,).

        For spaces above 100,000 arms whose potential has a network, Z is sampled.
        """
        factors = evidence_factors(evidence, self.sharpness, crosstalk=self.crosstalk)
        rows = np.arange(evidence.n_rows)
        score = np.zeros(evidence.n_rows)
        with np.errstate(divide="ignore"):
            for k, factor in enumerate(factors):
                score += np.log(factor[rows, codes[:, k]])
        if self.potential is None:
            for factor in factors:
                score -= np.log(factor.sum(axis=1))
            return score
        if self.potential.is_exact:
            table = self.potential.blocks[0].table.reshape(-1)
            return np.asarray(
                score + table[self.space.arm_index(codes)] - log_partition(factors, table)
            )
        for block in self.potential.blocks:
            factors_of_block = [factors[k] for k in block.attributes]
            combination = np.ravel_multi_index(
                tuple(codes[:, list(block.attributes)].T), block.table.shape
            )
            table = block.table.reshape(-1)
            score += table[combination] - log_partition(factors_of_block, table)
        log_z = sample_partition(self.potential, factors, self.space.shape).log_z
        return np.asarray(score + self.potential.network_values(codes, self.space.shape) - log_z)

    def marginals(self, evidence: Evidence, known: IntArray | None = None) -> Marginals:
        """Return P(a_k|x) of each attribute, the most probable codes and their probability."""
        return marginals(self._factors(evidence, known), self.potential)

    def save(self, path: str | Path) -> None:
        """Write the calibration to a file; ``docs/calibration.md`` describes it."""
        calibration_file.write(
            Path(path),
            self.space,
            self.method,
            self.sharpness,
            self.potential,
            self.report,
            self.others,
            self.crosstalk,
        )

    @classmethod
    def load(cls, path: str | Path) -> FittedCalibration:
        """Read a calibration that `save` wrote."""
        return cls(*calibration_file.read(Path(path)))

    def _factors(self, evidence: Evidence, known: IntArray | None) -> list[FloatArray]:
        return evidence_factors(
            evidence,
            self.sharpness,
            is_hard=self.method == "raw",
            known=known,
            crosstalk=self.crosstalk,
        )

    def _top(
        self, factors: list[FloatArray], max_dropped: float
    ) -> tuple[IntArray, IntArray, FloatArray]:
        if self.potential is None:
            return top_product([f / f.sum(axis=1, keepdims=True) for f in factors], max_dropped)
        if self.potential.is_exact:
            return top_joint(factors, self.potential.blocks[0].table.reshape(-1), max_dropped)
        return top_sampled(self.potential, factors, self.space, max_dropped)

    def _check(
        self, evidence: Evidence, known: IntArray | None, max_dropped: float, chunk_rows: int
    ) -> None:
        if evidence.space != self.space:
            raise InputError(
                f"evidence must have the attributes {list(self.space.names)} of the calibration; "
                f"got {list(evidence.space.names)}."
            )
        if not 0.0 <= max_dropped < 1.0:
            raise InputError(f"max_dropped must lie in [0, 1); got {max_dropped}.")
        if chunk_rows < 1:
            raise InputError(f"chunk_rows must be at least 1; got {chunk_rows}.")
        shape = (evidence.n_rows, len(self.space.attributes))
        if known is not None and known.shape != shape:
            raise InputError(f"known must have shape {shape}; got {known.shape}.")


def _normalised(
    owner: IntArray, arms: IntArray, weights: FloatArray, n: int, max_dropped: float
) -> Affiliation:
    total = np.bincount(owner, weights, minlength=n)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n))])
    dropped = float(min(max(0.0, 1.0 - total.min(initial=1.0)), max_dropped))
    return Affiliation(indptr, arms, weights / total[owner], dropped)


def _join(parts: list[Affiliation]) -> Affiliation:
    """Concatenate and empty ``parts``, which never holds the rows twice."""
    sizes = [part.indices.size for part in parts]
    counts = [np.diff(part.indptr) for part in parts]
    dropped = max((part.dropped for part in parts), default=0.0)
    arms, weights = np.empty(sum(sizes), np.int64), np.empty(sum(sizes))
    end = sum(sizes)
    while parts:
        part = parts.pop()
        arms[end - part.indices.size : end] = part.indices
        weights[end - part.indices.size : end] = part.weights
        end -= part.indices.size
    indptr = np.concatenate([[0], np.cumsum(np.concatenate([[], *counts]))]).astype(np.int64)
    return Affiliation(indptr, arms, weights, dropped)
