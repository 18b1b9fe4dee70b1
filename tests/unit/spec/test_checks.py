from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.spec.checks import CheckSection, read_checks
from accuracy_assay.study.gate.requirement import BARS, DEFAULTS


def read(text: str, folder: Path) -> tuple[CheckSection, ...]:
    path = folder / "checks.toml"
    path.write_text(text)
    return read_checks(path)


def test_each_table_is_a_check_in_order(tmp_path: Path) -> None:
    text = """
[[check]]
name = "floor"
min = 0.8
under = "mix.csv"
[[check]]
not_worse_than = "old.surface"
by = 0.02
where = { sex = ["F", "M"] }
"""
    floor, loss = read(text, tmp_path)
    assert (floor.name, floor.min) == ("floor", 0.8)
    assert floor.under == str(tmp_path / "mix.csv")
    assert (loss.name, loss.not_worse_than, loss.by) == (None, "old.surface", 0.02)
    assert loss.where == {"sex": ("F", "M")}


def test_its_keys_are_those_of_a_check() -> None:
    assert set(CheckSection.model_fields) == {"name", *BARS, *DEFAULTS}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "checks.toml must have the key 'check'; got none."),
        ("[[chek]]\nmin = 0.8", "Did you mean 'check'?"),
        ("[[check]]\nmin = 0.8\n[[check]]\nmax_gp = 0.1", "Did you mean 'max_gap'?"),
        ("[[check]]\nmin = 0.8\n[[check]]\nmax_gp = 0.1", "[[check]] number 2 in checks.toml"),
        ("[[check]]\nname = 'a'", "[[check]] must have one of the keys min, max_gap"),
        ("[[check]]\nmin = 'high'", "'min' of [[check]] number 1 in checks.toml must be a valid"),
        ("[[check]]\nmin = true", "not true or false; got True."),
        (
            "[[check]]\nno_slice_below = 0.7\norder = 0",
            "greater than or equal to 1; got 0",
        ),
        ("[[check]\n", "checks must be a TOML file"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(text, tmp_path)
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"existing file; got .*none\.toml"):
        read_checks(tmp_path / "none.toml")
