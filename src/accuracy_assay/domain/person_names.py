"""Names of people: one person, however their name was typed."""

from __future__ import annotations

import unicodedata

__all__ = ["one_name"]


def one_name(name: str) -> str:
    r"""Return a name without stray spaces, with each accented letter as one character.

    Examples
    --------
    >>> one_name(" ann  lee"), one_name("Jose\u0301") == "Jos\u00e9"
    ('ann lee', True)
    """
    return " ".join(unicodedata.normalize("NFC", name).split())
