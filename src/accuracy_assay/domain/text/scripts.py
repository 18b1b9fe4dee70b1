"""The script that a text is written in, by the Unicode script of its letters."""

from __future__ import annotations

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
_KANA = r"[\p{Hiragana}\p{Katakana}]"
_JAPANESE, _OTHER = "Japanese", "other"
_MOST = 0.9
"""Share of the letters that one script must have; chosen by hand, so that a Latin name or a unit
in a longer text of another script does not make it mixed."""


def script_of(texts: pl.Series) -> pl.Series:
    """Return the script of each text (n,): its Unicode name, ``mixed``, ``other`` or ``none``.

    Han beside kana is ``Japanese``; digits, signs and marks that all scripts share do not count.

    Examples
    --------
    >>> script_of(pl.Series(["Guten Tag", "नमस्ते", "東京へ行く", "Привет, world", "42!"])).to_list()
    ['Latin', 'Devanagari', 'Japanese', 'mixed', 'none']
    """
    text = pl.col("text")
    n_letters = text.str.count_matches(r"\p{L}").cast(pl.Int64)
    counts = [
        text.str.count_matches(rf"[\p{{{name}}}&&\p{{L}}]").cast(pl.Int64).alias(name)
        for name in _SCRIPTS
    ]
    kana = text.str.count_matches(rf"[{_KANA}&&\p{{L}}]").cast(pl.Int64)
    counts += [n_letters.alias("n"), kana.alias("kana")]
    table = texts.to_frame("text").select("text", *counts)
    is_japanese = pl.col("kana") > 0
    table = table.with_columns(
        pl.when(is_japanese).then(pl.col("kana") + pl.col("Han")).otherwise(0).alias(_JAPANESE),
        pl.when(is_japanese).then(0).otherwise(pl.col("Han")).alias("Han"),
    )
    named = (*_SCRIPTS, _JAPANESE)
    table = table.with_columns((pl.col("n") - pl.sum_horizontal(named)).alias(_OTHER))
    found = pl.when(text.is_null()).then(None).when(pl.col("n") == 0).then(pl.lit(NO_LETTERS))
    for name in (*named, _OTHER):
        found = found.when(pl.col(name) >= _MOST * pl.col("n")).then(pl.lit(name))
    script = table.select(found.otherwise(pl.lit(MIXED)).alias(texts.name))
    return script.to_series()
