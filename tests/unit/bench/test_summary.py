import polars as pl
import pytest

from accuracy_assay.bench.method import parse_method
from accuracy_assay.bench.run import Run
from accuracy_assay.bench.summary import METRICS, labels_to_reach, rows_frame, summarise


def rows(*errors: float) -> list[dict[str, float]]:
    return [
        dict.fromkeys(METRICS, error) | {"labels": 100 * (k + 1)} for k, error in enumerate(errors)
    ]


def frame() -> pl.DataFrame:
    method = parse_method("constant")
    runs = [Run("digits", method, seed, "sizes", (500,)) for seed in range(2)]
    return rows_frame({runs[0]: rows(4.0, 2.0), runs[1]: rows(6.0, 2.0)})


def test_mean_and_deviation_are_over_seeds() -> None:
    first, second = summarise(frame()).iter_rows(named=True)
    assert (first["labels"], first["seeds"], first["macro_mse"]) == (100, 2, 5.0)
    assert first["macro_mse_sd"] == pytest.approx(2.0**0.5)
    assert second["macro_mse_sd"] == 0.0


def test_a_single_seed_has_no_deviation() -> None:
    summary = summarise(frame().filter(pl.col("seed") == 0))
    assert summary["macro_mse_sd"].to_list() == [None, None]


def test_labels_to_reach_is_the_first_size_that_is_good_enough() -> None:
    summary = summarise(frame())
    assert labels_to_reach(summary, "constant", 5.0) == 100
    assert labels_to_reach(summary, "constant", 3.0) == 200
    assert labels_to_reach(summary, "constant", 1.0) is None
