"""Row numbers in errors: from the row of a batch to the row of the whole table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from accuracy_assay.errors import InputError

__all__ = ["numbered_from"]

_ROW = re.compile(r"(?<=in row )\d+")


@contextmanager
def numbered_from(first: int) -> Iterator[None]:
    """Let errors number the rows of a batch from ``first``.

    Examples
    --------
    >>> with numbered_from(1000):
    ...     raise InputError("score must be a number; got nan in row 7.")
    Traceback (most recent call last):
    accuracy_assay.errors.InputError: score must be a number; got nan in row 1007.
    """
    try:
        yield
    except InputError as error:
        text = str(error)
        found = list(_ROW.finditer(text))
        if not first or not found:
            raise
        last = found[-1]  # earlier ones may be part of a value
        number = int(last.group()) + first
        raise InputError(f"{text[: last.start()]}{number}{text[last.end() :]}") from None
