"""Judges: whoever or whatever has scored every answer for nothing, such as a language model.

A judge's opinion of an answer is a verdict (a text or a boolean) or a score (a number). It is
known for every pool row without a label, so it is a free signal (`accuracy_assay.domain.strata`):
what an opinion is worth is learned from the labels, and a judge that errs is corrected.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import equal_columns, is_missing
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_texts
from accuracy_assay.runtime.arrays import BoolArray

__all__ = [
    "JudgeWarning",
    "check_judge",
    "is_outside",
    "judge_names",
    "opinions",
    "refuse_copies",
    "warn_of_outside",
    "with_ordered_scores",
]

_COPIED_TRUTHS = 20
"""Labelled rows at which a judge that always says the truth's own text counts as a copy of it: as
many as `accuracy_assay.study.read.leaks` takes to see a leak."""
_COPIED_SCORES = 200
"""Labelled rows at which a judge that is always the score counts as a copy, chosen by hand: of
judges that err once in a hundred times, one in eight errs on none of them."""
_MOST_VERDICTS = 200
"""Classes that a signal may have (`accuracy_assay.domain.strata`): more of them are reasons that
somebody wrote, and not verdicts."""
_FEW_SCORES = 20
"""Scores up to which each has a stratum of its own, as in `accuracy_assay.domain.strata`."""
_MUCH_OUTSIDE = 0.05
"""Share of the pool outside the labelled opinions above which a warning says so. Chosen by hand:
as much as the two lowest strata of a score hold together."""


class JudgeWarning(UserWarning):
    """A judge whose opinions the labels do not cover."""


def judge_names(judges: Sequence[str] | None, taken: Mapping[str, str]) -> list[str]:
    """Return the columns of the judges, checked.

    Parameters
    ----------
    judges
        Columns of verdicts or scores; None for none.
    taken
        Columns that cannot be judges, and what each of them is, such as "the truth".

    Examples
    --------
    >>> judge_names(["judge_score"], {"sex": "an attribute"})
    ['judge_score']
    """
    if isinstance(judges, str):
        raise InputError(f"judges must be a list of columns; got the text {judges!r}.")
    names = list(judges or ())
    if len(set(names)) < len(names):
        raise InputError(f"judges must name different columns; got {names!r}.")
    for name in names:
        if name in taken:
            raise InputError(
                "judges must be columns of opinions that were made without the labels; got "
                f"{name!r}, which is {taken[name]}. Leave it out."
            )
    return names


def check_judge(table: pl.DataFrame, name: str, what: str = "rows") -> None:
    """Raise an error unless a judge has an opinion of one kind on every row.

    Raises
    ------
    UnknownNameError
        If the table has no such column.
    InputError
        If an opinion is missing, or is neither a text, a boolean nor a number.
    """
    if name not in table.columns:
        raise UnknownNameError(f"column of a judge in {what}", name, table.columns)
    column = table.get_column(name)
    if column.dtype.is_nested() or column.dtype.is_temporal():
        raise InputError(
            f"judge {name!r} must hold verdicts (texts, booleans) or scores (numbers); got "
            f"{column.dtype}."
        )
    n_missing = int((is_missing(column) | (_texts(column) == "")).sum())
    if n_missing:
        raise InputError(
            f"judge {name!r} must have an opinion on every row of {what}; got {n_missing} of "
            f"{column.len()} without one. Let it judge these as well, give them a verdict of "
            "their own, such as 'none', or a score such as the lowest."
        )
    n_verdicts = column.n_unique()
    if not column.dtype.is_numeric() and n_verdicts > _MOST_VERDICTS:
        raise InputError(
            f"judge {name!r} must give scores, or at most {_MOST_VERDICTS} different verdicts; "
            f"got {n_verdicts}, such as {_texts(column)[0]!r:.60}. Let it answer with one word or "
            "a number; in a spec, services = [] leaves it out."
        )


def refuse_copies(
    frame: pl.DataFrame, scores: pl.Series, judges: Sequence[str], y_true: str | None = None
) -> None:
    """Raise an error where a judge's opinions of labelled rows are the score or the truth.

    Opinions that were made from the labels would make the estimate look perfect, and mean nothing.
    """
    for name in judges:
        column = frame.get_column(name)
        is_score = column.dtype.is_numeric() or column.dtype == pl.Boolean
        of_score = scores.len() >= _COPIED_SCORES and scores.n_unique() > 1 and is_score
        copied = None
        if of_score and bool((column.cast(pl.Float64) == scores).all()):
            copied = "the score"
        if y_true is not None and scores.len() >= _COPIED_TRUTHS and scores.n_unique() > 1:
            truth = frame.get_column(y_true)
            if truth.n_unique() > 1 and bool(equal_columns(truth, column).all()):
                copied = f"the truth {y_true!r}"
        if copied is not None:
            raise InputError(
                f"judge {name!r} must have its opinions without the labels; got {copied} in each "
                f"of {scores.len()} labelled rows. Leave it out."
            )


def opinions(said: Sequence[str], name: str) -> pl.Series:
    """Return the stored answers of a judge as a column: numbers where all of them are.

    Examples
    --------
    >>> opinions(["0.5", "1"], "strict").to_list(), opinions(["good", "1"], "kind").to_list()
    ([0.5, 1.0], ['good', '1'])
    """
    texts = pl.Series(name, said, dtype=pl.String)
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    is_number = numbers.is_not_null().all() and bool(numbers.is_finite().all())
    return numbers if is_number else texts


def is_outside(pool: pl.Series, labelled: pl.Series) -> BoolArray:
    """Return which opinions of the pool (n,) no labelled row is like.

    Scores lie outside below the smallest and above the largest that was labelled; verdicts where
    no labelled row has them.
    """
    if pool.dtype.is_numeric() and labelled.dtype.is_numeric():
        low, high = labelled.min(), labelled.max()
        return ((pool < low) | (pool > high)).to_numpy() if labelled.len() else _all(pool)
    return ~_texts(pool).is_in(_texts(labelled).unique().implode()).to_numpy()


def warn_of_outside(pool: pl.DataFrame, labelled: pl.DataFrame, judges: Sequence[str]) -> None:
    """Warn where much of the pool has opinions that no labelled row is like."""
    for name in judges:
        share = float(is_outside(pool.get_column(name), labelled.get_column(name)).mean())
        if share > _MUCH_OUTSIDE:
            warnings.warn(
                f"judge {name!r}: {share:.0%} of the pool rows have opinions outside those of the "
                f"{labelled.height} labelled rows, and what these are worth is a guess. Label "
                "some of them.",
                JudgeWarning,
                stacklevel=4,
            )


def with_ordered_scores(
    tables: Sequence[pl.DataFrame], judges: Sequence[str]
) -> list[pl.DataFrame]:
    """Return tables of one assay in which few different scores of a judge are classes in order.

    Numbers with few values would be classes without one; that of stars, from one to five or to
    ten, is worth 5 to 9% of the error (docs/decisions/0005).
    """
    found = list(tables)
    for name in judges:
        columns = [table.get_column(name) for table in found]
        if not all(column.dtype.is_numeric() for column in columns):
            continue
        scores = pl.concat([column.cast(pl.Float64) for column in columns]).unique().sort()
        texts = list(dict.fromkeys(as_texts(scores.to_list())))
        if not 1 < scores.len() == len(texts) <= _FEW_SCORES:
            continue
        made = dict(zip(scores.to_list(), texts, strict=True))
        found = [
            table.with_columns(
                pl.Series(
                    name,
                    [made[float(score)] for score in column.to_list()],
                    dtype=pl.Enum(texts),
                )
            )
            for table, column in zip(found, columns, strict=True)
        ]
    return found


def _all(column: pl.Series) -> BoolArray:
    return np.ones(column.len(), dtype=bool)


def _texts(column: pl.Series) -> pl.Series:
    return column.cast(pl.String)
