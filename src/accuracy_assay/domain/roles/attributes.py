"""Which of the columns that are left may be attributes, and why the others are not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.candidate_columns import CandidateColumn, Limits, read_columns
from accuracy_assay.domain.column_roles import MOST_VALUES
from accuracy_assay.domain.roles.measured import gives_away, is_copy, is_cut_of, is_near_copy
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["pick_attributes"]

_BANDS = 4
"""Bands that numbers are cut into: quarters of the rows."""
_NAMING = 0.5
"""A column of whole numbers or texts with more values than this share of the rows names them."""

_OPINION = "numbers between 0 and 1: perhaps a judge (--judge) or a confidence (--signal)"


def pick_attributes(
    rows: pl.DataFrame,
    scores: Mapping[str, pl.Series],
    truth: pl.Series | None,
    most_values: int,
    guessed: Collection[str] = (),
) -> tuple[list[CandidateColumn], frozenset[str], dict[str, str]]:
    """Return the attributes, those with missing values, and the reason for every other column.

    Parameters
    ----------
    rows
        Columns that have no other part.
    scores
        The score of each row by service, null without a label.
    truth
        The truth of each row.
    most_values
        Most values of an attribute of texts.
    guessed
        Attributes with evidence; they are attributes whatever else there is.
    """
    found: list[CandidateColumn] = []
    reasons: dict[str, str] = {}
    for column in rows.iter_columns():
        candidate = _candidate(column, most_values)
        if isinstance(candidate, str):
            reasons[column.name] = candidate
        elif leak := _leak(column, candidate, scores, truth):
            reasons[column.name] = leak
        else:
            found.append(candidate)
    copies = _copies(found, rows, guessed)
    shares = [c.name for c in found if c.name not in copies and _is_share(rows.get_column(c.name))]
    reasons |= dict.fromkeys(shares, _OPINION)
    kept = [c for c in found if c.name not in reasons | copies]
    gaps = frozenset(c.name for c in kept if _has_gaps(rows.get_column(c.name)))
    return kept, gaps, reasons | copies


def _candidate(column: pl.Series, most_values: int) -> CandidateColumn | str:
    """Return a column as an attribute, or why it is none."""
    known = column.drop_nulls()
    n_values = known.n_unique()
    if n_values < 2:
        return "one value" if n_values else "no value"
    if not known.dtype.is_float() and n_values > max(2, _NAMING * known.len()):
        return "names single rows: an identifier or free text"
    has_fractions = known.dtype.is_float() and not bool((known == known.round()).all())
    limits = Limits(2 if has_fractions else MOST_VALUES, _BANDS, most_values, rows_per_value=1)
    found, skipped = read_columns(column.to_frame(), limits=limits)
    if skipped:
        return skipped[column.name]
    is_number = known.dtype.is_numeric() and n_values > limits.few_numbers
    if is_number and not found[0].edges:
        return "one number in nearly all rows"
    return found[0]


def _has_gaps(column: pl.Series) -> bool:
    """Return whether some row has no value, or a number that is not finite."""
    if column.dtype.is_float():
        return not bool(column.is_finite().fill_null(value=False).all())
    return column.null_count() > 0


def _is_share(column: pl.Series) -> bool:
    """Return whether a column holds fractions between 0 and 1."""
    known = column.drop_nulls()
    if not column.dtype.is_float() or bool((known == known.round()).all()):
        return False
    return bool(known.is_between(0.0, 1.0).all())


def _leak(
    column: pl.Series,
    candidate: CandidateColumn,
    scores: Mapping[str, pl.Series],
    truth: pl.Series | None,
) -> str | None:
    """Return what a column gives away, None if nothing."""
    if truth is not None and is_copy(candidate.code, _codes(truth)):
        return f"a copy of the truth, {truth.name!r}: known only with the label"
    for service, score in scores.items():
        known = score.is_not_null().arg_true()
        code, right = candidate.code[known.to_numpy()], score.gather(known).to_numpy()
        if gives_away(column.gather(known), code, right):
            return f"gives the score of {service!r} away"
    return None


def _copies(
    found: Sequence[CandidateColumn], rows: pl.DataFrame, guessed: Collection[str]
) -> dict[str, str]:
    """Return the near-copies of other columns, each with the one that is offered in its place.

    Of two the one with fewer values is offered, of bands and their numbers the bands.
    """
    copies: dict[str, str] = {}
    kept: list[CandidateColumn] = []
    for finer in sorted(found, key=lambda c: (bool(c.edges), c.name not in guessed, c.size)):
        of = next((c for c in kept if _is_version(finer, c, rows)), None)
        if of is None or finer.name in guessed:
            kept.append(finer)
        else:
            copies[finer.name] = f"says the same as {of.name!r}, which has fewer values"
    return copies


def _is_version(finer: CandidateColumn, coarser: CandidateColumn, rows: pl.DataFrame) -> bool:
    numbers = rows.get_column(finer.name)
    if numbers.dtype.is_numeric() and is_cut_of(coarser, numbers):
        return True
    return is_near_copy(finer.code, coarser.code)


def _codes(column: pl.Series) -> IntArray:
    _, code = np.unique(column.cast(pl.String).fill_null("").to_numpy(), return_inverse=True)
    return code.astype(np.int64)
