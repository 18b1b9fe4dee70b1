"""All mistakes of one input at once, so that a file can be fixed in one go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from accuracy_assay.errors import InputError

__all__ = ["Mistakes"]

_SHOWN_MISTAKES = 20
"""Most mistakes in one message: a screenful, enough to see whether they are all alike."""


class Mistakes:
    """The mistakes of one input, reported together.

    Examples
    --------
    >>> mistakes = Mistakes("answers")
    >>> for label in ("cat", ""):
    ...     with mistakes.noting():
    ...         if not label:
    ...             raise InputError("label must not be empty; got ''.")
    >>> mistakes.raise_any()
    Traceback (most recent call last):
    accuracy_assay.errors.InputError: label must not be empty; got ''.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.found: list[InputError] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Record the mistake that the block raises, and go on."""
        try:
            yield
        except InputError as error:
            self.found.append(error)

    def raise_any(self) -> None:
        """Raise the mistakes as one error, if there are any; a single one as it was."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            lines = [f"  {error}" for error in self.found[:_SHOWN_MISTAKES]]
            if more := len(self.found) - len(lines):
                lines.append(f"  and {more} more")
            raise InputError(
                f"{self.what} must be correct in every row; got {len(self.found)} mistakes, so "
                "nothing was recorded:\n" + "\n".join(lines)
            )
