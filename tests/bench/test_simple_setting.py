"""Files and records of the simple setting; its numbers are in the golden tests."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from assay_bench import paper
from assay_bench.simple_setting import (
    LABELS,
    VARIANTS,
    Decomposition,
    SimpleFit,
    fit_simple,
    write_simple,
)

FIT = SimpleFit(
    "beta-gp",
    Decomposition(0.05, 1.0),
    Decomposition(0.06, 0.5),
    0.7,
    tuple(float(k) for k in range(10)),
)


def test_the_table_has_both_readings_and_a_scale_for_every_arm(tmp_path: Path) -> None:
    table, figure = write_simple([FIT], tmp_path)
    row = pl.read_csv(table).row(0, named=True)
    assert (row["method"], row["mse"], row["exact_mse"]) == ("beta-gp", 1.05, 0.56)
    assert (row["scale_1"], row["scale_10"]) == (0.0, 9.0)
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_a_record_for_programs_keeps_the_scales_together() -> None:
    record = FIT.to_dict()
    assert record["scales"] == list(FIT.scales)
    assert record["mse"] == record["bias2"] + record["variance"]


def test_every_row_of_the_papers_tables_has_a_variant() -> None:
    assert set(paper.SIMPLE_SETTING) <= set(VARIANTS)
    assert all(len(row.scales) == LABELS.size for row in paper.SIMPLE_SETTING.values())


def test_the_papers_errors_are_sums_of_bias_and_variance() -> None:
    for row in paper.SIMPLE_SETTING.values():
        np.testing.assert_allclose(row.bias2 + row.variance, row.mse, atol=1e-3)


def test_a_variance_needs_two_seeds() -> None:
    with pytest.raises(InputError, match="seeds must be at least 2; got 1"):
        fit_simple("beta-gp", n_seeds=1)
