"""Arguments that read ``name=value``."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.errors import InputError

__all__ = ["split_pairs"]


def split_pairs(texts: Sequence[str], what: str, form: str) -> list[tuple[str, str]]:
    """Return the two sides of each text; the last ``=`` divides them.

    Examples
    --------
    >>> split_pairs(["a=b=cat"], "an answer", "id=label")
    [('a=b', 'cat')]
    """
    pairs = []
    for text in texts:
        name, is_pair, value = text.rpartition("=")
        if not (is_pair and name):
            raise InputError(f"{what} must read {form}; got {text!r}.")
        pairs.append((name, value))
    return pairs
