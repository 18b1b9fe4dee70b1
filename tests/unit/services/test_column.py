"""Predictions that stand in the pool."""

import polars as pl
import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.services.column import ColumnService

ROWS = pl.DataFrame({"guess": [1.0, None, 2.5], "sure": [0.5, None, float("nan")], "t": ["a"] * 3})


def test_numbers_are_texts_and_missing_is_no_answer() -> None:
    (made,) = ColumnService("guess", "sure").predict(ROWS)
    assert [p.prediction for p in made] == ["1", "", "2.5"]
    assert [p.confidence for p in made] == [0.5, None, None]


def test_a_confidence_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="'t' must hold numbers; got String"):
        list(ColumnService("guess", "t").predict(ROWS))
    with pytest.raises(UnknownNameError, match="got 'gues'"):
        list(ColumnService("gues").predict(ROWS))
