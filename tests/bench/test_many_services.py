"""The study of services fitted together, on made ones."""

from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from assay_bench.many_services import MANY_SERVICES


@pytest.fixture(scope="module")
def draws() -> pl.DataFrame:
    return MANY_SERVICES.draw(None, 1, (60,), None)


def test_every_service_is_fitted_both_ways_on_the_same_labels(draws: pl.DataFrame) -> None:
    assert sorted(draws["service"]) == [f"s{i}" for i in range(6)]
    assert draws["joint_s"].n_unique() == 1
    shares = draws.select("alone_held", "joint_held", "differences_held")
    assert shares.select(pl.all().is_between(0.0, 1.0).all()).row(0) == (True, True, True)


def test_the_summary_says_how_the_errors_compare(draws: pl.DataFrame) -> None:
    (table,) = MANY_SERVICES.summarise(draws).values()
    row = table.row(0, named=True)
    ratio = float(draws["joint_mse"].mean() / draws["alone_mse"].mean())  # type: ignore[operator]
    assert row["ratio"] == pytest.approx(ratio)
    assert row["ratio of the worst service"] >= row["ratio"] - 1e-12


def test_a_folder_without_the_tables_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mmlu_pro"):
        MANY_SERVICES.draw(tmp_path, 1, (60,), None)
