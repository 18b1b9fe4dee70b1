"""Which features of a text to propose as attributes: those that divide the pool."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from accuracy_assay.domain.text.attribute import COUNTED, RULES, TOPICS, TextAttribute
from accuracy_assay.domain.text.columns import add_text_attributes
from accuracy_assay.domain.text.languages import UNCLEAR
from accuracy_assay.domain.text.words import count_words

__all__ = ["free_name", "is_text", "proposed_features"]

_MAIN_TOPIC = "main-topic"
_TRIED = (*COUNTED, *RULES, _MAIN_TOPIC)
"""Features that are tried by default: those with a value for each text."""
_LEAST_WORDS = 4.0
"""Least mean words of a column that holds texts and not names, chosen by hand."""
_LEAST_SHARE = 0.02
"""Least share of rows outside the most frequent value, chosen by hand: below, labels are few."""
_SAMPLE_ROWS = 1000
"""Rows looked at, spread over the pool; more only take more time."""
_LEAST_TEXTS = 200
"""Least different texts for topics to be proposed: about twenty for each."""


def is_text(column: pl.Series) -> bool:
    """Return whether a column holds texts of several words.

    Examples
    --------
    >>> is_text(pl.Series(["Ann Lee", "Bob"])), is_text(pl.Series(["how are you today", None]))
    (False, True)
    """
    if column.dtype != pl.String:
        return False
    mean = count_words(_sample(column.drop_nulls())).mean()
    return isinstance(mean, float) and mean >= _LEAST_WORDS


def proposed_features(
    column: pl.Series, taken: Collection[str], features: Sequence[str] | None = None
) -> dict[str, str]:
    """Return features that divide the texts of a column, by the names that they may have.

    Parameters
    ----------
    column
        Texts of the pool.
    taken
        Names that attributes must not have: the columns of the pool.
    features
        Features to try, by default all but probabilities of topics.

    Examples
    --------
    >>> texts = pl.Series("said", ["Is it late now?", "It is not so late."] * 20)
    >>> proposed_features(texts, ["id", "said", "length"])
    {'said_length': 'length', 'question': 'question', 'negation': 'negation'}
    """
    texts = _sample(column.drop_nulls()).alias("text")
    tried = [f for f in features or _TRIED if f not in TOPICS]
    wanted = [TextAttribute("text", feature, f"{feature} of text") for feature in tried]
    table = add_text_attributes(texts.to_frame(), "text", wanted)
    found = [f for f, made in zip(tried, wanted, strict=True) if _divides(table[made.name])]
    if _MAIN_TOPIC in (features or _TRIED) and column.n_unique() >= _LEAST_TEXTS:
        found.append(_MAIN_TOPIC)
    return {free_name(feature, column.name, taken): feature for feature in found}


def _sample(texts: pl.Series) -> pl.Series:
    return texts.gather_every(max(1, texts.len() // _SAMPLE_ROWS))


def _divides(values: pl.Series) -> bool:
    """Return whether a value beside the most frequent one is not too rare.

    Texts whose language is unclear are mostly short ones, and divide nothing.
    """
    known = values.filter(values.cast(pl.String) != UNCLEAR)
    counts = known.value_counts(name="n").get_column("n").to_numpy()
    return bool(counts.sum() - counts.max(initial=0) >= max(_LEAST_SHARE * values.len(), 1.0))


def free_name(feature: str, column: str, taken: Collection[str]) -> str:
    """Return a name for a feature of the texts of a column that no other column has."""
    own = feature.replace("-", "_")
    name = own if own not in taken else f"{column}_{own}"
    while name in taken:
        name += "_"
    return name
