"""Rows of Parquet that may be larger than memory: queries, and batches in their order.

DuckDB runs the queries. It reads only the columns and row groups that a query needs, holds groups
rather than rows, and spills to disk what does not fit. Results become Polars frames through
Arrow's C interface, without a copy (docs/decisions/0009-rows-that-stream.md).
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.files.parquet_paths import file_system, find_parquet, is_address
from accuracy_assay.files.plain_types import with_plain_types

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["OnShare", "ParquetRows", "Part", "quoted"]

OnShare = Callable[[float], None]
"""Called from time to time with the share of a query that is done, in [0, 1]."""

_MEMORY = "2GB"
"""What DuckDB may hold before it spills to disk: half of what a fit of many arms may."""
_BATCH_ROWS = 2**19
"""Rows held at once if they must be processed one by one: with ten texts of fifty letters each,
0.3 GB."""
_LOOK_SECONDS = 0.25
"""How often progress is updated: four times a second looks steady."""
_ROW, _FILE = "file_row_number", "filename"
"""DuckDB's names for the number of a row in its file, and for the file."""


@dataclass(frozen=True)
class Part:
    """Some of the files, or the rows of one from ``first`` up to ``end``."""

    names: tuple[str, ...]
    first: int = 0
    end: int | None = None

    def __str__(self) -> str:
        where = self.names[0] if len(self.names) == 1 else f"{len(self.names)} files"
        return where if self.end is None else f"{where}, rows {self.first} to {self.end - 1}"


@dataclass(frozen=True)
class ParquetRows:
    """The rows of Parquet files with the same columns, in the order of the files.

    Parameters
    ----------
    names
        The files, as `accuracy_assay.files.parquet_paths` gives them.
    what
        What error messages call them.
    where
        SQL condition on the rows that count; empty for all.
    """

    names: tuple[str, ...]
    what: str = "rows"
    where: str = ""

    @classmethod
    def find(cls, rows: object, *, what: str = "rows") -> ParquetRows | None:
        """Return the rows of a path, a pattern or an address; None if it is not Parquet.

        Raises
        ------
        InputError
            If there is no row, or a file is damaged.
        """
        names = find_parquet(rows, what=what)
        if not names:
            return None
        found = cls(names, what)
        if not found.n_rows:
            raise InputError(f"{what} must have at least one row; got an empty table.")
        return found

    @classmethod
    def write(cls, frame: pl.DataFrame, path: Path, *, what: str = "rows") -> ParquetRows:
        """Write a frame to a file, so that it can be queried."""
        frame.write_parquet(path)
        return cls((escape(str(path)),), what)

    @cached_property
    def schema(self) -> pl.Schema:
        """The columns with the types that the rest of the package uses."""
        return with_plain_types(pl.DataFrame(schema=self._written)).schema

    @property
    def head(self) -> pl.DataFrame:
        """A table of the same columns without a row."""
        return pl.DataFrame(schema=self.schema)

    @property
    def is_askable(self) -> bool:
        """Whether no column has a name that DuckDB reserves."""
        return not {name.lower() for name in self.schema} & {_ROW, _FILE}

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.where:
            return int(self.ask(["count(*)"]).item())
        sql = "SELECT coalesce(sum(num_rows), 0)::BIGINT AS n FROM parquet_file_metadata($names)"
        return int(self._run(sql, self.names)["n"][0])

    def column(self, name: str) -> str:
        """Return a column's name in a query; DuckDB renames those that differ only by case."""
        return quoted(self._asked_as[name])

    def ask(
        self,
        select: Sequence[str],
        tail: str = "",
        part: Part | None = None,
        *,
        threads: int | None = None,
        on_share: OnShare | None = None,
    ) -> pl.DataFrame:
        """Return the result of a query, with columns ``c0``, ``c1`` and so on.

        Parameters
        ----------
        select
            SQL expressions.
        tail
            What follows the files in the query, such as ``GROUP BY ALL``.
        part
            The rows to query; all by default.
        threads
            All of the machine by default.
        on_share
            Called with the progress.
        """
        asked = Part(self.names) if part is None else part
        columns = ", ".join(f"{term} AS c{k}" for k, term in enumerate(select))
        rows = f"read_parquet($names) {_condition(asked, self.where)}"
        sql = f"SELECT {columns} FROM (SELECT * FROM {rows}) {tail}"
        return self._run(sql, asked.names, threads, on_share)

    def read(self, columns: Sequence[str] | None = None, part: Part | None = None) -> pl.DataFrame:
        """Return rows as they are, by default with all columns and from all files."""
        names = list(self.schema) if columns is None else list(dict.fromkeys(columns))
        found = self.ask([self.column(name) for name in names], part=part)
        return self.typed(found.rename(dict(zip(found.columns, names, strict=True))))

    def typed(self, found: pl.DataFrame) -> pl.DataFrame:
        """Return a query's columns with their types in the file."""
        written = [(n, t) for n, t in self._written.items() if found.schema.get(n, t) != t]
        with self._refusing_damage():
            return with_plain_types(found.cast(pl.Schema(written)))

    def parts(self) -> list[Part]:
        """Return parts of half a million rows or one row group, in the order of the rows."""
        sql = (
            "SELECT DISTINCT file_name AS file, row_group_id AS id, row_group_num_rows AS n "
            "FROM parquet_metadata($names)"
        )
        plain = {name: k for k, name in enumerate(self.names)}
        found = self._run(sql, self.names).with_columns(
            at=pl.col("file").map_elements(lambda f: plain[_name(f)], return_dtype=pl.Int64)
        )
        made: list[Part] = []
        for (at,), groups in found.sort("at", "id").group_by("at", maintain_order=True):
            made += _cut((self.names[int(str(at))],), groups["n"].to_list())
        return made

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield the rows in order, in batches that are safe to hold."""
        for part in self.parts():
            yield self.read(columns, part)

    @cached_property
    def _written(self) -> pl.Schema:
        """The columns with their types in the file; a folder such as ``year=2024`` adds one."""
        found = self._run("SELECT * FROM read_parquet($names) LIMIT 0", self.names).schema
        footer = list(self._footer.items())
        named = [*footer, *list(found.items())[len(footer) :]]
        return pl.Schema(named)

    @cached_property
    def _asked_as(self) -> dict[str, str]:
        found = self._run("SELECT * FROM read_parquet($names) LIMIT 0", self.names).columns
        return dict(zip(self._written, found, strict=True))

    @cached_property
    def _footer(self) -> pl.Schema:
        """The columns as Polars reads them from the footer of the first file."""
        name = self.names[0]
        with self._refusing_damage(), _open(name) as file:
            file.seek(-8, io.SEEK_END)
            size = int.from_bytes(file.read(4), "little")
            file.seek(-8 - size, io.SEEK_END)
            return pl.Schema(pl.read_parquet_schema(io.BytesIO(b"PAR1" + file.read())))

    def _run(
        self,
        sql: str,
        names: Sequence[str],
        threads: int | None = None,
        on_share: OnShare | None = None,
    ) -> pl.DataFrame:
        def find() -> pl.DataFrame:
            return pl.DataFrame(_Stream(connection.sql(sql, params={"names": list(names)})))

        with self._refusing_damage(), _connected(names, threads) as connection:
            return _watched(find, connection, on_share)

    def _refusing_damage(self) -> AbstractContextManager[None]:
        where = repr(_plain(self.names[0]))
        kind = "a readable parquet file" if len(self.names) == 1 else "readable parquet files"
        more = "" if len(self.names) == 1 else f" and {len(self.names) - 1} more"
        return refusing_damage(kind, f"{where}{more}", self.what)


class _Stream:
    """The part of a result that Arrow's C interface needs.

    Polars remembers types that it has seen; a type of DuckDB's own, kept until the process ends,
    makes DuckDB complain of a leak.
    """

    def __init__(self, found: Any) -> None:
        self._found = found

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._found.__arrow_c_stream__(requested_schema)


def quoted(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _connected(names: Sequence[str], threads: int | None) -> Iterator[DuckDBPyConnection]:
    import duckdb

    settings: dict[str, Any] = {
        "memory_limit": _MEMORY,
        "temp_directory": tempfile.gettempdir(),
        "preserve_insertion_order": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if threads is not None:
        settings["threads"] = threads
    connection = duckdb.connect(":memory:", config=settings)
    try:
        if is_address(names[0]):
            connection.register_filesystem(file_system(names[0]))
        yield connection
    finally:
        connection.close()


def _watched(
    find: Callable[[], pl.DataFrame], connection: DuckDBPyConnection, on_share: OnShare | None
) -> pl.DataFrame:
    """Return the result of a query, reporting its progress; Ctrl-C stops it.

    The query runs in its own thread: while DuckDB works, its thread gets no signals.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        found = pool.submit(find)
        try:
            while not wait([found], timeout=_LOOK_SECONDS).done:
                if on_share is not None:
                    on_share(min(max(connection.query_progress() / 100.0, 0.0), 1.0))
        except BaseException:
            connection.interrupt()
            raise
        return found.result()


@contextmanager
def _open(name: str) -> Iterator[Any]:
    if is_address(name):
        with file_system(name).open(name, "rb") as file:
            yield file
    else:
        with Path(_plain(name)).open("rb") as file:
            yield file


def _plain(name: str) -> str:
    """Return a name without the brackets of `glob.escape`."""
    if is_address(name):
        return name
    return name.replace("[[]", "[").replace("[*]", "*").replace("[?]", "?")


def _name(file: str) -> str:
    return file if is_address(file) else escape(file)


def _condition(part: Part, where: str) -> str:
    own = [] if part.end is None else [f"{_ROW} >= {part.first} AND {_ROW} < {part.end}"]
    conditions = [*own, *([f"({where})"] if where else [])]
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _cut(names: tuple[str, ...], groups: Sequence[int]) -> Iterator[Part]:
    """Yield parts of a file by its row groups; small ones are joined, large ones cut."""
    first, held = 0, 0
    for n in groups:
        if held and held + n > _BATCH_ROWS:
            yield Part(names, first, first + held)
            first, held = first + held, 0
        held += n
        while held > 2 * _BATCH_ROWS:
            yield Part(names, first, first + _BATCH_ROWS)
            first, held = first + _BATCH_ROWS, held - _BATCH_ROWS
    if held:
        yield Part(names, first, first + held)
