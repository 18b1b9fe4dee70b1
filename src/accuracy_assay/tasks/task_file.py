"""A user's own task: a TOML file that says which table to read and what its columns mean.

Keys: ``rows`` (path of the table, relative to the file), ``score``, and any of ``name``,
``description``, ``id``, ``signals``; one ``[[attribute]]`` each with ``name`` and any of
``values`` (in their order, for ``kind = "ordinal"``), ``edges`` (cut points of a number),
``evidence`` (pattern of probability columns) and ``from_label``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from accuracy_assay.domain.space import Attribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import read_table, require_columns
from accuracy_assay.tasks.task import Task

__all__ = ["read_task"]

_KEYS = ("name", "description", "rows", "id", "score", "signals", "attribute")
_ATTRIBUTE_KEYS = ("name", "values", "kind", "edges", "evidence", "from_label")


def read_task(path: Path) -> Task:
    """Return the task that a TOML file describes.

    Raises
    ------
    InputError
        If the file is missing or malformed, a key is unknown, or a column does not exist.
    """
    spec = _read(path)
    attributes = spec["attribute"]
    rows = read_table(path.parent / spec["rows"], what=f"rows of task {path.name!r}")
    names = tuple(a["name"] for a in attributes)
    require_columns(rows, names, what=f"task {path.name!r}")
    if "id" not in spec:
        rows = rows.with_row_index("id") if "id" not in rows.columns else rows
    return Task(
        name=spec.get("name", path.stem),
        description=spec.get("description", ""),
        rows=rows.with_columns(_column(rows, a) for a in attributes),
        attributes=names,
        kinds={a["name"]: a["kind"] for a in attributes if a.get("kind") == "boolean"},
        id=spec.get("id", "id"),
        score=spec["score"],
        evidence={a["name"]: a["evidence"] for a in attributes if "evidence" in a},
        signals=tuple(spec.get("signals", ())),
        from_label=tuple(a["name"] for a in attributes if a.get("from_label")),
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(f"task file must exist; got {str(path)!r}.")
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"task file must be TOML; got {str(path)!r}: {error}.") from None
    _check_keys(spec, _KEYS, f"key of {path.name}")
    for needed in ("rows", "score", "attribute"):
        if not spec.get(needed):
            raise InputError(f"task file must have {needed!r}; got {str(path)!r} without it.")
    for attribute in spec["attribute"]:
        _check_keys(attribute, _ATTRIBUTE_KEYS, f"key of an attribute in {path.name}")
        if "name" not in attribute:
            raise InputError(f"attribute in {path.name} must have a 'name'; got {attribute}.")
    return spec


def _check_keys(found: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in found:
        if key not in known:
            raise UnknownNameError(what, key, known)


def _column(rows: pl.DataFrame, spec: Mapping[str, Any]) -> pl.Series:
    """Return an attribute's column; ordered ones as an enum, which the space reads as ordinal."""
    column = rows.get_column(spec["name"])
    if "edges" in spec:
        attribute = Attribute.infer(column, edges=spec["edges"])
    elif spec.get("kind") == "ordinal" or "values" in spec:
        values = spec.get("values") or sorted(column.drop_nulls().unique().to_list())
        attribute = Attribute(spec["name"], tuple(values), spec.get("kind", "categorical"))
    else:
        return column
    texts = [str(value) for value in attribute.values]
    coded = pl.Series(spec["name"], texts).gather(attribute.encode(column))
    return coded.cast(pl.Enum(texts)) if attribute.is_ordered else coded
