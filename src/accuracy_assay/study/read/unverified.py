"""Items that nobody has verified: what all answers, and a service's own, make of each.

Without gold an item counts by how probable it is that the service is right about it, as in a
session (`accuracy_assay.numerics.soft_scores`), with a doubt about people's reliability that all
items share. Where no two answers differ, or answers are no classes, the majority is the label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.files.texts import normal_column
from accuracy_assay.numerics.annotators import People
from accuracy_assay.numerics.crowd_score import believe
from accuracy_assay.numerics.soft_scores import SoftScores, score_items
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.crowd import Crowd
from accuracy_assay.study.read.problem import LabelledProblem, SoftRows

__all__ = ["Unverified"]


@dataclass(frozen=True, eq=False)
class Unverified:
    """The answers, how reliable people are, and what a service said of each item, (N,)."""

    crowd: Crowd
    people: People
    said: IntArray

    @classmethod
    def about(cls, crowd: Crowd, service: str) -> Unverified | None:
        """Return what answers say about a service; None where the majority is the label."""
        if crowd.people is None or service not in crowd.items.columns:
            return None
        return cls(crowd, crowd.people, crowd.codes_said(crowd.items.get_column(service)))

    def right(self, items: pl.DataFrame) -> FloatArray:
        """Return the probability that the service is right about each of some items, (m,)."""
        given, people = self.crowd.answers, self.people
        at = self._at(items)
        said = np.full(self.said.size, -1, dtype=np.int64)
        said[at] = self.said[at]
        return believe(given, people.tendencies, said).right[at]

    def count(self, found: LabelledProblem, items: pl.DataFrame) -> LabelledProblem:
        """Return the problem of labelled items in which each counts by its score."""
        at = self._at(items)

        def score(cells: IntArray) -> SoftScores:
            cell = np.full(self.said.size, -1, dtype=np.int64)
            cell[at] = np.unique(cells, return_inverse=True)[1]
            made = score_items(self.crowd.answers, self.people, self.said, cell)
            assert made.away is not None
            return SoftScores(made.score[at], made.weight[at], made.away[:, at])

        rows = found.labels.rows if found.places is None else found.places()[1]
        return replace(found, soft=SoftRows(rows, score))

    def _at(self, items: pl.DataFrame) -> IntArray:
        ids = normal_column(items.get_column(str(self.crowd.columns.id)))
        number = pl.DataFrame({"id": self.crowd.ids, "at": np.arange(self.crowd.ids.len())})
        found = pl.DataFrame({"id": ids}).join(number, on="id", how="left", maintain_order="left")
        return np.asarray(found["at"].to_numpy(), dtype=np.int64)
