"""``Times``: the order of a column of times, and which of them a baseline holds.

Numbers and dates are what they are. Texts are read as what all of them are: whole numbers, ISO
dates or moments, dates in one of a few other forms; else they are names such as versions, whose
digits count as numbers. Moments without a zone are taken as UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import product

import numpy as np
import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, IntArray

__all__ = ["Times", "has_time", "require_times", "time_text"]

_DATES = (
    *("%d %b %Y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d-%b-%Y"),
    *("%b %Y", "%B %Y", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%m-%d-%Y", "%d-%m-%Y"),
    *("%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
)
_CLOCKS = ("", " %H:%M", " %H:%M:%S")
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,15}")
_WHOLE = {r"\d{4}": "%Y", r"\d{4}-\d\d": "%Y-%m", r"\d{4}-\d\d-\d\d": "%Y-%m-%d"}
"""A baseline that is a year, a month or a day is all of it."""

_LEAST_DATES, _MOST_OTHERS = 20, 0.1
"""A column of as many different texts, of which at most this share are no dates, is one of dates
with mistakes; else it may be one of names, some of which look like dates."""

_Reader = Callable[[str], datetime]


@dataclass(frozen=True, eq=False)
class Times:
    """Times that can be ordered.

    Parameters
    ----------
    shown
        The column as it is, (N,).
    key
        What orders it, (N,): numbers, dates or moments, or for names their place in the order.
    read
        How texts are read as moments; None for all others.
    names
        The different names in their order; None if they are none.
    """

    shown: pl.Series
    key: pl.Series
    read: _Reader | None = None
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, times: pl.Series) -> Times:
        """Return the order of a column without missing values.

        Raises
        ------
        InputError
            If dates can be read in two ways, nearly all texts are dates, or it holds lists.
        """
        if times.dtype == pl.Enum:  # a declared order
            return cls(times, times.to_physical())
        if times.dtype.is_nested() or times.dtype.is_object():
            raise InputError(
                f"time {times.name!r} must hold numbers, dates or texts; got {times.dtype}."
            )
        if times.dtype.is_numeric() or times.dtype.is_temporal() or times.dtype == pl.Boolean:
            return cls(times, times)
        texts = times.cast(pl.String).str.strip_chars()
        every = texts.unique().sort().to_list()
        if all(map(_WHOLE_NUMBER.fullmatch, every)):  # 1.10 may be a version, after 1.9
            return cls(times, texts.cast(pl.Float64))
        read = _reader(every, times.name)
        if read is not None:
            moments = {text: read(text) for text in every}
            as_moments = pl.Datetime("us", "UTC")
            return cls(times, texts.replace_strict(moments, return_dtype=as_moments), read)
        _refuse_few_that_are_no_dates(every, times.name)
        names = sorted(every, key=_natural)
        place = texts.replace_strict(names, list(range(len(names))), return_dtype=pl.Int64)
        return cls(times, place, names=tuple(names))

    @property
    def ranks(self) -> IntArray:
        """The place of each time among the different ones, from 1, (N,)."""
        return np.asarray(self.key.rank("dense").to_numpy(), np.int64)

    def take(self, rows: IntArray) -> Times:
        """Return the times of some rows."""
        return replace(self, shown=self.shown[rows], key=self.key[rows])

    def up_to(self, baseline: object) -> BoolArray:
        """Return which times a baseline holds, (N,), given its last.

        Raises
        ------
        InputError
            If it is no such time.
        """
        try:
            return np.asarray(self._is_up_to(baseline).to_numpy(), dtype=bool)
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            name, first = self.shown.name, self.shown[0]
            raise InputError(
                f"baseline must be a value of {name!r} such as {first}, or a share of the labels "
                f"such as '30%'; got {baseline!r}."
            ) from None

    def _is_up_to(self, baseline: object) -> pl.Series:
        text = str(baseline).strip()
        if self.names is not None:
            end = _natural(text)
            return self.key < sum(_natural(name) <= end for name in self.names)
        if not self.key.dtype.is_temporal():
            return self.key.cast(pl.Float64) <= float(text)
        for pattern, form in _WHOLE.items():
            if re.fullmatch(pattern, text):
                return self.key.dt.strftime(form) <= text
        last = self._moment(text)
        if not isinstance(self.key.dtype, pl.Datetime):
            return self.key <= last.date()
        zone = self.key.dtype.time_zone
        if last.tzinfo is None:  # as the clock of the column says
            return self.key.dt.replace_time_zone(None).cast(pl.Datetime("us")) <= last
        in_zone = self.key.dt.replace_time_zone("UTC") if zone is None else self.key
        moments = in_zone.dt.convert_time_zone("UTC").cast(pl.Datetime("us", "UTC"))
        return moments <= last.astimezone(UTC)

    def _moment(self, text: str) -> datetime:
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            if self.read is None:
                raise
            return self.read(text)


def has_time(times: pl.Series) -> BoolArray:
    """Return which rows have a time, (N,)."""
    known = times.is_not_null()
    if times.dtype.is_float():
        known &= times.is_finite().fill_null(value=False)
    if times.dtype == pl.String:
        known &= (times.str.strip_chars() != "").fill_null(value=False)
    return np.asarray(known.to_numpy(), dtype=bool)


def require_times(column: pl.Series) -> None:
    """Raise an error if a column cannot order rows, before anything rests on its order."""
    known = column.filter(pl.Series(has_time(column)))
    if known.is_empty():
        raise InputError(f"time {column.name!r} must have a value in some row; got none.")
    Times.of(known)


def time_text(time: object) -> str:
    """Return a time in words: of a moment no parts of a second.

    Examples
    --------
    >>> time_text(datetime(2026, 1, 31, 12, 30, 5, 123)), time_text("v9")
    ('2026-01-31 12:30:05', 'v9')
    """
    return str(time.replace(microsecond=0) if isinstance(time, datetime) else time)


def _reader(texts: list[str], column: str) -> _Reader | None:
    """Return how texts are read as moments; None if not all of them can be."""
    if _reads(_iso, texts):
        return _iso
    forms = [partial(_in_form, day + clock) for day, clock in product(_DATES, _CLOCKS)]
    found = [form for form in forms if _reads(form, texts)]
    if not found:
        return None
    for other in found[1:]:
        if any(other(text) != found[0](text) for text in texts):
            raise InputError(
                f"time {column!r} must be dates that can be read in one way; got {texts[0]!r}, "
                "whose day and month may be either. Write them as 2026-01-31."
            )
    return found[0]


def _refuse_few_that_are_no_dates(texts: list[str], column: str) -> None:
    """Raise an error if nearly all texts are dates: a few others are mistakes and no names."""
    others = [text for text in texts if not _reads(_iso, [text])]
    if len(texts) >= _LEAST_DATES and len(others) <= _MOST_OTHERS * len(texts):
        raise InputError(
            f"time {column!r} must be a date in every row, as it is in nearly all; got "
            f"{others[0]!r}. Correct it, or leave it empty: rows without a time are left out."
        )


def _reads(form: _Reader, texts: list[str]) -> bool:
    try:
        return all(form(text) for text in texts)
    except ValueError:
        return False


def _iso(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _in_form(form: str, text: str) -> datetime:
    return datetime.strptime(text, form).replace(tzinfo=UTC)


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a key by which v9 stands before v10."""
    parts = re.split(r"(\d+)", text)
    return [
        (part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts if part
    ]
