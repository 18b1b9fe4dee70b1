"""A surface is fitted to what was read, and says where it comes from."""

import polars as pl
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.read.how import How

ROWS = pl.DataFrame({"sex": ["f", "m"] * 30, "said": ["a"] * 60, "right": [1.0, 0.0, 1.0] * 20})
COLUMNS = Columns(("sex",), "right", y_pred="said")


def test_columns_as_a_value_and_one_by_one_give_one_surface() -> None:
    how = How.of("beta-independent")
    whole = fit_surface(COLUMNS, ROWS, None, how).to_frame()
    assert_frame_equal(whole, aa.estimate(ROWS, COLUMNS, estimator=how.estimator).to_frame())
    named = aa.estimate(ROWS, ["sex"], "right", y_pred="said", estimator="beta-independent")
    assert_frame_equal(whole, named.to_frame())


def test_a_surface_knows_its_service_and_its_seed() -> None:
    provenance = fit_surface(COLUMNS, ROWS, None, How.of("constant", seed=7)).details["provenance"]
    assert (provenance["service"], provenance["seed"]) == ("said", 7)
