"""Tables with the columns of text attributes, before anything else looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.domain.text.columns import with_text_columns
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table

__all__ = ["AnyAttribute", "TextTables", "derive_texts", "derive_values"]

AnyAttribute = str | Attribute | TextAttribute
"""An attribute by the name of its column, declared, or derived from a text."""


class TextTables(NamedTuple):
    """Attributes that are columns, the tables that have them, and patterns of their evidence."""

    attributes: Sequence[str | Attribute]
    rows: Rows
    pool: Rows
    evidence: dict[str, str]


def derive_texts(attributes: Sequence[AnyAttribute], rows: Rows, pool: Rows = None) -> TextTables:
    """Return tables in which each text attribute is a column of its name, or evidence.

    Without a text attribute everything stays as it is, and nothing is read.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"said": ["Is it you?", "It is me."]})
    >>> found = derive_texts([TextAttribute("said", "question")], rows)
    >>> found.attributes, found.rows["question"].to_list()
    (['question'], [True, False])
    """
    if isinstance(attributes, str | Attribute | TextAttribute):
        raise InputError(f"attributes must be a list of columns; got {attributes!r} alone.")
    wanted = [a for a in attributes if isinstance(a, TextAttribute)]
    others = [a for a in attributes if not isinstance(a, TextAttribute)]
    if not wanted:
        return TextTables(others, rows, pool, {})
    own = read_table(rows)
    tables = [own] if pool is None else [read_table(pool, what="pool"), own]
    made = with_text_columns(wanted, tables)
    return TextTables(
        [a.name if isinstance(a, TextAttribute) else a for a in attributes],
        made[-1],
        None if pool is None else made[0],
        {a.name: a.evidence for a in wanted if a.evidence is not None},
    )


def derive_values(attributes: Sequence[AnyAttribute], rows: Rows, pool: Rows = None) -> TextTables:
    """Return the same where attributes must be known for every row.

    Raises
    ------
    InputError
        If a text attribute is only guessed.
    """
    made = derive_texts(attributes, rows, pool)
    for name in made.evidence:
        raise InputError(
            f"text attribute {name!r} must be known for every row here; got one with "
            "probabilities. Topics are known as feature 'main-topic'."
        )
    return made
