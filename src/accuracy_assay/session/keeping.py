"""Keeping a pool that was read, and opening one that is kept.

What is written is what a command needs to know of the rows before it reads any: how many there
are, their ids, the attributes and their values, the labels of the seed set, and the fingerprints
by which the store recognises the pool. Of a large pool also its cells, and the columns that
surfaces rest on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.files.texts import normal_text
from accuracy_assay.protocols import Calibration
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.cache.pool import KeptPool, Place, keep_pool
from accuracy_assay.session.cache.table import write_table
from accuracy_assay.session.cache.text_index import write_texts
from accuracy_assay.session.kept_cells import write_cells
from accuracy_assay.session.predicting import predictions_in_pool
from accuracy_assay.session.rows import AssayRows, Tables
from accuracy_assay.session.service_problem import signals_of_service, strata_of_signals
from accuracy_assay.spec.answerers import AnswererSection
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.reach import spec_reach
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.condense import MOST_STRATA

__all__ = ["keep_rows", "rows_of_kept"]

_LEAST_ROWS = 100_000
"""Rows from which on cells are kept: fewer are read and counted in a moment."""
_ROWS_PER_KIND = 4
"""Rows per kind, on average, from which on kinds are kept: of fewer there is nothing to gain."""
_ROWS_PER_PART = 1_000_000
"""Rows whose arms are found at a time, which bounds memory."""
_MOST_ROWS = 2**32 - 1
"""Rows are numbered by 32 bits."""
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
            **_write_cells(folder, spec, rows, list(columns)),
        }

    keep_pool(place, write)


def rows_of_kept(kept: KeptPool, place: Place, load: Callable[[], Tables]) -> AssayRows:
    """Return the rows of a pool that is kept; ``load`` reads the tables where they are wanted."""

    def read() -> Tables:
        tables = load()
        place.require_current()
        return tables

    card = kept.card
    return AssayRows(
        int(card["n_rows"]),
        int(card["n_pool"]),
        AttributeSpace(tuple(_attribute(each) for each in card["space"])),
        {int(row): label for row, label in card["seed_labels"].items()},
        read,
        kept,
        place,
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


def _write_cells(
    folder: Path, spec: Spec, rows: AssayRows, columns: Sequence[str]
) -> dict[str, Any]:
    """Write the cells of a large pool of exact attributes; return what goes onto the card."""
    asked = (*spec.service, *spec.judge)
    if not _LEAST_ROWS <= rows.n_pool <= rows.n_rows <= _MOST_ROWS or any(
        each.column is None for each in asked
    ):
        return {}
    if any(a.evidence or a.from_label for a in spec.attribute):
        return {}
    try:
        arms = Arms.read(rows.evidence, rows.gold, rows.n_pool, _refuse_guesses)
    except _GuessedError:
        return {}
    known: dict[str, AnswererSection] = {s.name: s for s in spec.service}
    known |= {judge.name: judge for s in spec.service for judge in spec.judges_of(s)}
    said = {name: predictions_in_pool(section, rows) for name, section in known.items()}
    strata, signals = {}, {}
    for k, service in enumerate(spec.service):
        table = signals_of_service(
            spec,
            service,
            rows,
            said[service.name],
            {s.name: said[s.name] for s in spec.referees_of(service)},
            {judge.name: said[judge.name] for judge in spec.judges_of(service)},
        )
        space, stratum = strata_of_signals(spec, service, rows, table)
        if space is not None and _n_crossed(space) > MOST_STRATA:
            return {}
        strata[service.name] = (space, stratum)
        signals[service.name] = write_table(folder, f"signals-{k}", table)
    cells = write_cells(folder, _arm_of_row(arms, rows.n_rows), strata, rows.n_pool)
    if cells["n_kinds"] * _ROWS_PER_KIND > rows.n_pool:
        return {}
    written = write_table(folder, "pool", rows.frame.select(columns))
    return {"cells": {**cells, "signals": signals}, "table": written}


def _arm_of_row(arms: Arms, n_rows: int) -> IntArray:
    """Return the arm of each row, (n,)."""
    parts = [
        arms.labelled(np.arange(start, min(start + _ROWS_PER_PART, n_rows))).indices
        for start in range(0, n_rows, _ROWS_PER_PART)
    ]
    return np.concatenate(parts)


def _n_crossed(space: AttributeSpace) -> int:
    """Return the strata of signals without clusters."""
    return math.prod(a.size for a in space.attributes if a.kind != "cluster")


class _GuessedError(Exception):
    """An attribute that the pool does not say of every row."""


def _refuse_guesses() -> Calibration:
    raise _GuessedError
