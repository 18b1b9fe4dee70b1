"""The language of a text, by its script and, in Latin letters, by its commonest words.

Nothing is learned or loaded: a text in Latin letters has the language most of whose function words
it holds. Scripts that one language has to itself name it; of others only the script is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from accuracy_assay.domain.text.scripts import MIXED, NO_LETTERS, script_of

__all__ = ["LANGUAGES", "UNCLEAR", "language_of"]

UNCLEAR = "unclear"
"""Texts in Latin letters without a known function word, or with as many of two languages."""

LANGUAGES: Mapping[str, str] = {
    "English": "the and of to is in that it for was with are this be on as what which how not an "
    "he she his her they we you at by from have has had were but or if its there do "
    "did all can will",
    "German": "der die das und ist nicht ein eine zu mit den auf für von dem sich wie im es ich "
    "er sie wir als auch an werden aus bei nach wird sind war oder einen wenn nur "
    "noch um",
    "French": "le la les des est et un une dans que pour qui sur pas du au ce il elle avec plus "
    "ne se sont par ou mais nous vous son sa comme quel cette je",
    "Spanish": "el la los las de que en un una es por con para del se no su cómo qué al lo como "
    "más pero sus este esta sobre son ser hay cuál fue",
    "Italian": "il di che la le un una per non sono con del della gli come nel si cosa al lo più "
    "ma da questo questa anche è quale era ha",
    "Portuguese": "os as de que do da em um uma não para com por como no na dos das ao mas foi "
    "ser são se qual é está você",
    "Dutch": "de het een en van is dat niet op te zijn met voor wat hoe ik je er aan die door "
    "ook maar om bij werd naar uit of welke",
    "Swedish": "och det att en som är på för av inte med den ett jag vad hur har till om de var "
    "han hon men så kan från eller vilken",
    "Polish": "na nie jest się do to że co jak ale czy po od za są być dla jego który oraz "
    "przez tym był może tak ich",
    "Turkish": "ve bir bu için ile ne mi mı değil olarak gibi daha çok var en nasıl hangi olan "
    "kadar ben sen ama sonra her",
    "Indonesian": "yang dan di itu dengan untuk tidak ini dari ke pada adalah apa dalam akan saya "
    "anda atau juga oleh bisa kita",
    "Vietnamese": "là của và không có các cho một những được trong với người này để gì tôi bạn đã "
    "thì nào khi",
}
"""Common function words of languages in Latin letters, of two letters or more."""
_OF_SCRIPT = {
    "Han": "Chinese",
    "Hangul": "Korean",
    "Japanese": "Japanese",
    "Greek": "Greek",
    "Hebrew": "Hebrew",
    "Thai": "Thai",
    "Georgian": "Georgian",
    "Armenian": "Armenian",
}
_MOST_LETTERS = 500
"""Letters of a text that are looked at: a few sentences tell the language."""


def language_of(texts: pl.Series) -> pl.Series:
    """Return the language of each text (n,).

    It is a language, a script, ``unclear``, ``mixed`` or, without letters, ``none``.

    Examples
    --------
    >>> language_of(pl.Series(["What is it?", "Was ist das?", "Что это?", "7"])).to_list()
    ['English', 'German', 'Cyrillic script', 'none']
    """
    start = texts.str.slice(0, _MOST_LETTERS)
    script = script_of(start)
    known: Any = pl.when(pl.col("script").is_null()).then(None)
    known = known.when(pl.col("script") == "Latin").then(pl.col("spoken"))
    known = known.when(pl.col("script").is_in([MIXED, NO_LETTERS])).then(pl.col("script"))
    for name, language in _OF_SCRIPT.items():
        known = known.when(pl.col("script") == name).then(pl.lit(language))
    named = known.otherwise(pl.col("script") + " script").alias(texts.name)
    table = pl.DataFrame({"script": script, "spoken": _by_words(start)})
    return table.select(named).to_series()


def _by_words(texts: pl.Series) -> pl.Series:
    """Return the language with the most function words in each text (n,)."""
    small = texts.str.to_lowercase()
    counts = pl.DataFrame(
        {
            name: small.str.count_matches(rf"\b(?:{words.replace(' ', '|')})\b").fill_null(0)
            for name, words in LANGUAGES.items()
        }
    )
    most = counts.select(pl.max_horizontal(pl.all())).to_series()
    n_best = counts.select(pl.sum_horizontal(pl.all() == most)).to_series()
    best = counts.select(pl.concat_list(pl.all()).list.arg_max()).to_series()
    names = pl.Series(list(LANGUAGES), dtype=pl.String).gather(best)
    is_clear = (most > 0) & (n_best == 1)
    found = pl.when(is_clear).then(names).otherwise(pl.lit(UNCLEAR))
    return pl.select(found).to_series()
