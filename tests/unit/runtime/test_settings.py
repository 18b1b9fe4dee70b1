"""Settings are held against what a class takes: by name, by type, and by what it must have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.settings import check_settings, setting_names, toml_value


@dataclass(frozen=True)
class Method:
    level: float = 0.9
    steps: int = 3
    widths: tuple[int, ...] = ()
    goal: Literal["worst", "mix"] = "worst"
    mix: Mapping[int, float] | None = None
    start: np.ndarray | None = None
    use_pool: bool = False


class Plain:
    def __init__(self, name: str, level: float = 0.9) -> None: ...


def anything(**settings: Any) -> None: ...


def test_the_signature_says_what_may_be_set() -> None:
    assert setting_names(Method)[:2] == ("level", "steps")
    assert setting_names(Plain) == ("name", "level")
    assert setting_names(anything) == ()


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("level", 1, 1.0),
        ("widths", [16, 64], (16, 64)),
        ("goal", "mix", "mix"),
        ("mix", {"3": 0.5}, {3: 0.5}),
        ("mix", None, None),
        ("use_pool", True, True),
    ],
)
def test_what_a_file_can_write_becomes_what_the_class_takes(
    name: str, value: object, kept: object
) -> None:
    found = check_settings("method 'm'", Method, {name: value})[name]
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", "high"),
        ("level", True),
        ("steps", 2.5),
        ("widths", 3),
        ("widths", ["a"]),
        ("use_pool", 1),
        ("mix", {"a": 1.0}),
    ],
)
def test_a_wrong_type_is_refused_with_the_value(name: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"setting '{name}' of method 'm' must .*; got ") as told:
        check_settings("method 'm'", Method, {name: value})
    assert repr(value) in str(told.value)


def test_a_choice_among_words_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'worts'. Did you mean 'worst'\?"):
        check_settings("method 'm'", Method, {"goal": "worts"})


def test_an_unknown_setting_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"setting of method 'm' .*Did you mean 'level'\?"):
        check_settings("method 'm'", Method, {"levle": 0.5})


def test_a_setting_that_has_no_default_must_be_given() -> None:
    with pytest.raises(InputError, match="method 'p' must have the setting 'name'; got none"):
        check_settings("method 'p'", Plain, {"level": 0.5})
    assert check_settings("method 'p'", Plain, {"name": "x"}) == {"name": "x"}


def test_what_cannot_be_checked_passes_as_it_is() -> None:
    start = np.ones(3)
    assert check_settings("method 'm'", Method, {"start": start})["start"] is start
    assert check_settings("method 'a'", anything, {"free": start})["free"] is start


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), ("true", True), ("[16, 64]", [16, 64]), ("gamma", "gamma"), ("1\nb = 2", None)],
)
def test_a_text_means_what_toml_says_or_itself(text: str, value: Any) -> None:
    assert toml_value(text) == (text if value is None else value)
