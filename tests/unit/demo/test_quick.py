"""The quick demonstration sees a sixth of the labels, and its truth is that of all rows."""

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.demo.quick import QuickDemo, run_quick


@pytest.fixture(scope="module")
def quick() -> QuickDemo:
    return run_quick()


def test_the_pool_holds_every_row_and_no_truth(quick: QuickDemo) -> None:
    rows = aa.example("adult")
    assert quick.pool["id"].to_list() == rows["id"].to_list()
    assert not {"label", "correct"} & set(quick.pool.columns)
    assert quick.labelled.equals(rows.head(1_000))
    assert quick.report.surface.n_labels == 1_000


def test_the_truth_beside_the_estimates_is_counted_from_all_rows(quick: QuickDemo) -> None:
    rows = aa.example("adult")
    married = rows.filter(pl.col("marital") == "married")["correct"].mean()
    assert quick.report.truth_where({"marital": "married"}) == pytest.approx(married)


def test_the_labels_find_a_real_weak_slice(quick: QuickDemo) -> None:
    # In all rows, married people are the largest group in which the classifier is much weaker.
    first, *_ = quick.report.slices
    assert first.where == {"marital": "married"}
    assert quick.report.truth_where(first.where) < quick.report.slices.bar


def test_the_page_names_whose_data_it_shows(quick: QuickDemo) -> None:
    assert "CC BY 4.0" in quick.report.description
    assert "Becker and Kohavi" in quick.report.description
