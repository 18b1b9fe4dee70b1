"""One text per value: how ids, labels, predictions, choices and attribute values are compared.

`as_text` is how a value is stored and shown; a text stays as it was written. `normal_text` is how
it is compared: 2, 2.0, "2.0" and "2.00" are one value, and so are True and "TRUE"; "007" and "1e3"
are texts like any other. A missing value (None, NaN) is the empty text, never "nan".
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from accuracy_assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LIST_SIGN",
    "as_text",
    "as_texts",
    "digest_texts",
    "find_text",
    "normal_column",
    "normal_text",
    "require_plain",
    "require_whole",
    "same_value",
    "text_positions",
]

LIST_SIGN = "|"
"""Divides several labels, or several accepted answers, within one text."""
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)")
_NUMBER_STARTS = frozenset("-.0123456789")
_BOOLEANS = ("true", "false")
_NOTHING = frozenset({"NAType", "NaTType"})
"""pandas classes for a missing value, which does not even equal itself."""
_LIKE_AN_OBJECT = r"^\s*[\[{]"
_TEXTS_PER_PART = 500_000
"""Texts joined at a time for a fingerprint, to bound memory."""


def as_text(value: Any) -> str:
    """Return the text that stores and shows a value; a missing value is the empty text.

    Examples
    --------
    >>> as_text(3.0), as_text("cat"), as_text(True), as_text(None), as_text(float("nan"))
    ('3', 'cat', 'true', '', '')
    """
    item = value.item() if hasattr(value, "item") else value
    if isinstance(item, str):
        return str(item)
    if item is None or type(item).__name__ in _NOTHING:
        return ""
    if isinstance(item, bool):
        return _BOOLEANS[0] if item else _BOOLEANS[1]
    if isinstance(item, int | float | Decimal):
        return _number_text(item)
    return str(item)


def as_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the texts of several values."""
    return tuple(as_text(value) for value in values)


def normal_text(value: Any) -> str:
    """Return the text by which a value is compared.

    Surrounding spaces do not count; a plain decimal number loses the trailing zeros of its
    fraction; true and false are in lower case; Unicode is composed (NFC).

    Examples
    --------
    >>> [normal_text(v) for v in (2, 2.0, "2.0", "007", "1e3", True, "TRUE", " cat ", None)]
    ['2', '2', '2', '007', '1e3', 'true', 'true', 'cat', '']
    """
    text = as_text(value).strip()
    if not text.isascii():
        return unicodedata.normalize("NFC", text)
    if text[:1] in _NUMBER_STARTS and _NUMBER.fullmatch(text):
        return _without_zeros(text)
    small = text.lower() if len(text) in (4, 5) else text
    return small if small in _BOOLEANS else text


def same_value(first: str, second: str) -> bool:
    """Return whether two texts mean the same value."""
    return first == second or normal_text(first) == normal_text(second)


def normal_column(column: pl.Series) -> pl.Series:
    """Return the normal texts of a column; null for missing values."""
    import polars as pl  # here, since a text alone needs no table

    if column.dtype.is_nested():
        texts = [normal_text(value) or None for value in column.to_list()]
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.dtype.is_integer():
        return column.cast(pl.String)
    # Polars writes these as we do. Single precision would gain digits from double.
    is_written = column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Float32)
    written = column.cast(pl.String) if is_written else column
    distinct = written.unique().drop_nulls()
    texts = [normal_text(value) or None for value in distinct.to_list()]
    return written.replace_strict(
        distinct, pl.Series(texts, dtype=pl.String), default=None, return_dtype=pl.String
    )


def digest_texts(texts: pl.Series) -> str:
    """Return a fingerprint of texts in their order: SHA-256, in hexadecimal digits."""
    found = hashlib.sha256()
    for start in range(0, texts.len(), _TEXTS_PER_PART):
        part: str = texts[start : start + _TEXTS_PER_PART].str.join("\0").item()
        found.update(b"\0" * (start > 0) + part.encode("utf-8"))
    return found.hexdigest()


def text_positions(texts: Sequence[str]) -> Mapping[str, int]:
    """Return the position of each text, by its spelling and, if unambiguous, its normal text.

    Examples
    --------
    >>> text_positions(["True", "2.0", "2"])
    {'true': 0, 'True': 0, '2.0': 1, '2': 2}
    """
    found: dict[str, int] = {}
    several: set[str] = set()
    for position, text in enumerate(texts):
        key = normal_text(text)
        if found.setdefault(key, position) != position:
            several.add(key)
    clear = {key: position for key, position in found.items() if key not in several}
    return clear | {text: position for position, text in enumerate(texts)}


def find_text(value: Any, positions: Mapping[str, int]) -> int | None:
    """Return the position of a value among `text_positions`, None if it is missing or unknown."""
    text = as_text(value)
    if not text and not isinstance(value, str):
        return None
    found = positions.get(text)
    return positions.get(normal_text(text)) if found is None else found


def require_plain(column: pl.Series, what: str, *, may_be_json: bool = False) -> None:
    """Raise an error unless each value of a column is one text, number, boolean or time.

    A column of JSON lines in which only some values are objects arrives as texts of JSON; those
    are refused too, unless texts may be JSON, as answers may. ``what`` is what the error calls the
    column, such as ``attribute``.
    """
    import polars as pl  # here, since a text alone needs no table

    if column.dtype.is_nested():
        found = column.drop_nulls().head(1).to_list()
        raise InputError(_objects(column.name, what, found[0] if found else column.dtype))
    if may_be_json or column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return
    texts = column.unique().cast(pl.String).drop_nulls()
    for text in texts.filter(texts.str.contains(_LIKE_AN_OBJECT)).sort().to_list():
        if _is_object(text):
            raise InputError(_objects(column.name, what, text))


def _objects(name: str, what: str, value: Any) -> str:
    return (
        f"{what} {name!r} must hold one value per row; got {str(value)!r:.80}: the column holds "
        "objects or lists. Write the field that you mean into a column of its own, and name that."
    )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def require_whole(text: str, what: str) -> str:
    """Return a text; raise an error if it holds half a character, which no file can store."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            f"{what} must be text that can be written to a file; got {text!r:.80}, which holds "
            "half a character (a lone surrogate). Type it again."
        ) from None
    return text


def _number_text(number: float | Decimal) -> str:
    if isinstance(number, Decimal):
        if number.is_nan():
            return ""
        return _without_zeros(format(number, "f")) if number.is_finite() else str(float(number))
    if isinstance(number, float) and not number.is_integer():
        return "" if math.isnan(number) else str(number)
    try:
        return str(int(number))
    except ValueError:  # Python writes no whole number of more than 4300 digits
        raise InputError(
            "a number must have at most 4300 digits to be an id or a label; got a longer one."
        ) from None


def _without_zeros(number: str) -> str:
    """Return a plain decimal number without redundant zeros."""
    whole, _, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    sign = "-" if whole.startswith("-") else ""
    digits = whole.removeprefix("-") or "0"
    if not fraction:
        return "0" if digits == "0" else sign + digits
    return f"{sign}{digits}.{fraction}"
