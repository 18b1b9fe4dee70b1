"""Which few attributes a first look is over.

Rule: take the attribute that explains most of the variance of the scores, adjusted for its number
of values and less what luck may add; then, up to four, the one that raises this share most for all
combinations together, as long as they stay few enough to be fitted at once. Columns of texts offer
what they are like: their length, whether they hold a number, and so on.

Notation: n rows in k groups. If groups mean nothing, the adjusted share has mean zero and a
standard deviation of about sqrt(2 (k - 1)) / n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_values import COLUMNS
from accuracy_assay.domain.candidate_columns import CandidateColumn
from accuracy_assay.domain.columns import AnyAttribute
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.numerics.dependence import explained_share
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.attributes.offered import OfferedColumns, text_features

__all__ = ["Choice", "choices_of", "choose_attributes", "is_nameable"]

_MOST_ATTRIBUTES = 4
"""Most attributes of a look: slices name up to three."""
_MOST_ARMS = 300
"""Most combinations with a labelled row: a fit of 300 arms takes about a second."""
_SDS = 3.0
"""Standard deviations that luck may add: with dozens of columns tried, two come up often."""
_LEAST_GAIN = 0.001
"""What a further attribute must add to the explained share of the variance, chosen by hand: a
tenth of a percent moves no slice."""


@dataclass(frozen=True, eq=False)
class Choice:
    """An attribute that may be chosen.

    Parameters
    ----------
    attribute
        What ``estimate`` takes.
    as_typed
        The same on the command line.
    code
        Its value in each row as a number, (n,).
    """

    attribute: AnyAttribute
    as_typed: str
    code: IntArray


def choices_of(rows: pl.DataFrame, roles: ColumnRoles) -> list[Choice]:
    """Return the attributes that a command can name and that every row has a value of."""
    known = [a for a in roles.attributes if a.name not in roles.gaps and is_nameable(a.name)]
    found = [Choice(a.attribute, a.as_typed, _code(rows.get_column(a.name), a)) for a in known]
    return found + _text_choices(rows, roles)


def choose_attributes(choices: Sequence[Choice], scores: FloatArray) -> list[Choice]:
    """Return a few attributes that together explain most, the strongest first.

    Parameters
    ----------
    choices
        The attributes, with values of the labelled rows.
    scores
        Scores of these rows, (n,).
    """
    chosen: list[Choice] = []
    joint = np.zeros(scores.size, np.int64)
    best = -np.inf
    while len(chosen) < _MOST_ATTRIBUTES:
        found = None
        for choice in choices:
            finer = _crossed(joint, choice.code)
            n_arms = int(finer.max(initial=0)) + 1
            if any(choice is c for c in chosen) or not 1 < n_arms <= _MOST_ARMS:
                continue
            share = explained_share(scores, finer) - _luck(n_arms, scores.size)
            if share > best + _LEAST_GAIN * bool(chosen):
                best, found = share, (choice, finer)
        if found is None:
            break
        chosen.append(found[0])
        joint = found[1]
    return chosen


def _luck(n_groups: int, n_rows: int) -> float:
    """Return what random groups may seem to explain: some sds, since many columns are tried."""
    return float(_SDS * np.sqrt(2.0 * (n_groups - 1)) / n_rows)


def _crossed(joint: IntArray, code: IntArray) -> IntArray:
    """Return the combinations of two codes that occur, numbered from 0, (n,)."""
    _, finer = np.unique(joint * (int(code.max()) + 1) + code, return_inverse=True)
    return np.asarray(finer, np.int64)


def _code(column: pl.Series, known: CandidateColumn) -> IntArray:
    if not known.edges:
        return _codes(column)
    numbers = column.cast(pl.Float64).to_numpy()
    return np.asarray(np.searchsorted(known.edges, numbers, side="right"), np.int64)


def _codes(column: pl.Series) -> IntArray:
    _, code = np.unique(column.cast(pl.String).to_numpy().astype(str), return_inverse=True)
    return code.astype(np.int64)


def is_nameable(name: str) -> bool:
    """Return whether a command can name a column, and a surface have it as an attribute."""
    return bool(name) and ":" not in name and name not in (*COLUMNS, "status")


def _text_choices(rows: pl.DataFrame, roles: ColumnRoles) -> list[Choice]:
    """Return what the texts are like, as attributes; a missing text has no features."""
    texts = [name for name in roles.texts if not rows.get_column(name).null_count()]
    offered = OfferedColumns((), text_features(rows, texts))
    made, typed = offered.read(rows), offered.typed
    return [
        Choice(attribute, typed[name], _codes(made.get_column(name)))
        for name, attribute in offered.texts.items()
    ]
