"""The words that tell groups of texts apart, and names made of them."""

from __future__ import annotations

import numpy as np
import polars as pl

from accuracy_assay.domain.text.words import split_words
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["NAMED_BY", "group_names", "plain_words", "telling_words"]

NAMED_BY = 3
"""Words in the name of a group."""
_MOST_WORDS = 4_000
"""Most words that groups are told apart by, the most frequent ones."""
_LEAST_TEXTS = 3
"""Fewest texts that a word must occur in, so that misspellings do not count."""
_MOST_SHARE = 0.2
"""A word in a larger share of the texts says nothing about the group, in any language; with few
groups the limit is one group's share. In a pool of few texts every word counts."""
_FEW_TEXTS = 50
_ENDING = r"'(?:s|t|m|re|ve|ll|d)$"
_CONTRACTED = r"^(?:ai|are|could|did|does|do|had|has|have|is|must|need|should|was|were|wo|would)n$"
"""What is left of a contraction with not."""


def plain_words(texts: pl.Series) -> pl.Series:
    """Return the words of each text without genitive and contraction endings."""
    return split_words(texts).list.eval(pl.element().str.replace(_ENDING, ""))


def telling_words(rows: pl.Series, n_groups: int) -> list[str]:
    """Return the words that may tell groups of texts apart, sorted: neither rare nor everywhere.

    Parameters
    ----------
    rows
        The words of each text.
    n_groups
        How many groups of texts there are to be.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    every = rows.list.unique().explode().drop_nulls()
    counted = every.alias("word").value_counts(name="n")
    most_share = max(_MOST_SHARE, 1.0 / n_groups)
    most = rows.len() if rows.len() < _FEW_TEXTS else most_share * rows.len()
    word, n = pl.col("word"), pl.col("n")
    is_unspaced = word.str.contains(r"^[\p{Han}\p{Hiragana}\p{Katakana}]")
    telling = counted.filter(
        n.is_between(_LEAST_TEXTS, most),
        word.str.contains(r"\p{L}"),
        (word.str.len_chars() > 1) | is_unspaced,
        ~word.is_in(list(ENGLISH_STOP_WORDS)),
        ~word.str.contains(_CONTRACTED),
    )
    ranked = telling.sort("n", "word", descending=[True, False]).head(_MOST_WORDS)
    return sorted(ranked.get_column("word").to_list())


def group_names(weights: FloatArray, words: list[str]) -> list[str]:
    """Return the name of each group by its heaviest words, (K, V) weights in all.

    Words of equal weight are in alphabetical order.
    """
    names: list[str] = []
    for row in weights:
        best = np.argsort(-row, kind="stable")[:NAMED_BY]
        name = "/".join(words[w] for w in best if row[w] > 0.0)
        n_alike = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({n_alike + 1})" if n_alike else name)
    return names
