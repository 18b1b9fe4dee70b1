"""What is a whole number, and what only looks like one."""

from typing import Any

import numpy as np
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.whole_number import whole_number


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.uint8(3), np.float64(3.0)])
def test_whole_numbers_of_any_kind_are_plain_ones(value: Any) -> None:
    number = whole_number(value, "n")
    assert number == 3
    assert type(number) is int


@pytest.mark.parametrize(
    "value", [2.5, -1, -1.0, True, "3", None, float("nan"), float("inf"), [3], np.bool_(True)]
)
def test_what_is_no_whole_number_is_refused_with_its_value(value: Any) -> None:
    with pytest.raises(InputError, match=r"^n must be a whole number from 0; got ") as caught:
        whole_number(value, "n")
    assert repr(value) in str(caught.value)


def test_a_number_must_lie_within_its_limits() -> None:
    assert whole_number(12, "n", least=12, most=12) == 12
    for value in (11, 13, pytest.param(10**5000).values[0]):
        with pytest.raises(InputError, match="n must be a whole number from 12 to 12; got "):
            whole_number(value, "n", least=12, most=12)
