import polars as pl
import pytest

from accuracy_assay.study.method import parse_method
from assay_bench.run import METRICS, Run
from assay_bench.summary import (
    Saving,
    few_sizes,
    is_within_deviation,
    labels_to_reach,
    rows_frame,
    savings,
    summarise,
)


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


def curve(method: str, *errors: float) -> pl.DataFrame:
    """A summary of one method whose error falls round by round, from 100 labels on."""
    labels = [100 * (k + 1) for k in range(len(errors))]
    return pl.DataFrame({"method": method, "labels": labels, "macro_mse": list(errors)})


def test_savings_are_counted_from_the_first_round_to_the_last_error_of_random() -> None:
    part = pl.concat(
        [
            curve("constant/random", 5.0, 4.0, 3.0, 2.0),
            curve("constant/largest-variance", 5.0, 2.0, 1.0, 0.5),
            curve("beta-gp/largest-variance", 9.0, 8.0, 7.0, 6.0),
        ]
    )
    (saving,) = savings(part)  # beta-gp has no random labels to be compared with
    assert saving == Saving("constant/largest-variance", random_labels=300, labels=100)


def test_a_method_that_never_gets_there_saves_nothing() -> None:
    part = pl.concat([curve("constant/random", 5.0, 2.0), curve("constant/magic", 6.0, 4.0)])
    assert savings(part) == [Saving("constant/magic", 100, None)]


def test_a_gap_is_measured_by_the_larger_deviation() -> None:
    def row(mean: float, sd: float | None) -> dict[str, float | None]:
        return {"macro_mse": mean, "macro_mse_sd": sd}

    assert is_within_deviation(row(1.0, 0.1), row(1.4, 0.5), "macro_mse")
    assert not is_within_deviation(row(1.0, 0.1), row(1.6, 0.5), "macro_mse")
    assert not is_within_deviation(row(1.0, None), row(1.1, None), "macro_mse")


def test_a_long_curve_is_shown_at_few_sizes_with_both_ends() -> None:
    assert few_sizes([500, 1000, 2000]) == [500, 1000, 2000]
    assert few_sizes(range(500, 1561, 10)) == [500, 700, 1000, 1500, 1560]
