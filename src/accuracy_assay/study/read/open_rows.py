"""The way in for rows from anywhere: files that a reader knows, and tables.

A path, a folder, a pattern or several of them are shown to every reader (``protocols.RowReader``).
If none knows them, they are tables and pass through unchanged: Parquet need not fit in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, overload

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.files.plain_types import with_plain_types
from accuracy_assay.files.tables import Rows, is_table
from accuracy_assay.protocols import RowReader
from accuracy_assay.registry import ReaderChoice, build_reader, every_reader
from accuracy_assay.study.read.claims import claims, paths_of, refuse_several

__all__ = ["find_log", "is_rows", "open_rows", "read_log", "readers_of", "rows_of_log"]


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
    given = paths_of(source)
    readers: Mapping[str, RowReader] = {}
    if reader is not None:
        readers = {str(reader): build_reader(reader)}
    elif given:
        readers = every_reader()
    claimed = claims(given, readers)
    if reader is not None and not claimed:
        claimed = {str(reader): given}  # it may read what it does not know by sight
    if not given or not claimed:
        if isinstance(source, list | tuple):
            raise InputError(
                f"{what} must be files that one reader knows; got {list(map(str, source))[:3]}, "
                "which none does."
            )
        return None
    refuse_several(claimed, what)
    ((name, paths),) = claimed.items()
    return _read(name, readers[name], paths, what)


def is_rows(address: str) -> bool:
    """Return whether a text names rows rather than a store: a table, or files of a reader."""
    return is_table(address) or bool(claims(paths_of(address), every_reader()))


def readers_of(source: Rows) -> tuple[str, ...]:
    """Return the names of the readers that know files; none for a table."""
    return tuple(claims(paths_of(source), every_reader()))


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
