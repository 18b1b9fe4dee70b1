"""Ranks with intervals, ties, and the board as text."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.study.compare.leaderboard import rank_ends, unsettled


def test_rank_intervals_leave_out_at_most_the_tails(rng: np.random.Generator) -> None:
    chances = rng.dirichlet(np.ones(5), 5)
    first, last = rank_ends(chances, 0.9)
    for row, low, high in zip(chances, first, last, strict=True):
        assert row[: low - 1].sum() <= 0.05 + 1e-12
        assert row[high:].sum() <= 0.05 + 1e-12


def test_services_are_tied_unless_one_is_surely_better() -> None:
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((4_000, 3)) * 0.01 + np.array([0.9, 0.895, 0.5])
    assert unsettled(draws, 0.9).tolist() == [
        [False, True, False],
        [True, False, False],
        [False, False, False],
    ]


def test_the_board_says_rank_ties_and_values() -> None:
    rng = np.random.default_rng(1)
    rows = pl.DataFrame({"sex": ["F", "M"] * 60, "age": ["old", "old", "young", "young"] * 30})
    number = np.arange(120)
    made = {"good": number >= 7, "close": (number < 7) | (number >= 14)}  # as many errors each
    rows = rows.with_columns(pl.Series(n, v) for n, v in made.items())
    rows = rows.with_columns(pl.Series("poor", rng.random(120) < 0.2))
    board = aa.compare(rows, ["sex", "age"], scores=["poor", "good", "close"])
    table = board.to_frame()
    assert table["rank"].to_list() == [1, 2, 3]
    assert table["service"][2] == "poor"
    assert table["tied_with"][2].to_list() == []
    assert (table["rank_lower"][2], table["rank_upper"][2]) == (3, 3)
    second = table["service"][1]
    assert table["tied_with"][0].to_list() == [second]
    text = str(board)
    assert text.splitlines()[0].split()[:2] == ["rank", "service"]
    assert f"{table['accuracy'][0]:.1%}" in text
    by_sex = board.by("sex")
    assert by_sex.height == 6
    for value in ("F", "M"):
        found = by_sex.filter(pl.col("sex") == value)
        best = found.row(0, named=True)
        asked = board.at(sex=value)[0]
        assert (best["service"], best["accuracy"]) == (
            asked.name,
            pytest.approx(asked.estimate.mean),
        )
    women = board.at(sex="F")
    of_old = women.by("age").filter(pl.col("age") == "old").row(0, named=True)
    asked = board.at(sex="F", age="old")[0]
    assert of_old["accuracy"] == pytest.approx(asked.estimate.mean)
    assert women.by("sex")["sex"].unique().to_list() == ["F"]


def test_what_is_open_of_the_order_is_that_of_what_was_asked(rng: np.random.Generator) -> None:
    sure = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1.0] * 80, "poor": [0.0] * 80})
    board = aa.compare(sure, ["sex"], scores=["good", "poor"], estimator="beta-independent")
    assert board.open_difference == 0.0
    unclear = sure.with_columns(pl.Series("poor", (rng.random(80) < 0.97).astype(float)))
    board = aa.compare(unclear, ["sex"], scores=["good", "poor"], estimator="beta-independent")
    told = board.difference("good", "poor")
    assert (board.open_difference > 0.0) == (told.probability < 0.9)
