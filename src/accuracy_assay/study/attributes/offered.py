"""Which columns of a table are offered as attributes if nobody names any.

Columns that play another part, such as the predictions of other services, are not. What texts are
like is offered too: their length, whether they hold a number, and so on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from accuracy_assay.domain.columns import AnyAttribute
from accuracy_assay.domain.evidence import columns_by_value
from accuracy_assay.domain.roles.guess import guess_roles
from accuracy_assay.domain.text.attribute import CLUSTER, RULES, TextAttribute
from accuracy_assay.domain.text.columns import with_text_columns
from accuracy_assay.domain.text.proposed import free_name, proposed_features
from accuracy_assay.files.tables import require_columns

__all__ = ["OfferedColumns", "offer_columns", "text_features"]

_MOST_TEXTS = 2
"""Columns of texts whose features are offered: a question and its context."""
_CHEAP = ("length", *RULES)
"""Features of texts that are quick to find."""


@dataclass(frozen=True, eq=False)
class OfferedColumns:
    """Columns to judge.

    Parameters
    ----------
    names
        Columns of the table.
    texts
        Features of its texts, by the name of the column that each would make.
    skipped
        Columns with another part, and which.
    """

    names: tuple[str, ...]
    texts: Mapping[str, TextAttribute] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def typed(self) -> dict[str, str]:
        """How the features of texts are written on the command line."""
        return {
            name: f"{name}=text:{made.column}:{made.feature}" for name, made in self.texts.items()
        }

    def with_clusters(self, table: pl.DataFrame, columns: Sequence[str]) -> OfferedColumns:
        """Return the same, and the clusters of some columns of texts in a table.

        Raises
        ------
        InputError
            If there is no such column.
        """
        require_columns(table, columns, what="pool")
        texts = dict(self.texts)
        for column in columns:
            name = free_name(CLUSTER, column, [*table.columns, *texts])
            texts[name] = TextAttribute(column, CLUSTER, name)
        return replace(self, texts=texts)

    def read(self, *tables: pl.DataFrame) -> pl.DataFrame:
        """Return the columns of tables, one below the other, those of texts included.

        The first table is the pool: its texts decide where lengths are cut.
        """
        columns = list(dict.fromkeys(made.column for made in self.texts.values()))
        texts = with_text_columns(list(self.texts.values()), [t.select(columns) for t in tables])
        made = pl.concat([table.select(list(self.texts)) for table in texts])
        whole = pl.concat([t.select(self.names) for t in tables], how="vertical_relaxed")
        return whole.hstack(made) if self.names else made


def offer_columns(
    table: pl.DataFrame, taken: Collection[str], used: Sequence[AnyAttribute] = ()
) -> OfferedColumns:
    """Return the columns to judge.

    Parameters
    ----------
    table
        The table.
    taken
        Its attributes, scores and other used columns.
    used
        The attributes as they were declared: features of texts among them are not offered again.
    """
    roles = guess_roles(table)
    parts = {name: part for name, part in roles.parts.items() if name not in taken}
    for attribute, pattern in roles.evidence.items():
        columns = columns_by_value(pattern, table.columns).values()
        parts |= {c: f"is evidence of {attribute!r}" for c in columns if c not in taken}
    unused = [name for name in table.columns if name not in taken]
    texts = [name for name in roles.texts if name in unused]
    known = {(a.column, a.feature) for a in used if isinstance(a, TextAttribute)}
    features = {
        name: made
        for name, made in text_features(table, texts).items()
        if (made.column, made.feature) not in known
    }
    return OfferedColumns(tuple(name for name in unused if name not in parts), features, parts)


def text_features(table: pl.DataFrame, texts: Collection[str]) -> dict[str, TextAttribute]:
    """Return features that divide the texts of the first columns, by the names they may have."""
    found: dict[str, TextAttribute] = {}
    for column in list(texts)[:_MOST_TEXTS]:
        taken = [*table.columns, *found]
        for name, feature in proposed_features(table.get_column(column), taken, _CHEAP).items():
            found[name] = TextAttribute(column, feature, name)
    return found
