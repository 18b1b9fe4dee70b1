"""Sections are strict: no key but their own, and no truth value for a number."""

import pytest
from pydantic import ValidationError

from accuracy_assay.spec.section import MOST, Number, Section, Whole


class Small(Section):
    name: str = "x"
    count: Whole = 1
    price: Number = 0.0


def test_numbers_are_taken_and_truth_values_are_not() -> None:
    assert Small(count=3, price=2).price == 2.0
    for key in ("count", "price"):
        with pytest.raises(ValidationError, match="not true or false"):
            Small.model_validate({key: True})


@pytest.mark.parametrize("wrong", [{"nmae": "x"}, {"name": ""}, {"price": float("inf")}])
def test_what_no_section_can_have_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Small.model_validate(wrong)


def test_a_section_never_changes() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Small().name = "y"
    assert MOST >= 10**9
