"""A pool with guessed attributes in parts: a sample teaches the calibration, sums are merged.

The rows of a part are read, affiliated and added up over cells; nothing else of them is kept. If
other machines process parts, only the recipe to read a part, the calibration and the sums travel
(`accuracy_assay.runtime.engine`).

Notation: a row's cell is its arm together with its stratum of the free signals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import over_cells
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.errors import InputError
from accuracy_assay.files.parquet_rows import OnShare
from accuracy_assay.numerics.grouping import sum_by_number
from accuracy_assay.protocols import Calibration, StreamedCalibration
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.engine import LOCAL, Engine
from accuracy_assay.study.read.part_reader import PartReader
from accuracy_assay.study.read.pool_parts import PoolPart

__all__ = ["SAMPLE_ROWS", "GuessedPool", "Sizes", "merge_sizes"]

SAMPLE_ROWS = 200_000
"""Random rows of a larger pool that a calibration gets: as many as ``full`` uses."""

_CHUNK_ROWS = 20_000
"""Rows whose arms are held at a time, as in a calibration: up to some hundred megabytes if guesses
are flat."""

Sizes = tuple[IntArray, FloatArray]
"""Cells, or strata, in increasing order, and the number of rows of each."""


@dataclass(frozen=True, eq=False)
class GuessedPool:
    """The rows of a pool, read part by part whenever needed.

    ``on_share`` is called with the share of rows counted.
    """

    parts: Sequence[PoolPart]
    reader: PartReader
    engine: Engine = LOCAL
    on_share: OnShare | None = None

    def is_exact(self) -> bool:
        """Return whether every attribute of every row is known."""
        if self.reader.evidence or self.reader.from_label:
            return False
        return all(self.engine.map(_IsExact(self.reader), self.parts))

    def sample(self, rng: np.random.Generator, n_rows: int = SAMPLE_ROWS) -> Evidence:
        """Return the evidence of all rows, or of ``n_rows`` random ones if there are more."""
        sizes = np.array([part.n_rows for part in self.parts])
        ends = np.cumsum(sizes)
        rows = np.arange(ends[-1])
        if rows.size > n_rows:
            rows = np.sort(rng.choice(rows.size, n_rows, replace=False))
        by_part = np.split(rows, np.searchsorted(rows, ends[:-1]))
        chosen = [
            _ChosenRows(part, own - start)
            for part, own, start in zip(self.parts, by_part, ends - sizes, strict=True)
            if own.size
        ]
        return Evidence.concatenate(list(self.engine.map(_ReadChosen(self.reader), chosen)))

    def stratum_sizes(self) -> Sizes:
        """Return how many rows each stratum has."""
        return merge_sizes(self.engine.map(_CountStrata(self.reader), self.parts))

    def cell_sizes(self, calibration: Calibration | None) -> Sizes:
        """Return how many rows each cell has by P(a|x); no calibration for exact attributes."""
        counted = self.engine.map(_CountCells(self.reader, calibration), self.parts)
        return merge_sizes(self._with_progress(counted))

    def _with_progress(self, counted: Iterator[Sizes]) -> Iterator[Sizes]:
        """Yield the counts, and report the progress."""
        for done, sizes in enumerate(counted, start=1):
            if self.on_share is not None:
                self.on_share(done / len(self.parts))
            yield sizes


def merge_sizes(parts: Iterable[Sizes]) -> Sizes:
    """Return the sums of several parts, added in their order.

    Examples
    --------
    >>> one, two = (np.array([2, 5]), np.array([1.0, 0.5])), (np.array([5]), np.array([2.0]))
    >>> merge_sizes([one, two])
    (array([2, 5]), array([1. , 2.5]))
    """
    return reduce(_add, parts, (np.zeros(0, dtype=np.int64), np.zeros(0)))


def _add(one: Sizes, two: Sizes) -> Sizes:
    numbers = np.concatenate([one[0], two[0]])
    return sum_by_number(numbers, np.concatenate([one[1], two[1]]))


@dataclass(frozen=True, eq=False)
class _ChosenRows:
    """Row numbers inside a part."""

    part: PoolPart
    rows: IntArray

    def __str__(self) -> str:
        return str(self.part)


@dataclass(frozen=True, eq=False)
class _ReadChosen:
    """Work: the evidence of some rows of a part."""

    reader: PartReader

    def __call__(self, chosen: _ChosenRows) -> Evidence:
        frame = chosen.part.read(self.reader.attribute_columns)
        try:
            return self.reader.evidence_of(frame[chosen.rows])
        except InputError:
            self.reader.evidence_of(frame)  # names the row by its number in the part
            raise


@dataclass(frozen=True, eq=False)
class _IsExact:
    """Work: whether a part knows every attribute of every row."""

    reader: PartReader

    def __call__(self, part: PoolPart) -> bool:
        evidence = self.reader.evidence_of(part.read(self.reader.attribute_columns))
        return all(bool((column >= 0).all()) for column in evidence.columns)


@dataclass(frozen=True, eq=False)
class _CountStrata:
    """Work: the rows of a part in each stratum."""

    reader: PartReader

    def __call__(self, part: PoolPart) -> Sizes:
        stratum = self.reader.stratum_of(part.read(self.reader.signal_columns))
        assert stratum is not None
        return sum_by_number(stratum, np.ones(stratum.size))


@dataclass(frozen=True, eq=False)
class _CountCells:
    """Work: the expected number of rows of a part in each cell."""

    reader: PartReader
    calibration: Calibration | None

    def __call__(self, part: PoolPart) -> Sizes:
        reader = self.reader
        columns = [*reader.attribute_columns, *reader.signal_columns]
        frame = part.read(list(dict.fromkeys(columns)))
        evidence, stratum = reader.evidence_of(frame), reader.stratum_of(frame)
        counted, first = [], 0
        for arms in _affiliate(self.calibration, evidence):
            of_rows = None if stratum is None else stratum[first : first + arms.n_rows]
            cells = over_cells(arms, reader.strata, of_rows)
            counted.append(sum_by_number(cells.indices, cells.weights))
            first += arms.n_rows
        return merge_sizes(counted)


def _affiliate(calibration: Calibration | None, evidence: Evidence) -> Iterator[Affiliation]:
    """Yield the arms of the rows, some rows at a time."""
    if calibration is None:
        yield Affiliation.exact(evidence.space.arm_index(evidence.predicted()))
    elif isinstance(calibration, StreamedCalibration):
        yield from calibration.stream(evidence)
    else:
        for start in range(0, evidence.n_rows, _CHUNK_ROWS):
            yield calibration.affiliation(evidence.take(slice(start, start + _CHUNK_ROWS)))
