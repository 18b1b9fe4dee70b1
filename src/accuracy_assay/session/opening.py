"""Checks before an assay is created, opened or edited, so that a mistake changes nothing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.domain.agreement import AgreementWarning, agreement
from accuracy_assay.domain.averages import check_mix
from accuracy_assay.domain.events import Edited, PoolChanged
from accuracy_assay.domain.judges import check_judge
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import Rows
from accuracy_assay.files.texts import normal_column, normal_text
from accuracy_assay.registry import (
    build_service,
    build_strategy_for,
    check_calibrator,
    check_estimator,
    check_strategy,
)
from accuracy_assay.session.cache.pool import find_pool
from accuracy_assay.session.keeping import keep_rows, recall_rows
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.pool_digest import column_digests
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.edit import edited_spec, refuse_other_meaning, spec_changes
from accuracy_assay.spec.model import Spec

__all__ = ["checked_rows", "edit_events", "kept_or_read", "only_one", "warn_of_other_answers"]

_SHOWN_VALUES = 5
"""Values of each side in a warning: enough to see that they are written in two ways."""


def checked_rows(spec: Spec, pool: Rows, seed_set: Rows, kept: Path | None = None) -> AssayRows:
    """Read the tables, after every name in the spec was found to mean something.

    ``kept`` is the folder in which topics and tags of texts are looked for and left.
    """
    _check_names(spec)
    rows = AssayRows.read(spec, pool, seed_set, kept)
    for judge in spec.judge:
        if judge.column is not None:
            check_judge(rows.frame.head(rows.n_pool), judge.column, "pool", may_lack=True)
    _require_sent_columns(spec, rows)
    _check_goal(spec, rows)
    return rows


def kept_or_read(
    spec: Spec, content: Mapping[str, Any], pool: Rows, seed_set: Rows, cache: Path | None
) -> AssayRows:
    """Return the rows that are kept in ``cache``, or read the tables and keep what they say.

    ``content`` is the spec as the store has it.
    """
    entry = find_pool(cache, content, pool, seed_set)
    kept = recall_rows(entry, lambda: AssayRows.read(spec, pool, seed_set, cache).tables)
    if kept is not None:
        _check_names(spec)
        return kept
    rows = checked_rows(spec, pool, seed_set, cache)
    keep_rows(entry, spec, rows, column_digests(spec, rows))
    return rows


def _check_names(spec: Spec) -> None:
    """Refuse a spec whose methods, services or agreement cannot be found."""
    check_estimator(spec.assay.estimator)  # methods are built when they are first needed
    check_strategy(spec.assay.strategy)
    check_calibrator(spec.assay.calibration)
    for asked in (*spec.service, *spec.judge):
        if asked.kind is not None:
            build_service(*asked.made_from())
    agreement(spec.label.agreement)


def _check_goal(spec: Spec, rows: AssayRows) -> None:
    """Refuse a goal that the strategy does not have, and a mix that the pool does not."""
    assay = spec.assay
    if assay.goal is not None:
        build_strategy_for(assay.strategy, goal=assay.goal, mix=assay.mix)
    if assay.mix is not None:
        is_guessed = any(a.evidence or a.from_label for a in spec.attribute)
        pool = rows.frame.head(rows.n_pool)
        arms = None if is_guessed else np.unique(rows.space.arm_index(rows.space.encode(pool)))
        check_mix(rows.space, arms, assay.mix)


def warn_of_other_answers(spec: Spec, rows: AssayRows) -> None:
    """Warn where the predictions in the pool share no value with the choices of the label.

    Every label would then silently count as an error of the service.
    """
    if not spec.label.choices or spec.label.agreement != "equal":
        return
    choices = {normal_text(choice) for choice in spec.label.choices}
    for service in spec.service:
        if service.column is None:
            continue
        predicted = normal_column(rows.frame.get_column(service.column)).unique().drop_nulls()
        if predicted.len() and not predicted.is_in(list(choices)).any():
            warnings.warn(
                f"service {service.name!r} never predicts one of the choices "
                f"{list(spec.label.choices[:_SHOWN_VALUES])}: its column {service.column!r} "
                f"holds values such as {predicted.sort().head(_SHOWN_VALUES).to_list()}, so that "
                "every label would count as its error. Write both alike.",
                AgreementWarning,
                stacklevel=4,
            )


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


def only_one(names: Sequence[str], name: str | None) -> str:
    """Return the assay that is meant; where a store has several it must be named."""
    if name is not None and name not in names:
        raise UnknownNameError("assay", name, names)
    if name is None and len(names) != 1:
        raise InputError(
            "name must say which assay where a store has none or several; got a store with "
            f"{list(names)}."
        )
    return names[0] if name is None else name


def _require_sent_columns(spec: Spec, rows: AssayRows) -> None:
    """Raise an error that names the first ``{column}`` of a service or judge that is not there.

    A column that only the seed set has is null in the pool's rows.
    """
    every = {f"service {s.name!r}": s.row_columns for s in spec.service}
    every |= {f"judge {j.name!r}": j.row_columns for j in spec.judge}
    if not any(every.values()):
        return
    pool = rows.frame.head(rows.n_pool)
    known = [column.name for column in pool if column.null_count() < pool.height]
    for what, names in every.items():
        for name in names:
            if name not in known:
                raise UnknownNameError(
                    f"column in braces of {what}",
                    name,
                    known,
                    hint="Write {{ and }} for braces that hold no column.",
                )
