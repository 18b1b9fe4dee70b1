"""A study: a benchmark whose result is one table of draws, and tables that sum it up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

__all__ = ["Advance", "Study"]

Advance = Callable[[int, int, str], None]
"""Called with what is finished, all of it, and what is at work."""


@dataclass(frozen=True, slots=True)
class Study:
    """How to make the draws of a study, and how to sum them up.

    Parameters
    ----------
    title
        What stands above its tables.
    draw
        Takes the data folder, the number of draws, the numbers of labels and a function that
        hears of progress; returns one row per draw.
    summarise
        Takes the draws and returns tables by title.
    n_draws, labels
        What is drawn if nothing is asked for.
    """

    title: str
    draw: Callable[[Path | None, int, tuple[int, ...], Advance | None], pl.DataFrame]
    summarise: Callable[[pl.DataFrame], Mapping[str, pl.DataFrame]]
    n_draws: int
    labels: tuple[int, ...]
