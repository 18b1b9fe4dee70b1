"""Worlds grow in what they are named after, and in nothing else."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scale_worlds
from scale_worlds import GROWTHS, find_growth


def make_world(name: str, size: int, folder: Path) -> dict[str, Any]:
    return find_growth(name).make(folder, size, np.random.default_rng(0))


def counts(name: str, size: int, folder: Path) -> dict[str, Any]:
    """Return what a world of that size has of everything that could grow."""
    folder.mkdir()
    arguments = make_world(name, size, folder)
    labelled = pl.read_parquet(folder / arguments["rows"])
    names = arguments["attributes"]
    is_guessed = "evidence" in arguments
    pool = pl.read_parquet(folder / arguments["pool"]) if "pool" in arguments else labelled
    return {
        "labels": labelled.height,
        "cells": labelled.select(names).n_unique(),
        "rows": pool.height,
        "arms": None if is_guessed else pool.select(names).n_unique(),
        "signals": len(arguments.get("signals", [])),
    }


@pytest.mark.parametrize(
    ("name", "what", "also"),
    [
        ("rows", "rows", set()),
        ("arms", "arms", {"rows"}),
        ("cells", "cells", {"rows", "labels", "arms"}),
        ("labels", "labels", {"rows"}),
        ("guessed", "rows", set()),
    ],
)
def test_only_what_is_named_grows(name: str, what: str, also: set[str], tmp_path: Path) -> None:
    one, two = (counts(name, size, tmp_path / str(size)) for size in (9_000, 18_000))
    assert (one[what], two[what]) == (9_000, 18_000)
    assert {key for key in one if one[key] != two[key]} == {what, *also}


def test_signals_grow_alone(tmp_path: Path) -> None:
    one, two = (counts("signals", size, tmp_path / str(size)) for size in (2, 5))
    assert {key: two[key] - one[key] for key in one if one[key] != two[key]} == {"signals": 3}


def test_a_large_table_is_made_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale_worlds, "_CHUNK_ROWS", 400)
    arguments = make_world("rows", 1_000, tmp_path)
    parts = sorted((tmp_path / arguments["pool"]).glob("*.parquet"))
    assert [pl.read_parquet(part).height for part in parts] == [400, 400, 200]


def test_sizes_rise_and_quick_ones_are_smaller() -> None:
    for growth in GROWTHS:
        assert list(growth.sizes) == sorted(set(growth.sizes))
        assert len(growth.quick_sizes) >= 3
        assert max(growth.quick_sizes) < max(growth.sizes)
