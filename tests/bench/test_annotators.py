"""The study of annotators, on a made crowd."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from assay_bench.annotators import ANNOTATORS


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    item, worker = np.repeat(np.arange(120), 3), np.tile(np.arange(3), 120)
    truth = item % 2
    answer = np.where(rng.random(item.size) < 0.85, truth, 1 - truth)
    (tmp_path / "crowd").mkdir()
    rows = {"item": item, "worker": worker, "answer": answer, "truth": truth}
    pl.DataFrame(rows).write_parquet(tmp_path / "crowd/made.parquet")
    return tmp_path


def test_a_draw_compares_gold_alone_with_all_answers(data: Path) -> None:
    draws = ANNOTATORS.draw(data, 1, (30,), None)
    assert draws.get_column("errs").to_list() == ["random", "hard"]
    assert draws.select(pl.col("alone", "mean", "unverified").is_between(0.5, 1.0).all()).row(0)
    assert (draws["slack"] > 0.0).all()
    tables = ANNOTATORS.summarise(draws)
    assert tables["By crowd"].height == 2
    widths = draws["width"] / draws["alone_width"]
    assert tables["By crowd"]["width, of gold alone's"].to_list() == pytest.approx(
        widths.to_list()
    )


def test_a_folder_without_crowds_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="crowd"):
        ANNOTATORS.draw(tmp_path, 1, (30,), None)
