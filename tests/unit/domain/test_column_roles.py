"""Which columns of an unknown table may span a surface."""

import polars as pl

from accuracy_assay.domain.column_roles import attribute_values


def test_columns_left_out_have_a_reason_and_the_others_their_number_of_values() -> None:
    rows = pl.DataFrame(
        {
            "topic": ["art", "law", "art"],
            "one": [1, 1, 1],
            "none": [None, None, None],
            "share": [0.1, 0.2, 0.3],
            "list": [[1], [2], [3]],
        }
    )
    attributes, left_out = attribute_values(rows, rows.columns)
    assert attributes == {"topic": 2}
    assert left_out == {
        "one": "one value",
        "none": "no value",
        "share": "numbers with a fraction",
        "list": "nested values",
    }
