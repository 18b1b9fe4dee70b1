"""The mixed-radix index of arms, and how attribute values become codes."""

import datetime
import json

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.space import MISSING, Attribute, AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError

SEX = Attribute("sex", ("Female", "Male"))
AGE = Attribute("age", kind="continuous", edges=(30, 60))
SPACE = AttributeSpace((SEX, AGE))


def test_the_last_attribute_runs_fastest() -> None:
    codes = SPACE.codes(np.arange(6))
    assert codes.tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert SPACE.arm_index(codes).tolist() == [0, 1, 2, 3, 4, 5]
    assert SPACE.describe(4) == {"sex": "Male", "age": "30 to 60"}


def test_a_billion_arms_are_indexed_without_being_listed() -> None:
    space = AttributeSpace(
        tuple(Attribute(f"a{k}", tuple(range(10)), kind="ordinal") for k in range(9))
    )
    assert space.n_arms == 10**9
    last = np.full((1, 9), 9)
    assert space.arm_index(last).tolist() == [10**9 - 1]
    assert space.codes([123_456_789]).tolist() == [[1, 2, 3, 4, 5, 6, 7, 8, 9]]


def test_a_bin_holds_its_lower_edge_and_not_its_upper_one() -> None:
    column = pl.Series("age", [29.999, 30.0, 59.0, 60.0])
    assert AGE.encode(column).tolist() == [0, 1, 1, 2]
    assert [AGE.code(v) for v in (29.999, 30, 59, 60)] == [0, 1, 1, 2]
    assert AGE.is_ordered
    assert not SEX.is_ordered


def test_bins_have_different_names_however_close_the_edges_are() -> None:
    edges = tuple(1.0 - k * 1e-12 for k in (3, 2, 1))
    assert len(set(Attribute("confidence", kind="continuous", edges=edges).values)) == 4
    assert Attribute("age", kind="continuous", edges=(30, 45)).values[1] == "30 to 45"


def test_values_are_read_off_columns_in_a_natural_order() -> None:
    assert Attribute.infer(pl.Series("d", [10, 9, 2])).values == (2, 9, 10)
    assert Attribute.infer(pl.Series("b", [True, False])).kind == "boolean"
    ranks = pl.Series("r", ["low", "high"], dtype=pl.Enum(["low", "mid", "high"]))
    assert Attribute.infer(ranks) == Attribute("r", ("low", "high"), kind="ordinal")
    other = pl.Series("d", [3])
    assert Attribute.infer(pl.Series("d", [1, 2]), extra=[other]).values == (1, 2, 3)


def test_a_value_beyond_the_declared_ranks_is_kept() -> None:
    ranks = pl.Series("r", ["low", "high"], dtype=pl.Enum(["low", "high"]))
    assert Attribute.infer(ranks, extra=[pl.Series("r", ["top"])]).values == ("low", "high", "top")


def test_one_and_one_point_zero_are_the_same_value() -> None:
    digit = Attribute.infer(pl.Series("digit", [0, 1]), extra=[pl.Series("digit", [1.0, 2.0])])
    assert digit.size == 3
    assert digit.encode(pl.Series("digit", [0.0, 2.0])).tolist() == [0, 2]
    assert digit.encode(pl.Series("digit", ["1"])).tolist() == [1]


def test_values_of_any_library_are_kept_as_what_json_can_hold() -> None:
    day = datetime.date(2021, 12, 6)
    attribute = Attribute("x", (np.int64(3), np.bool_(True), day))  # type: ignore[arg-type]
    assert json.loads(json.dumps(attribute.values)) == [3, True, "2021-12-06"]
    assert attribute.code(day) == 2


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["Female", "Male"])])
def test_text_is_encoded_alike_whatever_its_type(dtype: pl.DataType) -> None:
    column = pl.Series("sex", ["Male", "Female", "Male"], dtype=dtype)
    assert SEX.encode(column).tolist() == [1, 0, 1]


def test_arms_are_matched_by_one_or_several_values() -> None:
    arms = np.arange(6)
    assert SPACE.matches(arms, {"sex": "Male"}).tolist() == [False] * 3 + [True] * 3
    assert SPACE.matches(arms, {"age": ["< 30", 75]}).tolist() == [True, False, True] * 2


def test_frame_has_one_row_an_arm() -> None:
    assert SPACE.frame([5, 0]).rows() == [("Male", ">= 60"), ("Female", "< 30")]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Attribute("a", ("x",)), r"'a' must have at least two values; got \['x'\]. Drop"),
        (lambda: Attribute("a", ("x", "x")), r"values of attribute 'a' must differ; got"),
        (lambda: Attribute("a", (1, 1.0)), r"values of attribute 'a' must differ; got"),
        (lambda: Attribute("a", (1.0, float("nan"))), "values of attribute 'a' must be finite"),
        (lambda: Attribute("a", ("x", "y"), kind="sorted"), "Did you mean|must be one of"),  # type: ignore[arg-type]
        (lambda: Attribute("a", ("x", "y"), kind="continuous"), "edges exactly when"),
        (lambda: Attribute("a", kind="continuous", edges=(2, 1)), r"increase; got \[2, 1\]"),
        (lambda: Attribute("a", kind="continuous", edges=(float("nan"),)), "must be finite and"),
        (lambda: AttributeSpace(()), "at least one column; got none"),
        (lambda: AttributeSpace((SEX, SEX)), r"different names; got \['sex', 'sex'\]"),
        (
            lambda: AttributeSpace(tuple(Attribute(f"a{k}", ("x", "y")) for k in range(2000))),
            r"fewer than 2\^62 arms; got 2\^2000 from 2000 attributes",
        ),
        (lambda: Attribute.infer(pl.Series("a", [[1], [2]])), r"one value per row; got '\[1\]'"),
        (lambda: Attribute.infer(pl.Series("a", [1.0]), kind="continuous"), "must have edges"),
        (
            lambda: Attribute.infer(pl.Series("a", np.linspace(0, 1, 30))),
            "few distinct values; got 30 numbers. Give edges",
        ),
    ],
)
def test_what_cannot_be_a_space_is_refused_with_the_reason(build: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series("sex", ["Male", "Femal"]), r"got 'Femal'. Did you mean 'Female'\?"),
        (pl.Series("sex", ["Male", None]), "got a missing one in row 1"),
    ],
)
def test_a_value_outside_the_domain_is_named(column: pl.Series, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SEX.encode(column)


def test_an_infinite_number_has_no_bin() -> None:
    with pytest.raises(InputError, match="must be finite; got inf in row 1"):
        AGE.encode(pl.Series("age", [1.0, np.inf]))
    with pytest.raises(UnknownNameError, match="got nan"):
        AGE.code(float("nan"))


@pytest.mark.parametrize("index", [-1, 6])
def test_an_arm_outside_the_space_is_refused(index: int) -> None:
    with pytest.raises(InputError, match="must lie between 0 and 5; got"):
        SPACE.codes([index])


@pytest.mark.parametrize("codes", [[[0, 3]], [[-1, 0]], [[0]], [0, 1]])
def test_codes_outside_the_domain_or_of_another_shape_are_refused(codes: list[object]) -> None:
    with pytest.raises(InputError, match="codes must"):
        SPACE.arm_index(codes)


def test_an_unknown_attribute_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'Sex'. Did you mean 'sex'\?"):
        SPACE.attribute("Sex")


def test_a_space_survives_json_with_its_kinds_bins_and_types_of_values() -> None:
    size = Attribute("size", (1, 2.5, "many", False), kind="ordinal")
    space = AttributeSpace((SEX, AGE, size))
    again = AttributeSpace.from_json(json.loads(json.dumps(space.to_json())))
    assert again == space
    assert [type(v) for v in again.attributes[2].values] == [int, float, str, bool]


def test_values_of_several_types_can_be_shown() -> None:
    space = AttributeSpace((Attribute("x", (1, 2.5)), Attribute("y", (1, "many"))))
    assert space.frame([0, 3]).rows() == [(1.0, "1"), (2.5, "many")]


def test_a_value_is_found_however_it_is_written() -> None:
    vip = Attribute.infer(pl.Series("vip", [True, False]))
    assert [vip.code(v) for v in (True, "true", "True", "FALSE")] == [1, 1, 1, 0]
    level = Attribute("level", ("1.0", "2.0", "high"))
    assert [level.code(v) for v in (1, 2.0, "2", " high ")] == [0, 1, 1, 2]
    assert level.encode(pl.Series("level", [2, 1])).tolist() == [1, 0]


def test_one_value_written_in_two_ways_in_a_column_is_one_value() -> None:
    vip = Attribute.infer(pl.Series("vip", ["True", "true", "no", "no "]))
    assert vip.values == ("True", "no")
    assert vip.encode(pl.Series("vip", ["true", "no "])).tolist() == [0, 1]


def test_a_column_of_texts_is_no_attribute() -> None:
    texts = pl.Series("review", [f"it was {i}" for i in range(1500)])
    with pytest.raises(InputError, match=r"'review' must have few .* got 1500, .*Group them"):
        Attribute.infer(texts)
    assert Attribute("review", tuple(texts)).size == 1500


def test_what_is_missing_is_no_value_even_where_the_empty_text_is_one() -> None:
    answer = Attribute("answer", ("", "yes"))
    assert answer.code("") == 0
    for missing in (None, float("nan")):
        with pytest.raises(InputError, match="value of attribute 'answer'"):
            answer.code(missing)


def test_a_missing_value_may_be_a_value_of_its_own() -> None:
    column = pl.Series("vip", [True, None, False])
    vip = Attribute.infer(column, missing="value")
    assert vip == Attribute("vip", (False, True), missing="value")
    assert (vip.values, vip.kind) == ((False, True, MISSING), "categorical")
    assert vip.encode(column).tolist() == [1, 2, 0]
    space = AttributeSpace((vip,))
    assert AttributeSpace.from_json(space.to_json()) == space
    assert AttributeSpace.from_json(space.to_json()).encode(column.to_frame()).tolist() == [
        [1],
        [2],
        [0],
    ]


def test_a_missing_value_is_refused_with_what_may_be_said_of_it() -> None:
    column = pl.Series("sex", ["f", None, "m"])
    for attribute in (Attribute.infer(column), Attribute.infer(column, missing="guess")):
        with pytest.raises(InputError, match=r'row 1\. Set missing = "value" .* = "guess"'):
            attribute.encode(column)
    with pytest.raises(UnknownNameError, match=r"missing of attribute 'sex' .* got 'drop'"):
        Attribute.infer(column, missing="drop")  # type: ignore[arg-type]


def test_a_missing_number_has_no_place_among_bins() -> None:
    with pytest.raises(InputError, match=r"missing of attribute 'age' must be 'guess'"):
        Attribute("age", kind="continuous", edges=(30,), missing="value")
    assert Attribute("age", kind="continuous", edges=(30,), missing="guess").size == 2


def test_a_text_that_is_a_number_has_a_bin() -> None:
    age = Attribute("age", kind="continuous", edges=(30, 60))
    assert age.encode(pl.Series("age", ["007", "30", "61.5", "< 30"])).tolist() == [0, 1, 2, 0]
    for strange in ("old", "inf", "nan", True):
        with pytest.raises(UnknownNameError, match="value of attribute 'age'"):
            age.code(strange)


def test_ten_thousand_cities_are_values_but_as_many_texts_are_not() -> None:
    cities = pl.Series("city", [f"city {i}" for i in range(10_000)])
    assert Attribute.infer(pl.concat([cities, cities])).size == 10_000
    with pytest.raises(InputError, match="must have few values"):
        Attribute.infer(cities)
