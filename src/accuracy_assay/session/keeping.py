"""Keeping rows that were read, and recalling them.

What is kept is what a command needs to know of the rows before it reads any: how many there are,
their ids, the attributes and their values, the labels of the seed set, and the fingerprints by
which the store recognises the pool. Of a large pool also its cells, and the columns that surfaces
rest on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.cache.cells import open_cells, write_cells
from accuracy_assay.session.cache.entries import Card, keep, recall
from accuracy_assay.session.cache.ids import KeptIds, write_ids
from accuracy_assay.session.cache.pool import IDS, KeptPool, PoolEntry
from accuracy_assay.session.cache.table import open_table, write_table
from accuracy_assay.session.pool_answers import PoolAnswers
from accuracy_assay.session.rows import AssayRows, Tables
from accuracy_assay.session.service_problem import signals_of_service, strata_of_signals
from accuracy_assay.spec.answerers import AnswererSection
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.reach import spec_reach
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.condense import MOST_STRATA

__all__ = ["keep_rows", "recall_rows"]

_LEAST_ROWS = 100_000
"""Cells are kept of pools of at least this size; smaller ones are counted in a moment."""
_ROWS_PER_PART = 1_000_000
"""Rows whose arms are found at a time, which bounds memory."""
_MOST_ROWS = 2**32 - 1
"""Rows are numbered by 32 bits."""


def keep_rows(
    entry: PoolEntry | None, spec: Spec, rows: AssayRows, columns: Mapping[str, str]
) -> None:
    """Keep the rows, where there is an entry for them; ``columns`` are their fingerprints."""
    if entry is None:
        return

    def write(folder: Path) -> Card:
        write_ids(folder / IDS, rows.tables.names)
        attributes = zip(rows.space.to_json(), rows.space.attributes, strict=True)
        card = {
            "n_rows": rows.n_rows,
            "n_pool": rows.n_pool,
            "n_left_out": rows.n_left_out,
            "ids_digest": rows.digest,
            "columns": dict(columns),
            "space": [{**plain, "missing": each.missing} for plain, each in attributes],
            "seed_labels": {str(row): label for row, label in rows.seed_labels.items()},
            "reach": spec_reach(spec),
            "cells": _write_cells(folder, spec, rows, list(columns)),
        }
        if not entry.is_current:
            raise OSError("the tables changed meanwhile")
        return card

    keep(entry.path, write)


def recall_rows(entry: PoolEntry | None, load: Callable[[], Tables]) -> AssayRows | None:
    """Return the rows that are kept, None where none are.

    ``load`` reads the tables where they are wanted.
    """
    if entry is None:
        return None

    def read_tables() -> Tables:
        tables = load()
        entry.require_current()
        return tables

    def read(folder: Path, card: Card) -> AssayRows:
        kept = KeptPool(entry, card, KeptIds(folder / IDS))
        space = AttributeSpace.from_json(card["space"])
        if card["cells"] is not None:
            cells = open_cells(folder, card["cells"], space)
            kept = replace(kept, table=open_table(folder, "pool"), cells=cells)
        labels = {int(row): label for row, label in card["seed_labels"].items()}
        counts = card["n_rows"], card["n_pool"]
        n_left_out = card.get("n_left_out", 0)
        return AssayRows(*counts, space, labels, read_tables, kept, n_left_out)

    return recall(entry.path, read)


def _write_cells(folder: Path, spec: Spec, rows: AssayRows, columns: Sequence[str]) -> Card | None:
    """Write the cells of a large pool of exact attributes, and its columns; return the card."""
    is_large = _LEAST_ROWS <= rows.n_pool <= rows.n_rows <= _MOST_ROWS
    is_large &= not rows.n_left_out  # rows are looked up in the file by their numbers
    is_large &= not spec.pool.history  # its columns are read as a whole
    is_guessed = any(a.evidence or a.from_label for a in spec.attribute)
    if not is_large or is_guessed or any(s.column is None for s in (*spec.service, *spec.judge)):
        return None
    try:
        arm = _arm_of_row(rows)
    except InputError:  # an attribute that the pool does not say of every row
        return None
    known: dict[str, AnswererSection] = {s.name: s for s in spec.service}
    known |= {judge.name: judge for s in spec.service for judge in spec.judges_of(s)}
    said = {name: PoolAnswers(section, rows) for name, section in known.items()}
    asked = {judge.name for s in spec.service for judge in spec.judges_of(s)}
    if any(said[name].n_given < rows.n_rows for name in asked):
        return None  # what other rows' opinions may be takes all rows
    strata, signals = {}, []
    for service in spec.service:
        referees = {s.name: said[s.name] for s in spec.referees_of(service)}
        judges = {judge.name: said[judge.name] for judge in spec.judges_of(service)}
        own = said[service.name]
        signals.append(signals_of_service(spec, service, rows, own, referees, judges))
        strata[service.name] = strata_of_signals(spec, service, rows, signals[-1])
    if any(space is not None and _n_crossed(space) > MOST_STRATA for space, _ in strata.values()):
        return None
    card = write_cells(folder, arm, strata, signals, rows.n_pool)
    if card is not None:
        write_table(folder, "pool", rows.frame.select(columns))
    return card


def _arm_of_row(rows: AssayRows) -> IntArray:
    """Return the arm of each row, (n,)."""
    arms = Arms(rows.evidence, rows.gold, rows.n_pool)
    parts = [
        arms.labelled(np.arange(start, min(start + _ROWS_PER_PART, rows.n_rows))).indices
        for start in range(0, rows.n_rows, _ROWS_PER_PART)
    ]
    return np.concatenate(parts)


def _n_crossed(space: AttributeSpace) -> int:
    """Return the strata of signals without clusters."""
    return math.prod(a.size for a in space.attributes if a.kind != "cluster")
