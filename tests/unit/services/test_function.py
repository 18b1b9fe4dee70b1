"""A Python function as a service."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.services.function import FunctionService

ROWS = pl.DataFrame({"text": list("abcdefg")})
BATCHES: list[int] = []


def upper(rows: list[dict[str, Any]]) -> list[str]:
    BATCHES.append(len(rows))
    return [row["text"].upper() for row in rows]


def with_confidence(rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return [(np.int64(3), np.float32(0.5)) for _ in rows]


def fails_at_e(rows: list[dict[str, Any]]) -> list[str]:
    if any(row["text"] == "e" for row in rows):
        raise RuntimeError("no e today")
    return upper(rows)


def too_few(rows: list[dict[str, Any]]) -> list[str]:
    return upper(rows)[1:]


def a_list(rows: list[dict[str, Any]]) -> list[Any]:
    return [["a"] for _ in rows]


def service(name: str, monkeypatch: pytest.MonkeyPatch) -> FunctionService:
    monkeypatch.setitem(__import__("sys").modules, "own_model", _Module)
    return FunctionService("own", f"own_model:{name}", 3)


class _Module:
    upper, with_confidence = staticmethod(upper), staticmethod(with_confidence)
    fails_at_e, too_few, a_list = map(staticmethod, (fails_at_e, too_few, a_list))
    number = 3


def test_rows_go_in_batches_and_come_out_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    BATCHES.clear()
    made = [p for group in service("upper", monkeypatch).predict(ROWS) for p in group]
    assert [(p.position, p.prediction) for p in made] == list(enumerate("ABCDEFG"))
    assert BATCHES == [3, 3, 1]


def test_a_pair_is_prediction_and_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [p for group in service("with_confidence", monkeypatch).predict(ROWS) for p in group]
    assert {(p.prediction, p.confidence) for p in made} == {("3", 0.5)}


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("fails_at_e", ServiceError, "rows 3 to 5; got RuntimeError: no e today"),
        ("too_few", ServiceError, "one prediction per row; got 2 for 3 rows"),
        ("a_list", ServiceError, r"text or a number; got \['a'\] for row 0"),
        ("nothing", InputError, "importable; got 'own_model:nothing'"),
        ("number", InputError, "must be a function; got 3"),
    ],
)
def test_what_goes_wrong_is_named(
    name: str, error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(error, match=message):
        list(service(name, monkeypatch).predict(ROWS))
