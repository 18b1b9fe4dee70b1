"""The events of an edit: the new spec, checked, and fingerprints of columns that are new to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accuracy_assay.domain.events import Edited, PoolChanged
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.opening import checked_rows
from accuracy_assay.session.pool_digest import column_digests
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.edit import edited_spec, refuse_other_meaning, spec_changes
from accuracy_assay.spec.model import Spec

__all__ = ["edit_events"]


def edit_events(
    spec: Spec,
    rows: AssayRows,
    tables: tuple[Rows, Rows, Path | None],
    ledger: Ledger,
    changes: Mapping[str, Any] | Spec,
) -> tuple[()] | tuple[Edited] | tuple[Edited, PoolChanged]:
    """Return what an edit writes; nothing where everything was so already.

    Parameters
    ----------
    spec, rows
        The spec as it is, and the tables as they were read under it.
    tables
        The pool and the seed set that were given in place of the spec's files, and the folder of
        what was derived from their texts.
    ledger
        What was said and done so far.
    changes
        As in ``Assay.edit``.
    """
    new = changes if isinstance(changes, Spec) else edited_spec(spec, changes)
    changed = spec_changes(spec, new)
    if not changed:
        return ()
    given = {answer.label for by in ledger.answers.values() for answer in by.values()}
    refuse_other_meaning(spec, new, given)
    new_rows = checked_rows(new, *tables)
    if new_rows.space != rows.space:
        raise InputError(
            "attributes must keep their values, since arms are made of them; got a spec with "
            "others. Make a new assay, and take the labels along with assay export and import."
        )
    edited = Edited(new.model_dump(mode="json"), changed)
    digests = column_digests(new, new_rows)
    fresh = {name: digest for name, digest in digests.items() if name not in ledger.columns}
    return (edited, PoolChanged(fresh)) if fresh else (edited,)
