"""What judges are worth and where not to trust them, as tables and in words.

``accuracy_assay.study.judges.report`` makes it from labels; pages and terminals show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

__all__ = ["SLICE_COLUMNS", "JudgeReport"]

SLICE_COLUMNS = (
    "n",
    "support",
    "opinion",
    "accuracy",
    "bias",
    "lower",
    "upper",
    "verdict",
    "prefers_right",
)
"""Columns of a slice, after those that name it."""
_BLIND = 0.5
"""How often a coin prefers the right of two answers."""
_MOST_SAID = 5
"""Values, and arms, with a bias that is put in words; tables have all."""
_MUCH_OUTSIDE = 0.05
"""Share of the pool beyond the labels that gets a remark, as in ``estimate``."""


@dataclass(frozen=True)
class JudgeReport:
    """What judges are worth, and where not to trust them.

    Parameters
    ----------
    judges : polars.DataFrame
        One row per judge: ``labels``; ``prefers_right``, how often it prefers the right of two
        answers (0.5 is a coin); ``outside``, the share of pool rows with opinions that no
        labelled row is like; ``lenient`` and ``harsh``, in how many arms it clearly is so.
    values, arms : polars.DataFrame
        One row per judge and attribute value, and per judge and arm, the clearest bias first:
        labels ``n`` and pool rows ``support``; ``opinion``, what its opinions there amount to as
        an accuracy; the ``accuracy``; their difference ``bias`` with ``lower`` and ``upper``;
        ``verdict``, "lenient", "harsh" or ""; and ``prefers_right`` among the labels there,
        where they are enough.
    level
        Probability of the intervals.
    missing
        What became of rows without an answer, in words; empty without any.
    """

    judges: pl.DataFrame
    values: pl.DataFrame
    arms: pl.DataFrame
    level: float
    missing: str = ""

    def remarks(self, judge: str) -> list[str]:
        """Return what to know about a judge: its worth, its bias, where not to trust it."""
        own = pl.col("judge") == judge
        (known,) = self.judges.filter(own).to_dicts()
        said = [f"{known['labels']} labels: {_worth(known['prefers_right'])}"]
        said += [self.missing] if self.missing else []
        values, arms = self.values.filter(own), self.arms.filter(own)
        names = [name for name in arms.columns if name not in ("judge", *SLICE_COLUMNS)]
        by_value = [(_value(row), row) for row in values.to_dicts()]
        known_rows = {_rows(row) for _, row in by_value}  # an arm may be all rows of a value
        by_arm = [
            (_arm(row, names), row) for row in arms.to_dicts() if _rows(row) not in known_rows
        ]
        n_said = len(said)
        for slices in (by_value, by_arm):
            biased = [(name, row) for name, row in slices if row["verdict"]]
            said += [_bias(name, row) for name, row in biased[:_MOST_SAID]]
            if len(biased) > _MOST_SAID:
                said.append(f"and on {len(biased) - _MOST_SAID} other slices")
        if len(said) == n_said:
            said.append("nowhere clearly lenient or harsh")
        said += [
            f"do not trust it on {name}: there it prefers the right answer "
            f"{row['prefers_right']:.0%} of the time, as a coin would ({row['n']:.0f} labels)"
            for name, row in (*by_value, *by_arm)
            if row["prefers_right"] is not None and row["prefers_right"] <= _BLIND
        ]
        if known["outside"] > _MUCH_OUTSIDE:
            said.append(
                f"{known['outside']:.0%} of the pool has opinions unlike any labelled row's: "
                "label some of those rows"
            )
        return said

    def __str__(self) -> str:
        parts = []
        for judge in self.judges.get_column("judge").to_list():
            parts += [str(judge), *(f"  {line}" for line in self.remarks(judge))]
        return "\n".join(parts)


def _rows(row: dict[str, Any]) -> tuple[float, ...]:
    """Return what distinguishes the rows of a slice."""
    return row["n"], row["support"], round(row["accuracy"], 9)


def _value(row: dict[str, Any]) -> str:
    return f"{row['attribute']} = {row['value']}"


def _arm(row: dict[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name} = {row[name]}" for name in names)


def _bias(name: str, row: dict[str, Any]) -> str:
    low, high = sorted((abs(row["lower"]), abs(row["upper"])))
    return (
        f"{row['verdict']} on {name}: its opinions amount to {row['opinion']:.0%}, the accuracy "
        f"is {row['accuracy']:.0%}, {100 * low:.0f} to {100 * high:.0f} points apart"
    )


def _worth(preferred: float | None) -> str:
    if preferred is None:
        return "all answers are right, or all are wrong, so its worth is unknown"
    if preferred <= _BLIND:
        return "it prefers a right answer to a wrong one no more often than a coin does"
    return (
        f"given a right and a wrong answer, it prefers the right one {preferred:.0%} of the time"
    )
