"""Keeping a pool that was read, and opening one that is kept.

What is written is what a command needs to know of the rows before it reads any: how many there
are, their ids, the attributes and their values, the labels of the seed set, and the fingerprints
by which the store recognises the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.assay.kept_pool import KeptPool, Place, keep_pool
from accuracy_assay.assay.rows import AssayRows, Tables
from accuracy_assay.assay.text_index import write_texts
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import normal_text
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.reach import spec_reach

__all__ = ["keep_rows", "rows_of_kept"]

_MAY_DIFFER = r"[^ -~]|^ | $|^-?[0-9]*\.[0-9]*$|^-0$|^(?i:true|false)$"
"""Texts whose normal text may be another one: spaces around, numbers with a fraction, booleans,
and characters that Unicode may compose in two ways."""


def keep_rows(
    place: Place | None, spec: Spec, rows: AssayRows, columns: Mapping[str, str]
) -> None:
    """Keep the rows at a place, where there is one; ``columns`` are their fingerprints."""
    if place is None or rows.kept is not None:
        return

    def write(folder: Path) -> Mapping[str, Any]:
        names = rows.tables.names
        write_texts(folder, "ids", names, rows.tables.order)
        return {
            "n_rows": rows.n_rows,
            "n_pool": rows.n_pool,
            "ids_digest": rows.digest,
            "columns": dict(columns),
            "space": [
                {**plain, "missing": attribute.missing}
                for plain, attribute in zip(
                    rows.space.to_json(), rows.space.attributes, strict=True
                )
            ],
            "seed_labels": {str(row): label for row, label in rows.seed_labels.items()},
            "reach": spec_reach(spec),
            "has_normal": _write_normal(folder, names),
        }

    keep_pool(place, write)


def rows_of_kept(kept: KeptPool, place: Place, load: Callable[[], Tables]) -> AssayRows:
    """Return the rows of a pool that is kept; ``load`` reads the tables where they are wanted."""

    def read() -> Tables:
        tables = load()
        if not place.is_current:
            raise InputError(
                "the pool must stay as it is while a command works with it; got one that changed "
                "meanwhile. Repeat the command."
            )
        return tables

    card = kept.card
    return AssayRows(
        int(card["n_rows"]),
        int(card["n_pool"]),
        AttributeSpace(tuple(_attribute(each) for each in card["space"])),
        {int(row): label for row, label in card["seed_labels"].items()},
        read,
        kept,
    )


def _attribute(plain: Mapping[str, Any]) -> Attribute:
    edges = None if plain["edges"] is None else tuple(plain["edges"])
    values = () if edges else tuple(plain["values"])
    return Attribute(plain["name"], values, plain["kind"], edges, plain["missing"])


def _write_normal(folder: Path, names: pl.Series) -> bool:
    """Write the normal texts of ids that are written in another way; return whether there are."""
    rows = names.str.contains(_MAY_DIFFER).arg_true()
    given = names.gather(rows).to_list()
    normal = [normal_text(text) for text in given]
    differs = [place for place, text in enumerate(given) if normal[place] != text]
    if not differs:
        return False
    write_texts(folder, "normal", pl.Series([normal[p] for p in differs], dtype=pl.String))
    rows.gather(differs).to_numpy().astype(np.uint64).tofile(folder / "normal.rows")
    return True
