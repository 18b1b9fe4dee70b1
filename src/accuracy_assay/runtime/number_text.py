"""Numbers as people read them: counts of rows and labels, and differences in points."""

__all__ = ["count_text", "plural", "points_text"]

_NO_PARTS = 100.0
"""Guessed attributes give fractions of rows; from this many rows up they are not shown."""
_MOST_DIGITS = 1e15
"""From this many rows up, which only weights give, a power of ten says more than its digits."""


def count_text(number: float) -> str:
    """Return a number of rows; fractions are shown where they matter.

    Examples
    --------
    >>> [count_text(n) for n in (22410.0, 1234.5, 3.25, 0.0)]
    ['22,410', '1,234', '3.2', '0']
    """
    if number >= _MOST_DIGITS or 0.0 < number < 0.05:
        return f"{number:.1e}"
    is_whole = float(number).is_integer() or number >= _NO_PARTS
    return f"{number:,.0f}" if is_whole else f"{number:,.1f}"


def points_text(difference: float, *, is_signed: bool = False) -> str:
    """Return a difference of accuracies in points, without the word.

    Examples
    --------
    >>> points_text(0.034), points_text(0.034, is_signed=True), points_text(-1e-9, is_signed=True)
    ('3.4', '+3.4', '0.0')
    """
    number = round(100.0 * difference, 1) + 0.0
    return f"{number:+.1f}" if is_signed and number else f"{number:.1f}"


def plural(number: int, what: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "row"), plural(2_000, "labelled row")
    ('1 row', '2,000 labelled rows')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
