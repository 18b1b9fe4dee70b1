"""Terms of a random-effects model over arms: a level, values of attributes, pairs of values.

Notation: A arms with attribute codes (A, d); Phi (A, P) has a one for each term of an arm. A kind
is a group of terms that share a variance: 0 is the level, then one kind per attribute, then all
pairs of values together.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["LEVEL_VARIANCE", "EffectTerms"]

LEVEL_VARIANCE = 16.0
"""Variance of the level in units of the noise: as good as unknown."""
MOST_TERMS = 1500
"""Most terms; pairs of attributes with many values are left out first."""
_MOST_VALUES = 400
"""Most values of an attribute with terms of their own; those of more are left to the arms'."""


@dataclass(frozen=True, eq=False)
class EffectTerms:
    """Phi, the kind of each term (P,), and the number of kinds besides the level."""

    phi: csr_array
    kind: IntArray
    n_kinds: int

    @classmethod
    def of(cls, codes: IntArray, most: int = MOST_TERMS) -> EffectTerms:
        """Return the terms of arms with these codes (A, d), with pairs up to so many terms."""
        from scipy.sparse import csr_array, hstack

        n_arms, d = codes.shape
        columns = [np.zeros(n_arms, dtype=np.int64)]
        few = [k for k in range(d) if int(codes[:, k].max(initial=0)) < _MOST_VALUES]
        columns += [codes[:, k] for k in few]
        pairs = []
        for first, second in combinations(few, 2):
            width = int(codes[:, second].max(initial=0)) + 1
            pairs.append(
                np.unique(codes[:, first] * width + codes[:, second], return_inverse=True)[1]
            )
        n_terms = sum(int(column.max(initial=0)) + 1 for column in columns)
        kinds = list(range(len(columns)))
        is_own = d == 2  # then a pair is an arm, which has a term of its own
        for pair in sorted(pairs, key=lambda column: int(column.max(initial=0))) * (not is_own):
            n_terms += int(pair.max(initial=0)) + 1
            if n_terms <= most:
                columns.append(pair)
                kinds.append(len(few) + 1)  # all pairs share a variance
        blocks, kind = [], []
        for column, number in zip(columns, kinds, strict=True):
            width = int(column.max(initial=0)) + 1
            one = (np.ones(n_arms), (np.arange(n_arms), column))
            blocks.append(csr_array(one, shape=(n_arms, width)))
            kind.append(np.full(width, number))
        return cls(csr_array(hstack(blocks)), np.concatenate(kind), max(kinds))

    def variances(self, theta: FloatArray) -> FloatArray:
        """Return the variance of each term, (P,), given the logarithms of those of the kinds."""
        return np.concatenate([[LEVEL_VARIANCE], np.exp(theta[: self.n_kinds])])[self.kind]
