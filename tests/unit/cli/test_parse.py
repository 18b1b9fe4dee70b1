import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.cli.parse import (
    parse_attributes,
    parse_conditions,
    parse_prices,
    split_pairs,
    with_settings,
)
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError

METHODS = {
    "estimator": "beta-independent",
    "strategy": "variance-reduction",
    "calibration": "raw",
}
MINE = """
from dataclasses import dataclass
from accuracy_assay.estimators.constant import Constant

@dataclass(frozen=True)
class Mine(Constant):
    pass
"""


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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.95", 0.95),
        ("true", True),
        ("[16, 64]", [16, 64]),
        ("worst", "worst"),
        ("'0.95'", "0.95"),
        ("{ 3 = 0.5 }", {"3": 0.5}),
        ("a=b", "a=b"),
        ("1\nother = 2", "1\nother = 2"),
        ("", ""),
    ],
)
def test_a_value_is_toml_or_text(text: str, value: object) -> None:
    made = with_settings({"estimator": "constant"}, [f"level={text}"])
    assert made == {"estimator": {"name": "constant", "level": value}}


def test_a_short_key_goes_to_the_only_method_that_has_it() -> None:
    made = with_settings(METHODS, ["goal=worst", "level=0.5", "strategy.worst=3"])
    assert made == {
        "estimator": {"name": "beta-independent", "level": 0.5},
        "strategy": {"name": "variance-reduction", "goal": "worst", "worst": 3},
        "calibration": "raw",
    }


def test_without_settings_names_stay_names() -> None:
    assert with_settings(METHODS, None) == METHODS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("level", "a setting must read key=value; got 'level'"),
        ("levle=1", r"got 'levle'. Did you mean 'level'\?"),
        ("estimater.level=1", r"got 'estimater'. Did you mean 'estimator'\?"),
    ],
)
def test_what_no_method_takes_is_refused_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_settings(METHODS, [text])


def test_a_key_of_two_methods_must_say_whose_it_is() -> None:
    both = {"estimator": "constant", "strategy": "accuracy_assay.estimators.constant:Constant"}
    with pytest.raises(InputError, match=r"Write estimator\.level or strategy\.level"):
        with_settings(both, ["level=0.5"])


def test_a_setting_is_given_once() -> None:
    with pytest.raises(InputError, match=r"'estimator.level' must be given once; got '0.6'"):
        with_settings(METHODS, ["level=0.5", "estimator.level=0.6"])


def test_a_name_is_no_setting() -> None:
    with pytest.raises((InputError, UnknownNameError)):
        with_settings(METHODS, ["name=constant"])


@pytest.mark.parametrize("key", ["level", "estimator.level"])
def test_surface_takes_a_module_beside_it_and_its_settings(
    assay: Callable[..., Any],
    rows: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
) -> None:
    import accuracy_assay as aa

    (tmp_path / "own_estimator.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    answer = assay(
        *("surface", rows, "-a", "sex", "--score", "correct", "--out", "s.surface", "--json"),
        *("--estimator", "own_estimator:Mine", "--set", f"{key}=0.5"),
    )
    assert answer.code == 0, answer.err
    assert aa.AccuracySurface.load("s.surface").level == 0.5
    sys.modules.pop("own_estimator")


def test_simulate_takes_settings_and_names_a_wrong_one(
    assay: Callable[..., Any], rows: Path
) -> None:
    simulate = ("simulate", rows, "-a", "sex", "--score", "correct", "--estimator", "constant")
    small = ("--seed-size", 50, "--budget", 20, "--batch", 20, "--json")
    answer = assay(*simulate, "--set", "random_share=1.0", *small)
    assert answer.code == 0, answer.err
    assert [row["labels"] for row in json.loads(answer.out)] == [50, 70]
    answer = assay(*simulate, "--set", "strategy.random_share=much", *small)
    assert answer.code == 2
    assert "setting 'random_share' of strategy 'variance-reduction' must" in answer.err
    answer = assay(*simulate, "--estimator", "own_estimatr:Mine", *small)
    assert answer.code == 2
    assert "PYTHONPATH" in answer.err


def test_the_surface_of_an_assay_takes_no_settings(assay: Callable[..., Any]) -> None:
    answer = assay("surface", "my.assay", "--set", "level=0.5")
    assert answer.code == 2
    assert "must follow its spec" in answer.err
