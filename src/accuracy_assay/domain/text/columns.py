"""From texts to columns: what a text attribute adds to the tables of an assay.

The first table is the pool: bands, rare words and topics are learned from its texts and hold for
all tables. An exact feature becomes one column; a guessed one a column ``p_<name>__<value>`` per
value, as for any evidence. The slow features, topics, clusters and taggers, can be cached in a
folder under a fingerprint of their texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from accuracy_assay.domain.answer_form import answer_form
from accuracy_assay.domain.text.attribute import ANSWER_FORM, CLUSTER, RULES, TextAttribute
from accuracy_assay.domain.text.clusters import cluster_texts
from accuracy_assay.domain.text.counts import length_bands, rare_word_bands
from accuracy_assay.domain.text.embedder import load_embedder
from accuracy_assay.domain.text.tagger import load_tagger, tag_texts
from accuracy_assay.domain.text.topics import Topics
from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import DAMAGE
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.files.whole_file import whole_file

__all__ = ["add_text_attributes", "with_text_columns"]

_LONG = "a text"
"""The form of answers that are too long to have one."""
_TEXT = (pl.String, pl.Categorical, pl.Enum)


def add_text_attributes(
    rows: Rows, column: str, features: Sequence[str | TextAttribute], *, pool: Rows = None
) -> pl.DataFrame:
    """Return a table with columns for features of its texts.

    Parameters
    ----------
    rows
        A frame or a path, as in ``estimate``.
    column
        Column of the texts.
    features
        Names of features (see ``TextAttribute``), or text attributes of that column.
    pool
        The table whose texts decide where lengths are cut, which words are rare and what the
        topics are; by default ``rows``.

    Returns
    -------
    polars.DataFrame
        ``rows`` with a column for each exact feature; for topics and taggers a column
        ``p_<name>__<value>`` per value.

    Examples
    --------
    >>> rows = pl.DataFrame({"said": ["Is it 5?", "No.", "It is late, so let us go home."]})
    >>> add_text_attributes(rows, "said", ["question", "negation"])["question"].to_list()
    [True, False, False]
    """
    wanted = [f if isinstance(f, TextAttribute) else TextAttribute(column, f) for f in features]
    for attribute in wanted:
        if attribute.column != column:
            raise InputError(
                f"text attribute {attribute.name!r} must be of column {column!r}; got "
                f"{attribute.column!r}. Call once per column."
            )
    own = read_table(rows)
    tables = [own] if pool is None else [read_table(pool, what="pool"), own]
    return with_text_columns(wanted, tables)[-1]


def with_text_columns(
    attributes: Sequence[TextAttribute],
    tables: Sequence[pl.DataFrame],
    *,
    kept: Path | None = None,
) -> list[pl.DataFrame]:
    """Return the tables with the columns of text attributes; the first is the pool.

    Parameters
    ----------
    attributes
        What to derive.
    tables
        Tables that have the column of the texts.
    kept
        Folder that caches topics and tags.

    Raises
    ------
    InputError
        If a column is missing, does not hold texts, or exists already.
    """
    made = list(tables)
    for attribute in attributes:
        texts = [_texts(attribute, table) for table in tables]
        columns = _derive(attribute, texts, _Shelf(kept))
        for table, new in zip(tables, columns, strict=True):
            _refuse_taken(attribute, table, new)
        made = [table.hstack(new) for table, new in zip(made, columns, strict=True)]
    return made


@dataclass(frozen=True)
class _Shelf:
    """A folder of probabilities, each under a fingerprint of its texts."""

    folder: Path | None

    def probabilities(
        self, attribute: TextAttribute, pool: pl.Series, distinct: pl.Series
    ) -> pl.DataFrame:
        """Return one column per value, from the folder if it has them."""
        if self.folder is None or not isinstance(attribute.feature, str):
            return _probabilities(attribute, pool, distinct)
        path = self.folder / f"{_fingerprint(attribute, pool, distinct)}.texts.parquet"
        found = _read(path, distinct.len())
        if found is not None:
            return found
        table = _probabilities(attribute, pool, distinct)
        with suppress(OSError, InputError):  # a read-only folder caches nothing
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path, "probabilities of texts") as file:
                table.write_parquet(file)
        return table


def _read(path: Path, n_texts: int) -> pl.DataFrame | None:
    """Return the table of a file; None if there is none, or it is damaged."""
    if not path.is_file():
        return None
    try:
        table = pl.read_parquet(path, glob=False)
    except DAMAGE:
        return None
    is_whole = table.height == n_texts and all(t == pl.Float64 for t in table.dtypes)
    return table if is_whole and table.width else None


def _texts(attribute: TextAttribute, table: pl.DataFrame) -> pl.Series:
    require_columns(table, [attribute.column])
    column = table.get_column(attribute.column)
    if column.dtype not in (*_TEXT, pl.Null):
        raise InputError(
            f"column {attribute.column!r} of text attribute {attribute.name!r} must hold texts; "
            f"got {column.dtype}."
        )
    return column.cast(pl.String)


def _derive(
    attribute: TextAttribute, texts: Sequence[pl.Series], shelf: _Shelf
) -> list[pl.DataFrame]:
    """Return the new columns of each table."""
    pool, edges, feature = texts[0], attribute.edges, attribute.feature
    if isinstance(feature, str) and feature in RULES:
        found = [RULES[feature](each) for each in texts]
    elif feature == "length":
        found = [length_bands(each, pool, edges) for each in texts]
    elif feature == "rare-words":
        found = [rare_word_bands(each, pool, edges) for each in texts]
    elif feature == ANSWER_FORM:
        found = [_forms(each, pool) for each in texts]
    else:
        return _guess(attribute, texts, shelf)
    return [column.alias(attribute.name).to_frame() for column in found]


def _forms(texts: pl.Series, pool: pl.Series) -> pl.Series:
    """Return the form of each answer; long answers are all of one form."""
    found = answer_form(texts, pool)
    forms = pl.lit(_LONG) if found is None else found
    return pl.select(pl.when(texts.is_not_null()).then(forms)).to_series()


def _guess(
    attribute: TextAttribute, texts: Sequence[pl.Series], shelf: _Shelf
) -> list[pl.DataFrame]:
    """Return the probabilities of each table's texts, or the most probable value."""
    distinct = pl.concat(texts).drop_nulls().unique().sort()
    table = shelf.probabilities(attribute, texts[0], distinct)
    if not attribute.is_guessed:
        values = pl.Series(table.columns, dtype=pl.String)
        best = table.select(pl.concat_list(pl.all()).list.arg_max()).to_series()
        table = values.gather(best).alias(attribute.name).to_frame()
    else:
        table = table.rename(lambda value: f"p_{attribute.name}__{value}")
    return [table.select(pl.all().gather(_places(each, distinct))) for each in texts]


def _places(texts: pl.Series, distinct: pl.Series) -> pl.Series:
    """Return the position of each text among the sorted ones, null if it is missing."""
    places = distinct.search_sorted(texts.fill_null("")).cast(pl.Int64)
    return places.to_frame("at").select(pl.when(texts.is_not_null()).then("at")).to_series()


def _probabilities(attribute: TextAttribute, pool: pl.Series, distinct: pl.Series) -> pl.DataFrame:
    what = f"feature of text attribute {attribute.name!r}"
    if attribute.is_tagger:
        tagger = load_tagger(attribute.feature, what)
        values, table = tag_texts(tagger, distinct.to_list(), attribute.values, what)
    elif attribute.feature == CLUSTER:
        found = cluster_texts(pool, distinct, attribute.n_topics, load_embedder())
        values, table = found.values, np.eye(len(found.values))[found.of_text]
    else:
        topics = Topics.fit(pool, attribute.n_topics)
        values, table = topics.values, topics.probabilities(distinct)
    return pl.DataFrame(table, schema=dict.fromkeys(values, pl.Float64), orient="row")


def _fingerprint(attribute: TextAttribute, pool: pl.Series, distinct: pl.Series) -> str:
    """Return a text that changes with anything that the probabilities depend on."""
    tags = f"{attribute.feature}\0{attribute.values!r}"
    kind = CLUSTER if attribute.feature == CLUSTER else "topics"
    said = tags if attribute.is_tagger else f"{kind}\0{attribute.n_topics}"
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass"))
    for texts in (pool.drop_nulls().unique().sort(), distinct):
        digest.update(f"\0\0{texts.len()}\0".encode())
        for text in texts:
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:32]


def _refuse_taken(attribute: TextAttribute, table: pl.DataFrame, new: pl.DataFrame) -> None:
    for name in new.columns:
        if name in table.columns:
            raise InputError(
                f"text attribute {attribute.name!r} must have a new name; got a table that "
                f"already has the column {name!r}. Give the attribute another name, or use that "
                "column."
            )
