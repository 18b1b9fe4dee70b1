"""All mistakes of an input are named at once."""

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.mistakes import Mistakes


def noted(count: int) -> Mistakes:
    mistakes = Mistakes("answers")
    for number in range(count):
        with mistakes.noting():
            raise UnknownNameError("label", number, ["cat"])
    return mistakes


def test_no_mistake_raises_nothing_and_one_is_raised_as_it_was() -> None:
    noted(0).raise_any()
    with pytest.raises(UnknownNameError, match=r"^label must be one of \[cat\]; got 0\."):
        noted(1).raise_any()


def test_several_are_listed_and_of_many_the_first() -> None:
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*got 0\..*\n.*got 1\.") as few:
        noted(2).raise_any()
    assert "more" not in str(few.value)
    with pytest.raises(InputError, match="got 25 mistakes") as many:
        noted(25).raise_any()
    assert str(many.value).splitlines()[-1] == "  and 5 more"


def test_other_errors_are_not_held_back() -> None:
    mistakes = Mistakes("answers")
    with pytest.raises(ZeroDivisionError), mistakes.noting():
        raise ZeroDivisionError
    mistakes.raise_any()
