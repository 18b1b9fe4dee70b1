"""Judges: whoever or whatever scored every answer for free, such as a language model.

A judge's opinion of an answer is a verdict (a text or a boolean) or a score (a number). It is
known for every pool row without a label, so it is a free signal (`accuracy_assay.domain.strata`);
where the judge scored only some rows, `study.read.part_opinions` fills in the others.
The labels show what an opinion is worth, which corrects the judge's errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import equal_columns
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.blank_texts import is_blank, is_missing
from accuracy_assay.files.texts import as_texts
from accuracy_assay.runtime.arrays import BoolArray

__all__ = [
    "JudgeWarning",
    "check_judge",
    "is_outside",
    "judge_scores",
    "lacks_opinion",
    "opinions",
    "refuse_copies",
    "warn_of_outside",
    "with_ordered_scores",
]

_COPIED_TRUTHS = 20
"""Labelled rows at which a judge that always repeats the truth counts as a copy of it: as many as
`accuracy_assay.study.read.leaks` needs to see a leak."""
_COPIED_SCORES = 200
"""Labelled rows at which a judge that always equals the score counts as a copy. Chosen by hand: a
judge that errs once in a hundred times has no error in 200 rows with probability 1/8."""
_MOST_VERDICTS = 200
"""Classes that a signal may have (`accuracy_assay.domain.strata`): more than that are written
reasons rather than verdicts."""
_FEW_SCORES = 20
"""Up to this many distinct scores, each has its own stratum, as in
`accuracy_assay.domain.strata`."""
_MUCH_OUTSIDE = 0.05
"""We warn if a larger share of the pool lies outside the labelled opinions. Chosen by hand: as
much as the two lowest strata of a score hold together."""


class JudgeWarning(UserWarning):
    """A judge whose opinions the labels do not cover."""


def check_judge(
    table: pl.DataFrame, name: str, what: str = "rows", *, may_lack: bool = False
) -> None:
    """Raise an error unless every row has an opinion: a text, a boolean or a number.

    With ``may_lack``, it is enough that some row has one.
    """
    if name not in table.columns:
        raise UnknownNameError(f"column of a judge in {what}", name, table.columns)
    column = table.get_column(name)
    if column.dtype.is_nested() or column.dtype.is_temporal():
        raise InputError(
            f"judge {name!r} must hold verdicts (texts, booleans) or scores (numbers); got "
            f"{column.dtype}."
        )
    n_missing = int(lacks_opinion(column).sum())
    if may_lack and n_missing == column.len() > 0:
        raise InputError(
            f"judge {name!r} must have an opinion on some of the {what}; got none. Leave it out."
        )
    if n_missing and not may_lack:
        where = "" if what == "rows" else f" of {what}"
        raise InputError(
            f"judge {name!r} must have an opinion on every row{where}; got {n_missing:,} of "
            f"{column.len():,} without one. Let it judge these too, or fill in a verdict such as "
            "'none' or the lowest score."
        )
    n_verdicts = column.n_unique()
    if not column.dtype.is_numeric() and n_verdicts > _MOST_VERDICTS:
        raise InputError(
            f"judge {name!r} must give scores, or at most {_MOST_VERDICTS} different verdicts; "
            f"got {n_verdicts}, such as {_texts(column)[0]!r:.60}. Have it answer with one word "
            "or a number; in a spec, services = [] leaves it out."
        )


def lacks_opinion(column: pl.Series) -> pl.Series:
    """Return the rows without an opinion: null, NaN or a blank text."""
    return is_missing(column) | is_blank(column)


def refuse_copies(
    frame: pl.DataFrame, scores: pl.Series, judges: Sequence[str], y_true: str | None = None
) -> None:
    """Raise an error if a judge's opinions of the labelled rows equal the score or the truth.

    Opinions made from the labels would make the estimate look perfect, and mean nothing.
    """
    for name in judges:
        has = ~lacks_opinion(frame.get_column(name))
        column, known = frame.get_column(name).filter(has), scores.filter(has)
        is_score = column.dtype.is_numeric() or column.dtype == pl.Boolean
        varies = known.n_unique() > 1
        copied = None
        if known.len() >= _COPIED_SCORES and varies and is_score:
            copied = "the score" if bool((column.cast(pl.Float64) == known).all()) else None
        if y_true is not None and known.len() >= _COPIED_TRUTHS and varies:
            truth = frame.get_column(y_true).filter(has)
            if truth.n_unique() > 1 and bool(equal_columns(truth, column).all()):
                copied = f"the truth {y_true!r}"
        if copied is not None:
            raise InputError(
                f"judge {name!r} must form its opinions without the labels; got {copied} in each "
                f"of {known.len()} labelled rows. Leave it out."
            )


def judge_scores(column: pl.Series, passes: Sequence[str] = ()) -> pl.Series:
    """Return a judge's scores as numbers in [0, 1]; null where it has none.

    Parameters
    ----------
    column
        Scores, booleans or texts.
    passes
        The texts that pass an answer.

    Raises
    ------
    InputError
        If scores lie outside [0, 1], or nothing says which texts pass.

    Examples
    --------
    >>> judge_scores(pl.Series("llm", ["good", "bad", None]), ["good"]).to_list()
    [1.0, 0.0, None]
    """
    name = column.name
    if column.dtype == pl.Boolean:
        return column.cast(pl.Float64)
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).fill_nan(None)
        beyond = numbers.filter((numbers < 0.0) | (numbers > 1.0))
        if beyond.len():
            raise InputError(
                f"judge {name!r} must have scores in [0, 1] to be compared with people; got "
                f"{beyond[0]:g}. Bring them to that scale: of stars 1 to 5, (stars - 1) / 4."
            )
        return numbers
    texts = column.cast(pl.String).str.strip_chars()
    known = texts.drop_nulls().unique().sort().to_list()
    if not passes or (unknown := [each for each in passes if each not in known]):
        got = "none" if not passes else repr(unknown[0])
        raise InputError(
            f"passes must name the verdicts of judge {name!r} that pass an answer, among "
            f"{known[:10]}; got {got}."
        )
    is_pass = texts.is_in(list(passes)).cast(pl.Float64)
    return pl.select(pl.when(texts.fill_null("") != "").then(is_pass)).to_series().alias(name)


def opinions(said: Sequence[str], name: str) -> pl.Series:
    """Return a judge's stored answers as a column: numbers if all of them are, else texts.

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
    """Return which opinions of the pool (n,) lie outside those of the labelled rows.

    A score lies outside the range of the labelled scores; a verdict if no labelled row has it.
    """
    if pool.dtype.is_numeric() and labelled.dtype.is_numeric():
        low, high = labelled.min(), labelled.max()
        return ((pool < low) | (pool > high)).to_numpy() if labelled.len() else _all(pool)
    return ~_texts(pool).is_in(_texts(labelled).unique().implode()).to_numpy()


def warn_of_outside(pool: pl.DataFrame, labelled: pl.DataFrame, judges: Sequence[str]) -> None:
    """Warn if much of the pool has opinions outside those of the labelled rows."""
    for name in judges:
        said, seen = (
            table.get_column(name).filter(~lacks_opinion(table.get_column(name)))
            for table in (pool, labelled)
        )
        share = float(is_outside(said, seen).mean()) if said.len() else 0.0
        if share > _MUCH_OUTSIDE:
            warnings.warn(
                f"judge {name!r}: {share:.0%} of the pool rows have opinions that none of the "
                f"{labelled.height} labelled rows covers, so their worth is a guess. Label some "
                "of them.",
                JudgeWarning,
                stacklevel=4,
            )


def with_ordered_scores(
    tables: Sequence[pl.DataFrame], judges: Sequence[str]
) -> list[pl.DataFrame]:
    """Return the tables of one assay; judges with few distinct scores become ordered classes.

    Numbers with few values would otherwise be unordered classes. The order of stars, one to five
    or to ten, is worth 5 to 9% of the error (docs/decisions/0005).
    """
    found = list(tables)
    for name in judges:
        columns = [table.get_column(name) for table in found]
        if not all(column.dtype.is_numeric() for column in columns):
            continue
        columns = [column.cast(pl.Float64).fill_nan(None) for column in columns]
        scores = pl.concat(columns).drop_nulls().unique().sort()
        texts = list(dict.fromkeys(as_texts(scores.to_list())))
        if not 1 < scores.len() == len(texts) <= _FEW_SCORES:
            continue
        made = dict(zip(scores.to_list(), texts, strict=True))
        found = [
            table.with_columns(
                pl.Series(
                    name,
                    [None if score is None else made[score] for score in column.to_list()],
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
