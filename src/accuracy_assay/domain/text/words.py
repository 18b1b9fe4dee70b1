"""The words of a text, in any script.

A word is a run of letters, marks and digits, possibly with an apostrophe or a hyphen inside. Han,
kana, Thai, Lao, Khmer and Burmese put no space between words: there each character is a word.
"""

from __future__ import annotations

import polars as pl

__all__ = ["count_words", "split_words"]

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_SPACED = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]"
_WORD = rf"[{_UNSPACED}]\p{{M}}*|{_SPACED}+(?:['’-]{_SPACED}+)*"


def count_words(texts: pl.Series) -> pl.Series:
    """Return the number of words of each text (n,); null for a missing text.

    Examples
    --------
    >>> count_words(pl.Series(["Don't panic!", "你好", "", None])).to_list()
    [2, 2, 0, None]
    """
    return texts.str.count_matches(_WORD)


def split_words(texts: pl.Series) -> pl.Series:
    """Return the words of each text in lower case, a list each; null for a missing text.

    Examples
    --------
    >>> split_words(pl.Series(["Don’t panic!"])).to_list()
    [["don't", 'panic']]
    """
    return texts.str.to_lowercase().str.replace_all("’", "'").str.extract_all(_WORD)
