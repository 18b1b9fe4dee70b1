"""Text from outside as it is shown: what a terminal would obey or hide is written out."""

from __future__ import annotations

import unicodedata

__all__ = ["visible_text"]

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that move, hide or reverse the text beside them: control and format
characters, surrogates, line and paragraph separators."""
_JOINERS = frozenset("\u200c\u200d")
"""Format characters that many scripts and emoji need to be written right."""


def visible_text(text: str, *, keep: str = "\n\t") -> str:
    r"""Return a text in which every control character is written out, but for those to ``keep``.

    Examples
    --------
    >>> print(visible_text("\x1b[31mred\x07 \u202eevil"))
    \x1b[31mred\x07 \u202eevil
    """
    if text.isprintable():
        return text
    return "".join(c if _is_seen(c) or c in keep else _written_out(c) for c in text)


def _is_seen(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in _UNSEEN


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
