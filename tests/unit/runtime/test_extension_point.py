"""A choice in any form becomes an object that follows the Protocol, or an error says why not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from entry_points import install

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.extension_point import ExtensionPoint
from accuracy_assay.runtime.imports import installed

GROUP = "accuracy_assay.tests"
CODE = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Loud:
    volume: int = 3
    def say(self, words): return words * self.volume

class Mute: ...

NUMBER = 3
"""


class Speaker(Protocol):
    def say(self, words: str) -> str: ...


@pytest.fixture
def point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ExtensionPoint]:
    names = {"loud": "speakers:Loud", "ours": "speakers:Mute", "louder": "speakers:Loud"}
    install(tmp_path, monkeypatch, "speakers", CODE, {GROUP: names})
    yield ExtensionPoint("speaker", {"ours": "speakers:Loud"}, GROUP, Speaker)
    installed.cache_clear()


@pytest.mark.parametrize("name", ["ours", "loud", "speakers:Loud"])
def test_a_name_an_entry_point_and_an_address_are_one(point: ExtensionPoint, name: str) -> None:
    assert point.build(name, {}).say("a") == "aaa"
    assert point.build(name, {"volume": 2}).say("a") == "aa"
    assert point.build({"name": name, "volume": 2}, {}).say("a") == "aa"
    assert point.build({"name": name, "volume": 2}, {"volume": 1}).say("a") == "a"
    assert point.settings_of(name) == point.settings_of({"name": name}) == ("volume",)


def test_our_own_name_comes_before_that_of_a_package(point: ExtensionPoint) -> None:
    assert type(point.build("ours", {})).__name__ == "Loud"


def test_an_object_is_itself(point: ExtensionPoint) -> None:
    mine = point.build("ours", {})
    assert point.build(mine, {}) is mine


def test_an_unknown_name_gets_the_nearest_of_all_and_a_hint(point: ExtensionPoint) -> None:
    message = r"one of \[ours, .*got 'loudr'. Did you mean 'louder'\?.* written module:Class"
    with pytest.raises(UnknownNameError, match=message):
        point.build("loudr", {})


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("speakers:Mute", r"protocol Speaker; got 'speakers:Mute', which has no method 'say'"),
        ("speakers:NUMBER", r"must be a class.*got 'speakers:NUMBER', which is 3"),
        ({"volume": 3}, r"must have a name, such as .*; got \{'volume': 3\}"),
        ({"name": "ours", "volum": 3}, r"setting of speaker 'ours' .*Did you mean 'volume'"),
        ({"name": "ours", "volume": "x"}, r"'volume' of speaker 'ours' must be .*; got 'x'"),
        (42, r"got 42, which has no method 'say'"),
        (str.join, r"which has no method 'say'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    point: ExtensionPoint, choice: Any, message: str
) -> None:
    for action in (lambda: point.build(choice, {}), lambda: point.check(choice)):
        with pytest.raises(InputError, match=message):
            action()


def test_a_class_in_place_of_an_object_is_refused(point: ExtensionPoint) -> None:
    made = type(point.build("ours", {}))
    with pytest.raises(InputError, match=r"got <class .*, which is a class"):
        point.build(made, {})
