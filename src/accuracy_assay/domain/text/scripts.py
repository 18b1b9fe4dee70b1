"""The script that a text is written in, by the Unicode script of its letters."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["MIXED", "NO_LETTERS", "script_of"]

MIXED = "mixed"
NO_LETTERS = "none"

_SCRIPTS = (
    "Latin",
    "Cyrillic",
    "Greek",
    "Armenian",
    "Georgian",
    "Arabic",
    "Hebrew",
    "Ethiopic",
    "Devanagari",
    "Bengali",
    "Gurmukhi",
    "Gujarati",
    "Oriya",
    "Tamil",
    "Telugu",
    "Kannada",
    "Malayalam",
    "Sinhala",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
    "Tibetan",
    "Hangul",
    "Han",
)
_KANA = r"[[\p{Hiragana}\p{Katakana}]&&\p{L}]"
_JAPANESE, _OTHER = "Japanese", "other"
_MOST = 0.9
"""Share of the letters that one script must have. Chosen by hand: a Latin name or unit in a longer
text of another script does not make it mixed."""


def script_of(texts: pl.Series) -> pl.Series:
    """Return the script of each text (n,): its Unicode name, ``mixed``, ``other`` or ``none``.

    Han beside kana is ``Japanese``; digits, signs and marks that all scripts share do not count.

    Examples
    --------
    >>> script_of(pl.Series(["Guten Tag", "नमस्ते", "東京へ行く", "Привет, world", "42!"])).to_list()
    ['Latin', 'Devanagari', 'Japanese', 'mixed', 'none']
    """
    text = pl.col("text")
    is_ascii = text.str.contains(r"^[\x00-\x7F]*$")
    has_letter = text.str.contains("[A-Za-z]")
    plain = pl.when(has_letter).then(pl.lit("Latin")).otherwise(pl.lit(NO_LETTERS))
    found = texts.to_frame("text").select(
        pl.when(is_ascii).then(plain).alias("script"), is_ascii.not_().alias("is_left")
    )
    left = found.get_column("is_left").arg_true()  # without missing texts
    script = found.get_column("script").scatter(left, _by_count(texts.gather(left)))
    return script.alias(texts.name)


def _by_count(texts: pl.Series) -> pl.Series:
    """Return the script that has nearly all letters of each text (n,); no text is missing."""
    text, n = pl.col("text"), pl.col("n")
    counts = [
        text.str.count_matches(rf"[\p{{{name}}}&&\p{{L}}]").cast(pl.Int64).alias(name)
        for name in _SCRIPTS
    ]
    counts += [
        text.str.count_matches(r"\p{L}").cast(pl.Int64).alias("n"),
        text.str.count_matches(_KANA).cast(pl.Int64).alias("kana"),
    ]
    is_japanese, han = pl.col("kana") > 0, pl.col("Han")
    table = texts.to_frame("text").select(counts)
    table = table.with_columns(
        pl.when(is_japanese).then(pl.col("kana") + han).otherwise(0).alias(_JAPANESE),
        pl.when(is_japanese).then(0).otherwise(han).alias("Han"),
    )
    named = (*_SCRIPTS, _JAPANESE)
    table = table.with_columns((n - pl.sum_horizontal(named)).alias(_OTHER))
    found: Any = pl.when(n == 0).then(pl.lit(NO_LETTERS))
    for name in (*named, _OTHER):
        found = found.when(pl.col(name) >= _MOST * n).then(pl.lit(name))
    return table.select(found.otherwise(pl.lit(MIXED))).to_series()
