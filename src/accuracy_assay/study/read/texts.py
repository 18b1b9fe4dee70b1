"""Tables with the columns of text attributes, added before anything else."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.domain.text.columns import with_text_columns
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table
from accuracy_assay.study.read.open_rows import open_rows

__all__ = ["Sources", "derive_texts", "derive_values"]


class Sources(NamedTuple):
    """Columns whose text attributes are derived, and the tables that have them."""

    columns: Columns
    rows: Rows
    pool: Rows


def derive_texts(columns: Columns, rows: Rows, pool: Rows = None) -> Sources:
    """Return tables in which each text attribute is a column of its name, or evidence.

    Without text attributes nothing is read or changed.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"said": ["Is it you?", "It is me."]})
    >>> found = derive_texts(Columns((TextAttribute("said", "question"),)), rows)
    >>> found.columns.attributes, found.rows["question"].to_list()
    (('question',), [True, False])
    """
    rows, columns = open_rows(rows, columns)
    pool, _ = open_rows(pool, columns, what="pool")
    wanted = [a for a in columns.attributes if isinstance(a, TextAttribute)]
    if not wanted:
        return Sources(columns, rows, pool)
    own = read_table(rows)
    tables = [own] if pool is None else [read_table(pool, what="pool"), own]
    made = with_text_columns(wanted, tables)
    guessed = {a.name: a.evidence for a in wanted if a.evidence is not None}
    named = tuple(a.name if isinstance(a, TextAttribute) else a for a in columns.attributes)
    plain = replace(columns, attributes=named, evidence=guessed | dict(columns.evidence))
    return Sources(plain, made[-1], None if pool is None else made[0])


def derive_values(columns: Columns, rows: Rows, pool: Rows = None) -> Sources:
    """Return the same if attributes must be known for every row.

    Raises
    ------
    InputError
        If a text attribute is only guessed.
    """
    made = derive_texts(columns, rows, pool)
    for name in made.columns.evidence.keys() - columns.evidence.keys():
        raise InputError(
            f"text attribute {name!r} must be known for every row here; got probabilities. For "
            "topics, use the feature 'main-topic'."
        )
    return made
