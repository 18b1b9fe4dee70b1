"""Worlds of any size, one kind for each way in which an assay can grow.

Each kind holds all but one size fixed, so that a curve against it is a curve of that size alone.
Tables are written as Parquet, which is what large ones come as.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator

from accuracy_assay.runtime.arrays import IntArray

_LABELLED, _POOL = "labelled.parquet", "pool.parquet"

_SHAPE = (4, 3, 3, 2, 2, 2)
"""Values of six attributes, 288 arms: few, so that rows and labels are what costs."""

_N_LABELS = 2_000
_ROWS_PER_ARM = 2
"""Of a pool that grows by its arms: few, so that arms are what costs."""

_N_SEEN_ARMS = 500
"""Arms with labels in that pool, however many others it has."""

_SIDE = 32
"""Values of each of four attributes, about a million arms: room for any number of cells."""

_N_ROWS_WITH_SIGNALS = 20_000
_GUESSED_SHAPE = (5, 4, 2)
"""Values of attributes that are all guessed: 40 arms."""

_N_GOLD = 500
_CHUNK_ROWS = 1_000_000
"""Rows of a file. A larger table repeats it, since to make so many rows takes longer than to read
them."""


@dataclass(frozen=True, slots=True)
class Growth:
    """One way to grow: what is counted, at which sizes, and how cost should follow.

    Parameters
    ----------
    name, unit
        How it is called, and what is counted along the axis.
    sizes, quick_sizes
        Points of the curve, from small to large; those of a quick run.
    expected
        Exponent of time that the design promises; a second one holds past ``switch``. None where
        nothing is promised.
    switch
        Size past which another method takes over.
    make
        Writes the tables of one size into a folder and returns the arguments of ``estimate``.
    """

    name: str
    unit: str
    sizes: tuple[int, ...]
    quick_sizes: tuple[int, ...]
    make: Callable[[Path, int, Generator], dict[str, Any]]
    expected: tuple[float, ...] = ()
    switch: int | None = None


def find_growth(name: str) -> Growth:
    """Return the way to grow of that name."""
    return next(growth for growth in GROWTHS if growth.name == name)


def _more_rows(folder: Path, size: int, rng: Generator) -> dict[str, Any]:
    names = _names(_SHAPE)
    _scored(_codes(_N_LABELS, _SHAPE, rng), rng).write_parquet(folder / _LABELLED)
    _write_in_chunks(folder / _POOL, size, lambda n: _table(_codes(n, _SHAPE, rng)))
    return _arguments(names) | {"pool": _POOL}


def _more_labels(folder: Path, size: int, rng: Generator) -> dict[str, Any]:
    _write_in_chunks(folder / _LABELLED, size, lambda n: _scored(_codes(n, _SHAPE, rng), rng))
    return _arguments(_names(_SHAPE))


def _more_arms(folder: Path, size: int, rng: Generator) -> dict[str, Any]:
    arms = rng.permutation(_SIDE**4)[:size]
    shape = (_SIDE,) * 4
    seen = arms[rng.integers(0, min(_N_SEEN_ARMS, size), _N_LABELS)]
    _scored(_unravel(seen, shape), rng).write_parquet(folder / _LABELLED)
    _table(_unravel(np.repeat(arms, _ROWS_PER_ARM), shape)).write_parquet(folder / _POOL)
    return _arguments(_names(shape)) | {"pool": _POOL}


def _more_cells(folder: Path, size: int, rng: Generator) -> dict[str, Any]:
    shape = (_SIDE,) * 4
    arms = rng.permutation(_SIDE**4)[:size]
    _scored(_unravel(arms, shape), rng).write_parquet(folder / _LABELLED)
    return _arguments(_names(shape))


def _more_signals(folder: Path, size: int, rng: Generator) -> dict[str, Any]:
    pool = _scored(_codes(_N_ROWS_WITH_SIGNALS, _SHAPE[:3], rng), rng)
    signals = [f"s{k}" for k in range(size)]
    right = pool["correct"].to_numpy()
    pool = pool.with_columns(
        pl.Series(name, right + rng.normal(0.0, 2.0, right.size)) for name in signals
    )
    pool.head(_N_LABELS).write_parquet(folder / _LABELLED)
    pool.drop("correct").write_parquet(folder / _POOL)
    return _arguments(_names(_SHAPE[:3])) | {"pool": _POOL, "signals": signals}


def _more_guessed_rows(folder: Path, size: int, rng: Generator) -> dict[str, Any]:
    names = _names(_GUESSED_SHAPE)

    def guessed(n: int) -> pl.DataFrame:
        codes = _codes(n, _GUESSED_SHAPE, rng)
        guesses = {
            f"p_{name}__v{value}": said[:, value]
            for k, name in enumerate(names)
            for said in [_guess(codes[:, k], _GUESSED_SHAPE[k], rng)]
            for value in range(_GUESSED_SHAPE[k])
        }
        return _scored(codes, rng).with_columns(**guesses)

    guessed(_N_GOLD).write_parquet(folder / _LABELLED)
    _write_in_chunks(folder / _POOL, size, lambda n: guessed(n).drop(*names, "correct"))
    return _arguments(names) | {"pool": _POOL, "evidence": {n: f"p_{n}__*" for n in names}}


GROWTHS: Sequence[Growth] = (
    Growth(
        "rows",
        "rows of the pool",
        (100_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000),
        (1_000, 3_000, 9_000),
        _more_rows,
        (1.0,),
    ),
    Growth(
        "arms",
        "occupied arms",
        (1_000, 3_000, 10_000, 30_000, 100_000),
        (20, 40, 80),
        _more_arms,
        (1.0,),
    ),
    Growth(
        "cells",
        "observed cells",
        (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 48_000),
        (20, 40, 80),
        _more_cells,
        (3.0, 1.0),
        switch=4_096,
    ),
    Growth(
        "labels",
        "labels",
        (10_000, 100_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000),
        (1_000, 3_000, 9_000),
        _more_labels,
        (1.0,),
    ),
    Growth("signals", "signals", (1, 2, 4, 8, 16), (1, 2, 3), _more_signals),
    Growth(
        "guessed",
        "rows with guessed attributes",
        (10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000),
        (300, 600, 1_200),
        _more_guessed_rows,
        (1.0,),
    ),
)


def _names(shape: Sequence[int]) -> list[str]:
    return [f"a{k}" for k in range(len(shape))]


def _arguments(names: Sequence[str]) -> dict[str, Any]:
    return {"rows": _LABELLED, "attributes": list(names), "score": "correct"}


def _codes(n: int, shape: Sequence[int], rng: Generator) -> IntArray:
    return np.stack([rng.integers(0, size, n) for size in shape], axis=1)


def _unravel(arms: IntArray, shape: Sequence[int]) -> IntArray:
    return np.stack(np.unravel_index(arms, tuple(shape)), axis=1)


def _table(codes: IntArray) -> pl.DataFrame:
    """Return a column of values per attribute: texts, as in most tables."""
    columns: Mapping[str, pl.Series] = {
        name: pl.Series(codes[:, k]).cast(pl.Int32) for k, name in enumerate(_names(codes[0]))
    }
    return pl.DataFrame(columns).with_columns(pl.format("v{}", pl.all()).name.keep())


def _scored(codes: IntArray, rng: Generator) -> pl.DataFrame:
    """Return such a table with scores: each attribute has an effect on how often they are 1."""
    logit = 1.0 + 0.8 * np.sin(1.0 + codes).sum(axis=1) / np.sqrt(codes.shape[1])
    right = rng.random(codes.shape[0]) < 1.0 / (1.0 + np.exp(-logit))
    return _table(codes).with_columns(correct=pl.Series(right.astype(np.float64)))


def _guess(code: IntArray, size: int, rng: Generator) -> Any:
    """Return probabilities (n, size) of a predictor that is right for most rows."""
    logits = rng.normal(0.0, 1.0, (code.size, size))
    logits[np.arange(code.size), code] += 2.0
    said = np.exp(logits)
    return said / said.sum(axis=1, keepdims=True)


def _write_in_chunks(path: Path, n: int, make: Callable[[int], pl.DataFrame]) -> None:
    """Write ``n`` rows to a folder of files; whole ones are the same file under several names."""
    path.mkdir()
    n_whole, rest = divmod(n, _CHUNK_ROWS)
    if n_whole:
        make(_CHUNK_ROWS).write_parquet(path / _part(0))
    for number in range(1, n_whole):
        os.link(path / _part(0), path / _part(number))
    if rest:
        make(rest).write_parquet(path / _part(n_whole))


def _part(number: int) -> str:
    return f"{number:04}.parquet"
