"""Ids, labels and predictions are the same when their texts are."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from accuracy_assay.files.texts import as_text, as_texts


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float32(3.0), "3", np.str_("3")])
def test_a_whole_number_has_one_text_whatever_its_type(value: object) -> None:
    assert as_text(value) == "3"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.5, "0.5"),
        (-0.0, "0"),
        (True, "True"),
        ("3.0", "3.0"),
        (" cat ", " cat "),
        (2**63, "9223372036854775808"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (date(2021, 12, 6), "2021-12-06"),
    ],
)
def test_other_values_are_known_by_what_they_print(value: object, text: str) -> None:
    assert as_text(value) == text


def test_a_column_read_as_numbers_equals_one_read_as_texts() -> None:
    assert as_texts(pl.Series([7.0, None, 2.5])) == as_texts(["7", "", "2.5"])
