"""Tables of exact attributes: counts are those of the rows, however they are grouped."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.observations import Observations
from accuracy_assay.errors import InputError
from accuracy_assay.study.read.exact_tables import read_exact
from accuracy_assay.study.read.tables import LabelledTables

LABELLED = pl.DataFrame({"sex": ["F", "M", "F", "M"], "said": ["a", "b", "a", "a"]})
SCORES = pl.Series("score", [1.0, 0.25, 0.5, 1.0])
POOL = pl.DataFrame(
    {"sex": ["F", "F", "M", "M", "M", "X"], "said": list("aabbab"), "rows": [2, 1, 1, 1, 1, 4]}
)


def observe(
    labelled: pl.DataFrame, pool: pl.DataFrame | None, *signals: str, weight: str | None = None
) -> Observations:
    columns = Columns(("sex",), "score", signals=signals, weight=weight)
    return read_exact(LabelledTables(columns, labelled, pool, SCORES), pool is not None).observe()


def test_sums_are_those_of_the_rows_of_an_arm() -> None:
    found = observe(LABELLED, None)
    assert found.space.shape == (2,)
    np.testing.assert_array_equal(found.count, [2.0, 2.0])
    np.testing.assert_array_equal(found.score, [1.5, 1.25])
    np.testing.assert_array_equal(found.score_sq, [1.25, 1.0625])


def test_the_pool_gives_the_support_and_its_weight_says_how_many_rows_a_row_is() -> None:
    plain, weighted = observe(LABELLED, POOL), observe(LABELLED, POOL, weight="rows")
    np.testing.assert_array_equal(plain.support.size, [2.0, 3.0, 1.0])
    np.testing.assert_array_equal(weighted.support.size, [3.0, 3.0, 4.0])


def test_signals_divide_arms_into_cells() -> None:
    found = observe(LABELLED, POOL, "said")
    assert found.support.n_strata == 2


def test_a_value_that_is_missing_is_named_by_its_row_in_the_table() -> None:
    rows = LABELLED.with_columns(sex=pl.Series(["F", "M", "F", None]))
    with pytest.raises(InputError, match="missing one in row 3"):
        observe(rows, None)
