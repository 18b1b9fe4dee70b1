"""Fingerprints of what surfaces rest on, so that an edited pool is noticed and named.

Each column has its own: the attributes, their evidence, the predictions and the signals of the
services, what judges say, the clusters, and the labels of the seed set. A value counts by its
normal text, so that a table saved again in another format, or in another order, is the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from accuracy_assay.domain.evidence import columns_by_value
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import digest_texts, normal_column
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec

__all__ = ["column_digests", "refuse_changed_columns"]


def column_digests(spec: Spec, rows: AssayRows) -> dict[str, str]:
    """Return a fingerprint of each column that a surface depends on."""
    if rows.kept is not None:
        return dict(rows.kept.card["columns"])
    order = rows.tables.order
    return {name: _digest(rows.frame.get_column(name)[order]) for name in _columns(spec, rows)}


def refuse_changed_columns(
    known: Mapping[str, str], now: Mapping[str, str], accepted: Collection[str] = ()
) -> dict[str, str]:
    """Return the columns whose change was accepted by name; raise an error where one was not.

    A column that was not known before is new to the spec, and no change.
    """
    changed = [name for name, digest in known.items() if name in now and now[name] != digest]
    refused = [name for name in changed if name not in accepted]
    if refused:
        raise InputError(
            "the pool must hold what the assay was made with; got other values in "
            f"{', '.join(map(repr, refused))}. Use the old table, or accept the change by name: "
            f"assay edit STORE --accept {refused[0]}, or Assay.open(..., accept=[...])."
        )
    return {name: now[name] for name in changed}


def _columns(spec: Spec, rows: AssayRows) -> list[str]:
    names = [a.name for a in spec.attribute if not a.from_label]
    for attribute in spec.attribute:
        if attribute.evidence is not None:
            names += columns_by_value(attribute.evidence, rows.frame.columns).values()
    for service in spec.service:
        names += [c for c in (service.column, service.confidence) if c is not None]
        names += service.signals or ()
    names += [judge.column for judge in spec.judge if judge.column is not None]
    names += [name for name in (spec.pool.cluster, spec.pool.time) if name is not None]
    names += spec.pool.history
    if rows.seed_labels:
        names.append(spec.label.column)
    return [name for name in dict.fromkeys(names) if name in rows.frame.columns]


def _digest(column: pl.Series) -> str:
    return digest_texts(normal_column(column).fill_null(""))[:32]
