"""Kinds of instances: those that a strategy need not tell apart.

Instances whose cells are known and the same are of one *kind*, for every service; an instance
whose cells are only guessed is the only one of its kind. Questions of another type or price are
of another kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.protocols import Candidates
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["InstanceKinds", "every_row", "merge_kinds"]


@dataclass(frozen=True, eq=False)
class InstanceKinds:
    """Which kind each instance is of.

    Parameters
    ----------
    of_instance, of_pending
        Kind of each candidate (n,) and of each pending instance (p,).
    example
        One instance of each kind (I,): a candidate, or n plus the number of a pending one.
    price
        Price of a question about each kind, (I,); 1 for a pending one.
    """

    of_instance: IntArray
    of_pending: IntArray
    example: IntArray
    price: FloatArray

    def take(self, chosen: IntArray) -> InstanceKinds:
        """Return some of the kinds; instances of the others have the kind -1."""
        renumbered = np.full(self.example.size, -1, dtype=np.int64)
        renumbered[chosen] = np.arange(chosen.size)
        return InstanceKinds(
            renumbered[self.of_instance],
            renumbered[self.of_pending],
            self.example[chosen],
            self.price[chosen],
        )


def every_row(candidates: Candidates) -> Affiliation:
    """Return the rows of the candidates, and after them those of the pending instances."""
    if not candidates.pending.n_rows:
        return candidates.affiliation
    return Affiliation.concatenate([candidates.affiliation, candidates.pending])


def merge_kinds(candidates: Sequence[Candidates]) -> InstanceKinds:
    """Return the kinds of the candidates, which are the same questions for every service."""
    n, rows = candidates[0].instances.size, [every_row(c) for c in candidates]
    price = np.ones(rows[0].n_rows)
    if candidates[0].price is not None:
        price[:n] = candidates[0].price
    if not all(part.is_exact for part in rows):
        every = np.arange(rows[0].n_rows)
        return InstanceKinds(every[:n], every[n:], every, price)
    cells = np.stack([part.indices for part in rows] + _asked(candidates[0], price), axis=1)
    _, example, kind = np.unique(
        cells[:, 0] if cells.shape[1] == 1 else cells,
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    kind = kind.astype(np.int64).reshape(-1)
    return InstanceKinds(kind[:n], kind[n:], example.astype(np.int64), price[example])


def _asked(candidates: Candidates, price: FloatArray) -> list[IntArray]:
    """Return what tells questions apart, each a column with an entry per row; none if nothing."""
    columns = []
    if candidates.type_index is not None:
        # What is on its way is of no type that is asked, and so of kinds of its own.
        pending = np.full(candidates.pending.n_rows, -1, dtype=np.int64)
        columns.append(np.concatenate([candidates.type_index, pending]))
    if candidates.price is not None:
        columns.append(np.unique(price, return_inverse=True)[1].reshape(-1).astype(np.int64))
    return columns
