"""The slices of a certificate: which there are, and what is certified of each.

Everything is judged alone; slices are judged together (`study.judges.decide`). Where some are
refused, everything else is judged again without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from accuracy_assay.domain.space import Value
from accuracy_assay.domain.subcubes import sub_cubes
from accuracy_assay.numerics.clustered_effects import Mixture
from accuracy_assay.reports.certificate import (
    EVERYTHING,
    MAY_NOT,
    REST,
    UNSURE,
    CertifiedSlice,
    Decision,
)
from accuracy_assay.runtime.arrays import BoolArray, FloatArray
from accuracy_assay.study.judges.decide import (
    NEAR,
    chance_within,
    labels_needed,
    verdict_alone,
    verdicts_together,
)
from accuracy_assay.study.judges.slice_differences import SliceDifferences

__all__ = ["CertifiedSlices"]

_LEVEL = 0.9
"""Probability of the intervals, as everywhere."""
_HARMLESS = 0.5
"""Without the rows of clearer slices, one that is likelier within the tolerance is not refused; of
decisions, one that is not surely beyond it."""
_LEAST_WIDTH = 1e-9  # a slice whose rows all have a label has none, which must not divide


@dataclass(frozen=True, eq=False)
class CertifiedSlices:
    """The slices of a certificate: which there are, and what is certified of each."""

    differences: SliceDifferences
    service: str | None
    tolerance: float
    confidence: float
    order: int
    least_rows: float

    def certified(self) -> tuple[CertifiedSlice, ...]:
        """Return everything, everything else, and slices: refused and large ones first."""
        found = self.differences
        cubes = sub_cubes(found.rows.space, found.arms, found.n_rows, self.order, self.least_rows)
        everything = np.ones((1, found.arms.size), dtype=bool)
        members = cubes.matrix.toarray().astype(bool)
        is_part = ~members.all(axis=1)
        members, wheres = members[is_part], [cubes.where(int(i)) for i in np.flatnonzero(is_part)]
        whole = self._slices(everything, [{}], EVERYTHING)
        parts = self._slices(members, wheres) if len(wheres) else []
        parts, refused = self._sources(parts, members)
        if refused:
            left = ~members[refused].any(axis=0, keepdims=True)
            whole += self._slices(left, [{}], REST) if left.any() else []
        rank = {MAY_NOT: 0, UNSURE: 3}
        order = sorted(
            range(len(parts)),
            key=lambda k: (
                bool(parts[k].because) or rank.get(parts[k].verdict, 2),
                -parts[k].rows,
            ),
        )
        return (*whole, *(parts[k] for k in order))

    def _sources(
        self, parts: list[CertifiedSlice], members: BoolArray
    ) -> tuple[list[CertifiedSlice], list[int]]:
        """Return the slices, and which refused ones differ by rows of their own.

        The clearest comes first. Another that is within the tolerance without the rows of those
        before it differs because of them: it says so, and takes the right from no row.
        """
        found, sources = list(parts), list[int]()
        harmless = 1.0 - self.confidence if self.differences.is_share else _HARMLESS
        taken = np.zeros(members.shape[1], dtype=bool)
        refused = [k for k, each in enumerate(parts) if each.verdict == MAY_NOT]
        for k in sorted(refused, key=lambda k: self._clearness(parts[k]), reverse=True):
            left = members[k] & ~taken
            if left.any() and not left[members[k]].all():
                own = self._within(self.differences.posterior(left[None]), self.tolerance)
                if own[0] > harmless:
                    source = next(j for j in sources if (members[j] & members[k]).any())
                    found[k] = replace(parts[k], because=parts[source].place)
                    continue
            sources.append(k)
            taken |= members[k]
        return found, sources

    def _clearness(self, each: CertifiedSlice) -> float:
        """Return how far a difference is beyond the tolerance, in widths of its interval."""
        width = max(each.upper - each.lower, _LEAST_WIDTH)
        return (abs(each.difference) - self.tolerance) / width

    def _slices(
        self, members: BoolArray, wheres: Sequence[Mapping[str, Value]], name: str = ""
    ) -> list[CertifiedSlice]:
        """Return what is certified of slices; those with a name are judged alone."""
        found = self.differences
        posterior = found.posterior(members)
        within = self._within(posterior, self.tolerance)
        # Single decisions always differ somewhere, so that no share is surely none.
        near = within if found.is_share else self._within(posterior, min(NEAR, self.tolerance))
        inside = members.astype(np.float64)
        labels, rows = inside @ found.n_labels, inside @ found.n_rows
        verdicts: list[Decision] = (
            [verdict_alone(float(within[0]), self.confidence)]
            if name
            else verdicts_together(within, near, self.confidence)
        )
        needed = labels_needed(
            posterior.mean,
            self.tolerance,
            self.confidence,
            found.effects.noise_variance * self._inflation,
            labels,
            rows if found.rows.is_pool else None,
        )
        mean, judge = posterior.mean, (inside @ (found.n_rows * found.judge_mean)) / rows
        low, high = (posterior.quantile(p) for p in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
        if found.is_share:
            mean, low = np.maximum(mean, 0.0), np.maximum(low, 0.0)
        people = self._people(inside, judge, mean)
        return [
            self._slice(
                dict(where),
                verdict=verdict if labels[q] else UNSURE,
                difference=float(mean[q]),
                lower=float(low[q]),
                upper=float(high[q]),
                chance=float(within[q]),
                judge=float(judge[q]),
                people=float(people[q]),
                labels=int(labels[q]),
                rows=int(rows[q]),
                labels_needed=needed[q] if verdict == UNSURE or not labels[q] else 0,
                name=name,
            )
            for q, (where, verdict) in enumerate(zip(wheres, verdicts, strict=True))
        ]

    def _within(self, posterior: Mixture, tolerance: float) -> FloatArray:
        """Return the probability that each difference is within the tolerance, (Q,)."""
        if self.differences.is_share:
            return posterior.below(tolerance)
        return chance_within(posterior, tolerance)

    def _people(self, inside: FloatArray, judge: FloatArray, mean: FloatArray) -> FloatArray:
        """Return what people's figure is: the judge's less the difference, or that of labels."""
        found = self.differences
        if not found.is_share:
            return np.clip(judge - mean, 0.0, 1.0)
        total = inside @ found.labelled(found.rows.people)
        return np.asarray(total / np.maximum(inside @ found.n_labels, 1.0))

    def _slice(self, where: dict[str, Value], **others: Any) -> CertifiedSlice:
        own = where.pop(self.service, None) if self.service is not None else None
        return CertifiedSlice(where, None if own is None else str(own), **others)

    @property
    def _inflation(self) -> float:
        """How much less a label is worth because rows of one cluster go together."""
        cluster = self.differences.rows.cluster
        if cluster is None:
            return 1.0
        size = np.unique(cluster, return_counts=True)[1].astype(np.float64)
        return 1.0 + self.differences.effects.correlation * (float(size @ size / size.sum()) - 1.0)
