"""The labels of an assay as a table."""

from __future__ import annotations

import polars as pl

from accuracy_assay.assay.ledger import Ledger

__all__ = ["labels_frame"]

_SCHEMA = {
    "id": pl.String,
    "label": pl.String,
    "answers": pl.Int64,
    "is_disputed": pl.Boolean,
    "votes": pl.String,
}


def labels_frame(ledger: Ledger) -> pl.DataFrame:
    """Return one row for each labelled instance, in the order of their first answers."""
    found = {instance: ledger.resolve(instance) for instance in ledger.answers}
    rows = [
        (
            instance,
            resolved.label,
            sum(resolved.votes.values()),
            resolved.is_disputed,
            ", ".join(f"{label}: {n}" for label, n in resolved.votes.items()),
        )
        for instance, resolved in found.items()
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")
