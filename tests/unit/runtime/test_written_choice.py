"""A choice in one text: a name, and settings after a colon."""

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.written_choice import read_choice


@pytest.mark.parametrize("text", ["constant", "my_package:Mine", "full"])
def test_a_name_or_an_address_stays_as_it_is(text: str) -> None:
    assert read_choice(text) == text


def test_values_are_numbers_truth_values_or_words() -> None:
    assert read_choice("pkg:Mine:level=0.9,steps=3,use_ard=false,start=zero") == {
        "name": "pkg:Mine",
        "level": 0.9,
        "steps": 3,
        "use_ard": False,
        "start": "zero",
    }


@pytest.mark.parametrize("part", ["wide", "level=0.8", "two words=1", "name=other"])
def test_what_is_no_new_pair_is_refused(part: str) -> None:
    with pytest.raises(InputError, match=f"must be key=value, each key once.*got '{part}'"):
        read_choice(f"constant:level=0.9,{part}")


def test_the_name_of_a_table_may_have_settings_of_its_own() -> None:
    table = {"name": "constant:kappa_from=all", "level": 0.8}
    assert read_choice(table) == {"name": "constant", "kappa_from": "all", "level": 0.8}
    assert read_choice({"name": "constant"}) == {"name": "constant"}
    with pytest.raises(InputError, match=r"setting 'level' must be given once; got it in"):
        read_choice({"name": "constant:level=0.9", "level": 0.8})


def test_a_list_keeps_its_commas() -> None:
    assert read_choice("beta-gp:hidden_widths=[64,64],use_ard=true") == {
        "name": "beta-gp",
        "hidden_widths": [64, 64],
        "use_ard": True,
    }
