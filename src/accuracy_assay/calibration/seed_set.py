"""The seed set D: checked, and split into a part to train on and a held-out part.

Symbols as in `numerics.joint`: m rows with evidence and gold codes (m, K).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from accuracy_assay.calibration.factors import log_predictions
from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["HELD_OUT_SHARE", "SeedSet"]

HELD_OUT_SHARE = 0.2
"""Share of the seed set that is held out: a hundred of the paper's 500 rows."""

# With fewer rows none is held out: a fifth would be a row or two, and show nothing.
_FEW_ROWS = 10
# Added to the count of each value: Jeffreys' prior, so that a value that never occurs has a finite
# log-loss.
_PSEUDO_COUNT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class SeedSet:
    """A checked seed set.

    Parameters
    ----------
    train, train_gold
        Rows to train on and their gold codes.
    held, held_gold
        Rows held out; empty if the seed set has fewer than 10 rows.
    frequencies
        Smoothed share of each value in the training rows, one array (V_k,) per attribute.
    notes
        The warnings about this seed set.
    """

    train: Evidence
    train_gold: IntArray
    held: Evidence
    held_gold: IntArray
    frequencies: tuple[FloatArray, ...]
    notes: tuple[str, ...]

    @classmethod
    def split(
        cls,
        evidence: Evidence,
        gold: IntArray,
        rng: np.random.Generator,
        held_out_share: float = HELD_OUT_SHARE,
    ) -> SeedSet:
        """Check a non-empty seed set, split it at random and warn of its weaknesses.

        The split is drawn from ``rng`` first, so calibrators with equal generators hold out the
        same rows.
        """
        gold = np.asarray(gold, dtype=np.int64)
        _check(evidence, gold)
        order = rng.permutation(gold.shape[0])
        n_held = round(held_out_share * gold.shape[0]) if gold.shape[0] >= _FEW_ROWS else 0
        held, train = order[:n_held], order[n_held:]
        notes = tuple(_notes(evidence, gold))
        for note in notes:
            warnings.warn(note, CalibrationWarning, stacklevel=3)
        return cls(
            evidence.take(train),
            gold[train],
            evidence.take(held),
            gold[held],
            tuple(
                _frequencies(gold[train, k], size) for k, size in enumerate(evidence.space.shape)
            ),
            notes,
        )

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.train.n_rows + self.held.n_rows

    @property
    def n_held_out(self) -> int:
        """Rows held out."""
        return self.held.n_rows

    @property
    def judged(self) -> tuple[Evidence, IntArray]:
        """The rows to measure on: the held-out ones, or all if there are none."""
        if self.held.n_rows:
            return self.held, self.held_gold
        return self.train, self.train_gold


def _check(evidence: Evidence, gold: IntArray) -> None:
    shape = (evidence.n_rows, len(evidence.space.attributes))
    if gold.shape != shape:
        raise InputError(f"gold codes of the seed set must have shape {shape}; got {gold.shape}.")
    for k, attribute in enumerate(evidence.space.attributes):
        column = evidence.columns[k]
        is_bad = (gold[:, k] < 0) | (gold[:, k] >= attribute.size)
        if is_bad.any():
            row = int(np.flatnonzero(is_bad)[0])
            raise InputError(
                f"gold value of attribute {attribute.name!r} must be known for every row of the "
                f"seed set; got code {gold[row, k]} in row {row}."
            )
        is_bad = (column >= 0) & (column != gold[:, k]) if column.ndim == 1 else np.zeros(1, bool)
        if is_bad.any():
            row = int(np.flatnonzero(is_bad)[0])
            raise InputError(
                f"exact value of attribute {attribute.name!r} must equal its gold value; got "
                f"{attribute.values[column[row]]!r} and {attribute.values[gold[row, k]]!r} in row "
                f"{row}. If it is only guessed, give evidence for it."
            )


def _notes(evidence: Evidence, gold: IntArray) -> list[str]:
    notes = []
    if gold.shape[0] < _FEW_ROWS:
        notes.append(
            f"the seed set must have at least {_FEW_ROWS} rows to hold some out; got "
            f"{gold.shape[0]}. The report is measured on the training rows."
        )
    for k, attribute in enumerate(evidence.space.attributes):
        if evidence.columns[k].ndim == 1 and (evidence.columns[k] >= 0).all():
            continue  # nobody guesses it
        seen = np.bincount(gold[:, k], minlength=attribute.size)
        missing = [value for value, n in zip(attribute.values, seen, strict=True) if n == 0]
        if missing:
            notes.append(
                f"values of attribute {attribute.name!r} should all occur in the seed set; none "
                f"of its {gold.shape[0]} rows has {missing!r}. Their probabilities come from the "
                "predictor alone."
            )
    scores = log_predictions(evidence)
    for k, attribute in enumerate(evidence.space.attributes):
        if evidence.columns[k].ndim == 2:
            notes += _judge_predictor(attribute.name, scores[k], gold[:, k])
    return notes


def _judge_predictor(name: str, log_m: FloatArray, gold: IntArray) -> list[str]:
    rows = np.arange(gold.size)
    loss = np.logaddexp.reduce(log_m, axis=1) - log_m[rows, gold]
    prior = -np.log(_frequencies(gold, log_m.shape[1])[gold])
    if loss.mean() <= prior.mean():
        return []
    return [
        f"predictor of attribute {name!r} should beat the frequencies of its values; its log-loss "
        f"on the seed set is {loss.mean():.3f}, theirs {prior.mean():.3f}. It is overconfident "
        "(calibration helps) or useless (retrain it)."
    ]


def _frequencies(codes: IntArray, size: int) -> FloatArray:
    counts = np.bincount(codes, minlength=size) + _PSEUDO_COUNT
    return np.asarray(counts / counts.sum())
