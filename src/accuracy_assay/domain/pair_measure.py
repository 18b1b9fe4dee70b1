"""Measures of pairs: which of two answers is better, with ties, and whether the first one wins.

    win-rate:SERVICE        share of its pairs that a service wins; a tie is half a win.
                            win-rate:SERVICE:FIRST:SECOND names the columns of the two services
    first-win-rate:TIE      share of pairs that the answer shown first wins; TIE is half

Each row is one verdict on one pair: the truth is who won, a name or a tie. For the second measure
the prediction is who was shown first. Without position bias it is one half, whoever is better, if
pairs are shown both ways. Rows of one pair shown both ways are a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import normal_column, normal_text

__all__ = ["FirstWinRate", "WinRate"]

_TIES = frozenset({"tie", "both", "neither", "draw", "equal", "none"})
"""Words of a tie; so is whatever begins with ``tie``, such as ``tie (bothbad)``."""
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often a service wins.

    Parameters
    ----------
    of
        The service.
    first, second
        Columns of the two services of a pair; then other services' pairs do not count, and who won
        may also be the name of one of these columns (``model_a``).
    """

    of: str
    first: str | None = None
    second: str | None = None

    @property
    def is_error(self) -> bool:
        """More is better."""
        return False

    def deciding(self, columns: Columns) -> tuple[str, ...]:
        """Return the columns of the two services, if they are known."""
        _winner(columns, f"win-rate of {self.of!r}")
        return self._sides

    def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return which pairs the service is one of."""
        if not self._sides:
            return pl.repeat(value=True, n=rows.height, eager=True)
        is_there = [self._is_it(rows, side) for side in self._sides]
        return is_there[0] | is_there[1]

    def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return one for a win, one half for a tie, else zero."""
        winner = normal_column(rows.get_column(_winner(columns, "win-rate")))
        won = (winner == normal_text(self.of)).fill_null(value=False)
        if not self._sides:
            self._refuse_others(winner.filter(~won & ~_is_tie(winner)))
        for side in self._sides:
            named = (winner == normal_text(side)).fill_null(value=False)
            won = won | (named & self._is_it(rows, side))
        return won.cast(pl.Float64) + _HALF * (_is_tie(winner) & ~won).cast(pl.Float64)

    def _refuse_others(self, others: pl.Series) -> None:
        """Raise an error if several others won, so that not every pair is one of the service."""
        names = others.drop_nulls().unique().sort().to_list()
        if len(names) > 1:
            raise InputError(
                f"win-rate of {self.of!r} must know whose pairs these are, since several others "
                f"won; got {', '.join(map(repr, names[:5]))}. Name the columns of the two "
                f"services: win-rate:{self.of}:COLUMN:COLUMN. Write ties as 'tie'."
            )

    @property
    def _sides(self) -> tuple[str, ...]:
        if (self.first is None) != (self.second is None):
            raise InputError(
                f"a win-rate must name both columns of a pair or none; got first={self.first!r}, "
                f"second={self.second!r}."
            )
        return () if self.first is None or self.second is None else (self.first, self.second)

    def _is_it(self, rows: pl.DataFrame, side: str) -> pl.Series:
        found = normal_column(rows.get_column(side)) == normal_text(self.of)
        return found.fill_null(value=False)


@dataclass(frozen=True, slots=True)
class FirstWinRate:
    """How often the answer that was shown first wins; ``of`` is the verdict of a tie."""

    of: str = "tie"

    @property
    def is_error(self) -> bool:
        """Neither higher nor lower is better; one half is best."""
        return False

    def deciding(self, columns: Columns) -> tuple[str, ...]:
        """Every row qualifies."""
        self._first(columns)
        return ()

    def qualifies(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return true for every row."""
        return pl.repeat(value=True, n=rows.height, eager=True)

    def scores(self, rows: pl.DataFrame, columns: Columns) -> pl.Series:
        """Return one where the first answer won, one half for a tie, else zero."""
        winner = normal_column(rows.get_column(_winner(columns, "first-win-rate")))
        first = normal_column(rows.get_column(self._first(columns)))
        won = (winner == first).fill_null(value=False)
        is_tie = (winner == normal_text(self.of)).fill_null(value=False) | _is_tie(winner)
        return won.cast(pl.Float64) + _HALF * (is_tie & ~won).cast(pl.Float64)

    def _first(self, columns: Columns) -> str:
        if columns.y_pred is None:
            raise InputError(
                "first-win-rate must have a column of who was shown first; got none. Name it as "
                "y_pred."
            )
        return columns.y_pred


def _winner(columns: Columns, measure: str) -> str:
    if columns.y_true is None:
        raise InputError(f"{measure} must have a column of who won; got none. Name it as y_true.")
    return columns.y_true


def _is_tie(winner: pl.Series) -> pl.Series:
    lowered = winner.cast(pl.String).str.to_lowercase()
    found = lowered.is_in(list(_TIES)) | lowered.str.starts_with("tie")
    return found.fill_null(value=False)
