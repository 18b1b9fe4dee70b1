"""A fact beside a surface's numbers survives its file, and files of other versions."""

import json
from dataclasses import dataclass
from typing import ClassVar

import pytest

from accuracy_assay.domain.detail import Detail


@dataclass(frozen=True, slots=True)
class Weather(Detail):
    key: ClassVar[str] = "weather"

    kind: str
    degrees: float = 20.0


def test_details_survive_a_file() -> None:
    weather = Weather("rain", 4.5)
    assert Weather.said_by(json.loads(json.dumps(weather.details))) == weather


def test_what_a_file_leaves_out_is_as_usual() -> None:
    assert Weather.said_by({"weather": {"kind": "sun"}}) == Weather("sun")


@pytest.mark.parametrize("found", [None, 3, {}, {"degrees": 3.0}, {"kind": "sun", "wind": 2}])
def test_details_of_another_form_say_nothing(found: object) -> None:
    assert Weather.said_by({"weather": found}) is None
    assert Weather.said_by({}) is None
