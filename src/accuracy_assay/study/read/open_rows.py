"""The way in for rows from anywhere: files that a reader knows, and tables.

A path, a folder, a pattern or several of them are shown to every reader (``protocols.RowReader``).
If none knows them, they are tables and pass through unchanged: Parquet need not fit in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any, overload

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.files.parquet_paths import is_address
from accuracy_assay.files.plain_types import with_plain_types
from accuracy_assay.files.tables import Rows, is_table
from accuracy_assay.protocols import RowReader
from accuracy_assay.registry import ReaderChoice, build_reader, every_reader

__all__ = ["find_log", "is_rows", "open_rows", "read_log", "readers_of", "rows_of_log"]

_STDIN = "-"


@overload
def open_rows(
    source: Rows,
    columns: Columns,
    *,
    service: str | None = None,
    metric: str | None = None,
    what: str = "rows",
) -> tuple[Rows, Columns]: ...


@overload
def open_rows(
    source: Rows,
    columns: None = None,
    *,
    service: str | None = None,
    metric: str | None = None,
    what: str = "rows",
) -> tuple[Rows, Columns | None]: ...


def open_rows(
    source: Rows,
    columns: Columns | None = None,
    *,
    service: str | None = None,
    metric: str | None = None,
    what: str = "rows",
) -> tuple[Rows, Columns | None]:
    """Return rows, and what their columns mean.

    Parameters
    ----------
    source
        A frame, a path, a folder, a pattern, or a list of paths of one kind.
    columns
        What the caller says about the columns. Unless that includes scores, the files fill in the
        rest.
    service, metric
        As in `EvalLog.columns`.
    what
        What error messages call the source.

    Returns
    -------
    rows
        A frame for foreign files; else ``source`` itself.
    columns
        None if the source is a table and the caller said nothing.

    Raises
    ------
    InputError
        If a reader cannot read the files, or they hold several services and none is named.
    """
    found = find_log(source, what=what)
    return (source, columns) if found is None else rows_of_log(found, columns, service, metric)


def rows_of_log(
    log: EvalLog,
    columns: Columns | None = None,
    service: str | None = None,
    metric: str | None = None,
) -> tuple[pl.DataFrame, Columns]:
    """Return the rows of one service of a log, and what their columns mean.

    Parameters
    ----------
    log
        The log.
    columns, service, metric
        As in `open_rows`. A score column of the log names the service and the metric too.

    Examples
    --------
    >>> from accuracy_assay.domain.eval_log import ServiceColumns
    >>> rows = pl.DataFrame({"topic": ["art", "law", "law"], "ok": [1, 0, 1]})
    >>> log = EvalLog(rows, {"it": ServiceColumns(None, {"exact": "ok"})})
    >>> rows_of_log(log, Columns(("topic",)))[1].score
    'ok'
    """
    if columns is not None and columns.score is not None and service is None:
        service, metric = log.find_score(columns.score) or (None, None)
    if columns is not None and service is None and columns.scored_by:
        asked = log.find_prediction(columns.y_pred)
        return (log.rows if asked is None else log.rows_of(asked)), columns
    said = log.columns(service, metric, None if columns is None else columns.attributes)
    name = service or next(iter(log.services), None)
    rows = log.rows if name is None else log.rows_of(name)
    if columns is None:
        return rows, said
    left_open = [f.name for f in fields(Columns) if not getattr(columns, f.name)]
    return rows, replace(columns, **{name: getattr(said, name) for name in left_open})


def read_log(paths: Rows, *, reader: ReaderChoice | None = None) -> EvalLog:
    """Return the evaluation log in some files: rows, services, scores, attributes and more.

    Parameters
    ----------
    paths
        A file, a folder, a pattern, or a list of them. Logs of several services are joined: an
        item that several services answered is one row.
    reader
        The format, if the files do not show it.

    Raises
    ------
    InputError
        If there is no such file, no reader knows it, or it is damaged.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> line = {"doc_id": 0, "doc": {"question": "2 + 2?"}, "target": "4", "doc_hash": "a1"}
    >>> line |= {"filtered_resps": ["4"], "metrics": ["exact_match"], "exact_match": 1.0}
    >>> path = Path(folder.name) / "tiny-model" / "samples_sums_2024-11-26T10-50-23.jsonl"
    >>> path.parent.mkdir()
    >>> _ = path.write_text(json.dumps(line))
    >>> print(read_log(path))
    1 row
    services: tiny-model
    scores: score:tiny-model:exact_match
    predictions: pred:tiny-model
    target: target
    >>> folder.cleanup()
    """
    found = find_log(paths, reader=reader, what="paths")
    if found is not None:
        return found
    from accuracy_assay.registry import READERS

    raise InputError(
        f"paths must be evaluation logs; got {str(paths)!r}, which no reader knows. Readers: "
        f"{', '.join(READERS)}. A table of rows needs no reader: give it to estimate as it is."
    )


def find_log(
    source: Rows, *, reader: ReaderChoice | None = None, what: str = "rows"
) -> EvalLog | None:
    """Return all that the files of another tool say; None if the source is not such a file.

    Parameters
    ----------
    source, what
        As in `open_rows`; a log is returned as it is.
    reader
        The reader to use, if several know the files or none does.

    Raises
    ------
    InputError
        If no reader, or more than one, knows the files, or the one that does cannot read them.
    """
    if isinstance(source, EvalLog):
        return source
    given = _paths(source)
    readers: Mapping[str, RowReader] = {}
    if reader is not None:
        readers = {str(reader): build_reader(reader)}
    elif given:
        readers = every_reader()
    claimed = _claims(given, readers) if reader is None else {str(reader): given}
    if not given or not claimed:
        if isinstance(source, list | tuple):
            raise InputError(
                f"{what} must be files that one reader knows; got {list(map(str, source))[:3]}, "
                "which none does."
            )
        return None
    if len(claimed) > 1:
        found = ", ".join(f"{name} ({paths[0].name})" for name, paths in claimed.items())
        raise InputError(
            f"{what} must be files that one reader knows; got {found}. Give files of one kind, or "
            "name the reader."
        )
    ((name, paths),) = claimed.items()
    return _read(name, readers[name], paths, what)


def is_rows(address: str) -> bool:
    """Return whether a text names rows rather than a store: a table, or files of a reader."""
    return is_table(address) or bool(_claims(_paths(address), every_reader()))


def readers_of(source: Rows) -> tuple[str, ...]:
    """Return the names of the readers that know files; none for a table."""
    return tuple(_claims(_paths(source), every_reader()))


def _paths(source: Rows) -> list[Path]:
    """Return the files and folders that a source names; none for a frame or an address."""
    if isinstance(source, str | Path):
        text = str(source)
        if text == _STDIN or is_address(text):
            return []
        if has_magic(text) and not Path(text).exists():
            return [Path(name) for name in sorted(glob(text, recursive=True))]
        return [Path(text)] if Path(text).exists() else []
    if isinstance(source, list | tuple):
        return [path for part in source for path in _paths(part)]
    return []


def _claims(paths: Sequence[Path], readers: Mapping[str, RowReader]) -> dict[str, list[Path]]:
    """Return the files and folders that each reader knows; readers that know none are left out."""
    found: dict[str, list[Path]] = {}
    for given in paths if readers else ():
        for name, path in _claims_of(given, readers):
            found.setdefault(name, []).append(path)
    return found


def _claims_of(path: Path, readers: Mapping[str, RowReader]) -> Iterator[tuple[str, Path]]:
    """Yield the readers that know a file or a folder, or else the content of the folder."""
    known = [name for name, reader in readers.items() if reader.reads(path)]
    yield from ((name, path) for name in known)
    if known or not path.is_dir():
        return
    with suppress(OSError):  # ``files.tables`` refuses a folder that cannot be listed
        for part in sorted(path.iterdir()):
            is_loop = part.is_symlink() and part.is_dir()
            if not (is_loop or part.name.startswith(".")):
                yield from _claims_of(part, readers)


def _read(name: str, reader: RowReader, paths: Sequence[Path], what: str) -> EvalLog:
    """Read files; any failure of a reader becomes an error about the user's files."""
    shown = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files, {paths[0].name} first"
    try:
        found: Any = reader.read(paths)
    except AssayError:
        raise
    except Exception as error:  # a damaged file, or a reader of another package
        first = (str(error).strip().splitlines() or [""])[0]
        raise InputError(
            f"{what} must be what reader {name!r} reads; got {shown!r} "
            f"({type(error).__name__}: {first})."
        ) from error
    if not isinstance(found, EvalLog):
        raise InputError(f"reader {name!r} must return EvalLog; got {type(found).__name__}.")
    return replace(found, rows=with_plain_types(found.rows))
