import pytest

from accuracy_assay.cli.parse import (
    parse_attributes,
    parse_conditions,
    parse_prices,
    split_pairs,
)
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError


def test_a_bare_name_stays_a_column() -> None:
    assert parse_attributes(["sex"]) == ["sex"]


def test_numbers_after_a_colon_are_edges() -> None:
    assert parse_attributes(["age:30,60"]) == [
        Attribute("age", kind="continuous", edges=(30.0, 60.0))
    ]


def test_values_joined_by_less_than_are_ordered() -> None:
    assert parse_attributes(["size:small<large"]) == [
        Attribute("size", ("small", "large"), "ordinal")
    ]


def test_edges_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(InputError, match=r"'age' must have numbers as edges.*got 'young,old'"):
        parse_attributes(["age:young,old"])


def test_a_feature_of_a_text_is_named_with_its_column() -> None:
    assert parse_attributes(["asks=text:said:question", "mood=text:said:my_tags:mood"]) == [
        TextAttribute("said", "question", "asks"),
        TextAttribute("said", "my_tags:mood", "mood"),
    ]


@pytest.mark.parametrize("text", ["=text:said:length", "long=text:said", "long=text::length"])
def test_a_text_attribute_that_lacks_a_part_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"must read name=text:column:feature.*got '{text}'"):
        parse_attributes([text])


@pytest.fixture
def space() -> AttributeSpace:
    return AttributeSpace(
        (Attribute("sex", ("F", "M")), Attribute("age", kind="continuous", edges=(30.0, 60.0)))
    )


def test_repeated_names_give_several_values(space: AttributeSpace) -> None:
    assert parse_conditions(["sex=F", "sex=M"], space) == {"sex": ["F", "M"]}


def test_a_number_stands_for_its_bin_and_a_bin_for_itself(space: AttributeSpace) -> None:
    assert parse_conditions(["age=35"], space) == {"age": [35.0]}
    assert parse_conditions(["age=< 30"], space) == {"age": ["< 30"]}
    assert parse_conditions(["age=>= 60"], space) == {"age": [">= 60"]}


def test_a_condition_needs_an_equals_sign_and_a_known_name(space: AttributeSpace) -> None:
    with pytest.raises(InputError, match="attribute=value; got 'sex'"):
        parse_conditions(["sex"], space)
    with pytest.raises(UnknownNameError, match="got 'gender'"):
        parse_conditions(["gender=F"], space)


def test_an_equals_sign_may_stand_in_an_id_or_in_a_value() -> None:
    assert split_pairs(["a=b=cat"], "x", "y") == [("a", "b=cat")]
    assert split_pairs(["a=b=cat"], "x", "y", is_last_equals_sign=True) == [("a=b", "cat")]


@pytest.mark.parametrize("text", ["cat", "=cat"])
def test_a_pair_without_a_name_is_refused(text: str) -> None:
    for is_last in (False, True):
        with pytest.raises(InputError, match=f"an answer must read id=label; got '{text}'"):
            split_pairs([text], "an answer", "id=label", is_last_equals_sign=is_last)


def test_a_text_that_is_neither_a_number_nor_a_bin_is_left_to_the_surface(
    space: AttributeSpace,
) -> None:
    assert parse_conditions(["age=old"], space) == {"age": ["old"]}


def test_prices_are_numbers_by_service() -> None:
    assert parse_prices(["acme=0.006", "a=b=2"]) == {"acme": 0.006, "a=b": 2.0}
    with pytest.raises(InputError, match=r"price of 'acme' must be a number .*; got 'dear'"):
        parse_prices(["acme=dear"])
