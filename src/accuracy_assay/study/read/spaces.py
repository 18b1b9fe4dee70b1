"""From declared or named attributes and tables to the space, and to known codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_values import refuse_taken_names
from accuracy_assay.domain.columns import AnyAttribute
from accuracy_assay.domain.evidence import columns_by_value
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.files.tables import require_columns
from accuracy_assay.files.texts import normal_text
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["guessed_space", "known_codes", "resolve_space"]


def resolve_space(
    attributes: Sequence[AnyAttribute], frame: pl.DataFrame, *others: pl.DataFrame
) -> AttributeSpace:
    """Return the space of the named or declared attributes, with values read off the frames."""
    names = [a if isinstance(a, str) else a.name for a in attributes]
    for table in (frame, *others):
        require_columns(table, names)
    space = AttributeSpace(
        tuple(
            a
            if isinstance(a, Attribute)
            else Attribute.infer(
                frame.get_column(name), extra=[o.get_column(name) for o in others]
            )
            for a, name in zip(attributes, names, strict=True)
        )
    )
    refuse_taken_names(space)
    return space


def guessed_space(
    attributes: Sequence[AnyAttribute],
    tables: Sequence[pl.DataFrame],
    evidence: Mapping[str, str],
) -> AttributeSpace:
    """Return the space if some attributes are guessed and need no column of their own.

    An undeclared guessed attribute has the values of its probability columns, spelled and ordered
    as in its gold column, if there is one.
    """
    declared = []
    for attribute in attributes:
        if isinstance(attribute, Attribute):
            declared.append(attribute)
            continue
        name = attribute if isinstance(attribute, str) else attribute.name
        gold = [t.get_column(name) for t in tables if name in t.columns]
        if name in evidence:
            found = columns_by_value(evidence[name], tables[0].columns)
            declared.append(_guessed_attribute(name, sorted(found), gold))
        elif gold:
            declared.append(Attribute.infer(gold[0], extra=gold[1:]))
        else:
            require_columns(tables[0], [name])
    space = AttributeSpace(tuple(declared))
    for name in evidence:
        space.attribute(name)
    refuse_taken_names(space)
    return space


def _guessed_attribute(name: str, values: list[str], gold: Sequence[pl.Series]) -> Attribute:
    seen = [column for column in gold if column.drop_nulls().n_unique() > 1]
    if seen:
        written = Attribute.infer(seen[0], extra=seen[1:])
        if set(map(normal_text, written.values)) == set(map(normal_text, values)):
            return written
    return Attribute(name, tuple(values))


def known_codes(space: AttributeSpace, frame: pl.DataFrame) -> IntArray:
    """Return the codes (n, K) that a table knows; -1 for a missing column or value."""
    codes = np.full((frame.height, len(space.attributes)), -1, dtype=np.int64)
    for k, attribute in enumerate(space.attributes):
        if attribute.name in frame.columns:
            column = frame.get_column(attribute.name)
            is_known = column.is_not_null().to_numpy() | attribute.has_missing
            codes[is_known, k] = attribute.encode(column.filter(is_known))
    return codes
