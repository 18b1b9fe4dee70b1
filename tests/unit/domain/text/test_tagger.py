"""A tagger is believed where it returns probabilities, and named where it does not."""

from typing import Any

import numpy as np
import pytest

from accuracy_assay.domain.text.tagger import load_tagger, tag_texts
from accuracy_assay.errors import InputError

TEXTS = ["a", "b", "c"]
TABLE = [[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]]


def test_columns_follow_the_declared_values() -> None:
    values, table = tag_texts(lambda texts: TABLE, TEXTS, ("x", "y"), "tagger")
    assert values == ("x", "y")
    np.testing.assert_allclose(table, TABLE)


def test_a_mapping_names_its_values() -> None:
    columns = {"y": [0.5, 0.0, 0.8], "x": [0.5, 1.0, 0.2]}
    for declared in ((), ("x", "y")):
        values, table = tag_texts(lambda texts: columns, TEXTS, declared, "tagger")
        assert values == ("x", "y")
        np.testing.assert_allclose(table, TABLE)


def test_a_square_table_is_not_turned() -> None:
    square = [[0.1, 0.9], [0.6, 0.4]]
    _, table = tag_texts(lambda texts: square, TEXTS[:2], ("x", "y"), "tagger")
    np.testing.assert_allclose(table, square)


@pytest.mark.parametrize(
    ("said", "values", "message"),
    [
        (TABLE, (), "must have its values declared"),
        (TABLE[:2], ("x", "y"), r"shape \(3, 2\); got \(2, 2\)"),
        ({"x": [1, 1, 1]}, ("x", "y"), r"declared values \['x', 'y'\]; got \['x'\]"),
        ({"x": [1, 1, 1], "y": [0, 0]}, (), "numbers, as many for each value"),
        (None, ("x", "y"), r"shape \(3, 2\); got \(\)"),
        ("text", ("x", "y"), "numbers, as many for each value"),
        ([[3.0, 1.0]] * 3, ("x", "y"), r"sum to one for each text; got \[3.0, 1.0\] for 'a'"),
        ([[0.5, 0.5], [np.nan, 1], [1, 0]], ("x", "y"), "for 'b'"),
        ([[0.5, 0.5], [1.5, -0.5], [1, 0]], ("x", "y"), "for 'b'"),
    ],
)
def test_anything_else_is_refused_by_name(
    said: Any, values: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        tag_texts(lambda texts: said, TEXTS, values, "tagger")


def test_a_tagger_that_fails_is_named() -> None:
    def fails(texts: list[str]) -> Any:
        raise SystemExit("no model")

    with pytest.raises(InputError, match=r"mood must tag 3 texts; got SystemExit"):
        tag_texts(fails, TEXTS, ("x",), "mood")


def test_a_tagger_is_a_function_or_its_address() -> None:
    assert load_tagger("statistics:fmean", "tagger")([1, 3]) == 2
    assert load_tagger(len, "tagger") is len
    with pytest.raises(InputError, match=r"function of a list of texts; got 3\.14"):
        load_tagger("math:pi", "tagger")
    with pytest.raises(InputError, match="must be importable"):
        load_tagger("no_such_module:tag", "tagger")
