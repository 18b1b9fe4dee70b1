"""The study of certificates, at a size that takes seconds."""

from pathlib import Path

import polars as pl
import pytest
from frank_like import frank_like

from assay_bench.judge_certificates import JUDGE_CERTIFICATES


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return frank_like(tmp_path)


def test_every_world_has_a_draw_and_only_shares_are_judges(data: Path) -> None:
    draws = JUDGE_CERTIFICATES.draw(data, 1, (300,), None)
    real = draws.filter(pl.col("world").str.starts_with("frank"))
    assert real["world"].to_list() == ["frank, metrics", "frank, verdicts"]
    assert real["is_true"].all()
    assert real["is_certified"].all()
    assert (draws["wrong"] <= draws["certified"]).all()
    assert (draws["held"] <= draws["intervals"]).all()
    off = draws.filter(pl.col("world").str.ends_with("two off"))
    assert off["named"].null_count() == 0
    assert off["named"].mean() > 0.7
    (table,) = JUDGE_CERTIFICATES.summarise(draws).values()
    assert table.height == draws.select("world", "tolerance").n_unique()
