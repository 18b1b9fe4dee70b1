"""The study of certificates and that of plans by price, at a size that takes seconds."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from assay_bench.judge_certificates import JUDGE_CERTIFICATES
from assay_bench.judge_prices import JUDGE_PRICES


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A table like frank: one honest metric, and one on another scale."""
    rng = np.random.default_rng(0)
    n = 900
    people = (rng.random(n) < 0.6).astype(float)
    rows = pl.DataFrame(
        {
            "document": rng.integers(0, 300, n),
            "model_name": rng.choice(["a", "b", "c"], n),
            "dataset": rng.choice(["x", "y"], n),
            "split": "test",
            "human_factuality": people,
            "honest": np.clip(0.2 + 0.65 * people + rng.normal(0.0, 0.25, n), 0.0, 1.0),
            "wide": 5.0 * people,
        }
    )
    (tmp_path / "frank").mkdir()
    rows.write_parquet(tmp_path / "frank" / "pool.parquet")
    return tmp_path


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


def test_no_plan_is_dearer_than_the_better(data: Path) -> None:
    draws = JUDGE_PRICES.draw(data, 1, (150,), None)
    assert draws["judge"].to_list() == ["honest"]
    (table,) = JUDGE_PRICES.summarise(draws).values()
    assert table["dearer than the better"].item() == 0
    with pytest.raises(InputError, match="got no --data"):
        JUDGE_PRICES.draw(None, 1, (150,), None)
