"""Counts of a text, cut into bands: its length in words, and how many of them are rare.

Bands are the pool's thirds unless edges are given, and the pool's texts decide which words are
rare. Neither depends on the order of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.text.words import count_words, split_words

__all__ = ["cut_at_thirds", "length_bands", "rare_word_bands", "rare_words"]

_RARE_SHARE = 0.001
"""A word is rare if at most this share of the pool's texts has it: one in a thousand, chosen by
hand. In a smaller pool a word is rare if only one text has it."""


def length_bands(
    texts: pl.Series, pool: pl.Series, edges: Sequence[int] | None = None
) -> pl.Series:
    """Return the length of each text in words, as a band (n,); null for a missing text.

    Examples
    --------
    >>> pool = pl.Series(["one", "one two", "one two three"])
    >>> length_bands(pool, pool).to_list()
    ['up to 1 word', '2 words', '3 words or more']
    """
    return _banded(count_words(texts), count_words(pool), edges, "word")


def rare_word_bands(
    texts: pl.Series, pool: pl.Series, edges: Sequence[int] | None = None
) -> pl.Series:
    """Return the number of rare words of each text, as a band (n,); null for a missing text."""
    found = _rare_words(pool, texts)
    return _banded(found[pool.len() :], found[: pool.len()], edges, "rare word")


def rare_words(texts: pl.Series, pool: pl.Series) -> pl.Series:
    """Return the number of different rare words of each text (n,).

    Examples
    --------
    >>> pool = pl.Series(["the cat", "the dog", "the cat"])
    >>> rare_words(pl.Series(["the cat", "a dog"]), pool).to_list()
    [0, 2]
    """
    return _rare_words(pool, texts)[pool.len() :]


def cut_at_thirds(numbers: pl.Series) -> tuple[int, ...]:
    """Return the whole numbers that cut numbers into thirds, or into as many parts as possible.

    Examples
    --------
    >>> cut_at_thirds(pl.Series([4, 5, 7, 8, 11, 12])), cut_at_thirds(pl.Series([0, 0, 0, 0, 3]))
    ((7, 11), (3,))
    """
    known = numbers.drop_nulls().sort()
    if known.is_empty() or known[0] == known[-1]:
        return ()
    thirds = {int(known[known.len() // 3]), int(known[2 * known.len() // 3])}
    cuts = sorted(third for third in thirds if third > known[0])
    return tuple(cuts) or (int(known.filter(known > known[0])[0]),)


def _banded(
    numbers: pl.Series, pool: pl.Series, edges: Sequence[int] | None, unit: str
) -> pl.Series:
    cuts = cut_at_thirds(pool) if edges is None else tuple(edges)
    names = _band_names(cuts, unit)
    number = pl.col("n")
    band: Any = pl.when(number.is_null()).then(None)
    for cut, name in zip(cuts, names[:-1], strict=True):
        band = band.when(number < cut).then(pl.lit(name))
    named = band.otherwise(pl.lit(names[-1])).cast(pl.Enum(names))
    return numbers.to_frame("n").select(named.alias(numbers.name)).to_series()


def _band_names(cuts: Sequence[int], unit: str) -> list[str]:
    if not cuts:
        return [f"any number of {unit}s"]
    names = [f"no {unit}" if cuts[0] == 1 else f"up to {_counted(cuts[0] - 1, unit)}"]
    for low, above in pairwise(cuts):
        most = _counted(above - 1, unit)
        names.append(most if above - 1 == low else f"{low} to {most}")
    return [*names, f"{_counted(cuts[-1], unit)} or more"]


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def _rare_words(pool: pl.Series, texts: pl.Series) -> pl.Series:
    """Return the number of rare words of the pool's texts, then of ``texts`` (n_pool + n,)."""
    every = pl.concat([pool, texts])
    words = split_words(every.fill_null(""))
    row = np.repeat(np.arange(every.len()), words.list.len().to_numpy())
    codes = words.explode().drop_nulls().cast(pl.Categorical).to_physical().to_numpy()
    n_codes = int(codes.max(initial=0)) + 1
    pairs = np.sort(row * n_codes + codes)
    row, code = np.divmod(
        pairs[np.diff(pairs, prepend=-1) > 0], n_codes
    )  # each word once per text
    n_texts = np.bincount(code[row < pool.len()], minlength=n_codes)
    most = max(1, int(_RARE_SHARE * (pool.len() - pool.null_count())))
    counted = np.bincount(row[n_texts[code] <= most], minlength=every.len())
    found = pl.Series(texts.name, counted, dtype=pl.Int64).to_frame()
    return found.select(pl.when(every.is_not_null()).then(pl.all())).to_series()
