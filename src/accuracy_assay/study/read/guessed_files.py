"""Labelled rows, and a pool with guessed attributes that streams from Parquet.

The counterpart of `study.read.guessed_tables` for a pool that may be larger than memory:
the labelled rows are read, the pool is worked on part by part where it lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.files.parquet_rows import OnShare, ParquetRows, Part
from accuracy_assay.files.tables import Rows, read_table, require_unique
from accuracy_assay.files.unique_ids import require_unique_rows
from accuracy_assay.runtime.engine import LOCAL, Engine
from accuracy_assay.study.read.part_reader import PartReader
from accuracy_assay.study.read.parted_tables import PartedTables
from accuracy_assay.study.read.pool_parts import PART_ROWS
from accuracy_assay.study.read.prepare import attribute_names, guessed_space, part_unlabelled

__all__ = ["FilePart", "GuessedFiles"]


@dataclass(frozen=True)
class FilePart:
    """Rows of a Parquet file."""

    rows: ParquetRows
    part: Part

    @property
    def n_rows(self) -> int:
        """How many rows."""
        assert self.part.end is not None
        return self.part.end - self.part.first

    def read(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows with the given columns."""
        return self.rows.read(columns, self.part)

    def __str__(self) -> str:
        names = tuple(Path(name).name for name in self.part.names)  # to fit into one line
        return str(replace(self.part, names=names))


@dataclass(frozen=True, eq=False)
class GuessedFiles:
    """The labelled rows in memory and the pool in files.

    Parameters
    ----------
    labelled
        The labelled rows.
    pool
        All rows.
    """

    labelled: pl.DataFrame
    pool: ParquetRows

    @classmethod
    def find(cls, rows: Rows, pool: Rows, truth: str | None) -> GuessedFiles | None:
        """Return the rows where the pool is Parquet and too large to be worked on as a whole.

        Without a pool it is the rows, of which some have no value in the column ``truth``.
        """
        source, what = (rows, "rows") if pool is None else (pool, "pool")
        files = ParquetRows.find(source, what=what)
        if files is None or not files.is_askable or files.n_rows <= PART_ROWS:
            return None
        if pool is not None:
            return cls(part_unlabelled(read_table(rows), None, truth)[0], files)
        if truth is None or truth not in files.schema:
            return None
        is_known = f"WHERE {files.column(truth)} IS NOT NULL"
        if files.ask(["count(*)"], is_known).item() in (0, files.n_rows):
            return None
        names = list(files.schema)
        found = files.ask([files.column(name) for name in names], is_known)
        return cls(files.typed(found.rename(dict(zip(found.columns, names, strict=True)))), files)

    def require_unique(self, id: str | None) -> None:
        """Raise an error that names a repeated id."""
        if id is not None:
            require_unique(self.labelled.get_column(id))
            require_unique_rows(self.pool, id)

    def tables(
        self,
        attributes: Sequence[str | Attribute],
        signals: Sequence[str],
        cluster: Sequence[str],
        scores: pl.Series,
        evidence: Mapping[str, str],
        from_label: Sequence[str],
        engine: Engine = LOCAL,
        on_share: OnShare | None = None,
    ) -> PartedTables:
        """Return the tables with the pool in parts; the parameters are those of ``estimate``."""
        space = self._space(attributes, evidence)
        reader = PartReader(space, evidence, from_label, list(self.pool.schema))
        parts = [FilePart(self.pool, part) for part in self.pool.parts()]
        return PartedTables(
            self.labelled,
            scores.to_numpy(),
            parts,
            reader,
            signals,
            cluster,
            engine,
            on_share,
        )

    def _space(
        self, attributes: Sequence[str | Attribute], evidence: Mapping[str, str]
    ) -> AttributeSpace:
        """Return the space, with values of attributes that are not declared read off the files."""
        written = set(self.pool.schema) & {a for a in attributes if isinstance(a, str)}
        names = [name for name in attribute_names(attributes) if name in written]
        seen = self.pool.head
        if names:
            found = self.pool.ask([self.pool.column(name) for name in names], "GROUP BY ALL")
            values = self.pool.typed(found.rename(dict(zip(found.columns, names, strict=True))))
            seen = pl.concat([seen, values], how="diagonal")
        return guessed_space(attributes, [seen, self.labelled], evidence)
