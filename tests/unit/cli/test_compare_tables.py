"""A comparison as tables of texts, as wide as there is room for."""

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import accuracy_assay as aa
from accuracy_assay.cli.compare_tables import board_cells, board_table, by_cells, by_tables


@pytest.fixture(scope="module")
def board() -> aa.Comparison:
    rng = np.random.default_rng(2)
    rows = pl.DataFrame({"kind": rng.choice([f"kind {i}" for i in range(12)], 300)})
    names = [f"a-model-with-a-long-name-{i:02d}" for i in range(14)]
    scores = {name: rng.random(300) < 0.5 + 0.03 * i for i, name in enumerate(names)}
    rows = rows.with_columns(pl.Series(name, made) for name, made in scores.items())
    return aa.compare(rows, ["kind"], scores=names)


def test_the_board_has_a_line_per_service_the_best_first(board: aa.Comparison) -> None:
    head, rows = board_cells(board)
    assert head[:3] == ["rank", "service", "accuracy"]
    assert [row[1] for row in rows] == [place.name for place in board]
    assert rows[0][2] == f"{board[0].estimate.mean:.1%}"


def test_at_most_two_tied_services_are_named(board: aa.Comparison) -> None:
    head, rows = board_cells(board)
    tied = [row[head.index("tied with")] for row in rows]
    assert max(text.count("a-model") for text in tied) <= 2
    assert any("+" in text for text in tied)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_the_board_fits_the_terminal(board: aa.Comparison, width: int) -> None:
    console = Console(width=width)
    with console.capture() as shown:
        console.print(board_table(board, console))
    lines = shown.get().splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in shown.get()


def test_values_that_do_not_fit_go_on_in_further_tables(board: aa.Comparison) -> None:
    by, console = board.by("kind"), Console(width=80)
    tables = list(by_tables(board, by, console))
    assert len(tables) > 1
    with console.capture() as shown:
        for table in tables:
            console.print(table)
    assert max(map(len, shown.get().splitlines())) <= 80
    head, rows = by_cells(board, by)
    assert len(head) == 1 + by["kind"].n_unique()
    assert len(rows) >= 10
