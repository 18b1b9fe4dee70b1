"""Comparisons in files."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from several_services import NAMES, by_answers, by_scores, made_rows

import accuracy_assay as aa
from accuracy_assay.errors import InputError


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return made_rows(np.random.default_rng(4))


@pytest.fixture(scope="module", params=[by_answers, by_scores], ids=["answers", "scores"])
def board(request: pytest.FixtureRequest, rows: pl.DataFrame) -> aa.Comparison:
    found: aa.Comparison = request.param(rows.sample(200, seed=3), rows)
    return found


def test_a_saved_board_answers_as_the_fitted_one(board: aa.Comparison, tmp_path: Path) -> None:
    board.save(tmp_path / "models.board")
    loaded = aa.Comparison.load(tmp_path / "models.board")
    mix = pl.DataFrame({"topic": ["t1", "t5"], "weight": [3.0, 1.0]})
    for mine, kept in ((board, loaded), (board.under(mix), loaded.under(mix))):
        assert [p.name for p in kept] == [p.name for p in mine]
        for one, other in zip(mine, kept, strict=True):
            found = (other.estimate.lower, other.behind_lower, other.probability_best)
            wanted = (one.estimate.lower, one.behind_lower, one.probability_best)
            assert found == pytest.approx(wanted, abs=1e-6)


def test_a_board_of_a_few_services_is_kept_too(rows: pl.DataFrame, tmp_path: Path) -> None:
    board = aa.compare(
        rows.sample(120, seed=5),
        ["topic"],
        services=NAMES[:3],
        y_true="truth",
        pool=rows.drop("truth"),
        prices={"m0": 0.1, "m1": 0.2, "m2": 0.0},
    )
    board.save(tmp_path / "few.board")
    loaded = aa.Comparison.load(tmp_path / "few.board")
    assert loaded.prices == board.prices
    for where in ({}, {"topic": "t3"}):
        mine, kept = (b.at(**where).difference("m2", "m0") for b in (board, loaded))
        assert (kept.mean, kept.lower, kept.upper) == pytest.approx(
            (mine.mean, mine.lower, mine.upper), abs=1e-6
        )


def test_a_file_that_is_no_board_is_refused(board: aa.Comparison, tmp_path: Path) -> None:
    path = tmp_path / "one.surface"
    board.surfaces["m0"].save(path)
    with pytest.raises(InputError, match="board file must be one that"):
        aa.Comparison.load(path)
