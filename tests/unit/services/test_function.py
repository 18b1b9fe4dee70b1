"""A Python function as a service."""

import asyncio
import itertools
import zlib
from collections.abc import Iterator
from pathlib import Path
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


def leaves(_: list[dict[str, Any]]) -> list[str]:
    raise SystemExit(3)


def is_cancelled(_: list[dict[str, Any]]) -> list[str]:
    raise asyncio.CancelledError


def interrupted(_: list[dict[str, Any]]) -> list[str]:
    raise KeyboardInterrupt


def leaks(_: list[dict[str, Any]]) -> list[str]:
    raise ConnectionError("no answer from https://host/v1?api_key=hunter2")


def endless(_: list[dict[str, Any]]) -> Iterator[str]:
    return itertools.repeat("a")


def a_text(_: list[dict[str, Any]]) -> str:
    return "abc"


def a_table(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["text"]: "cat" for row in rows}


def nothing_at_all(_: list[dict[str, Any]]) -> None:
    return None


def unsure(rows: list[dict[str, Any]]) -> list[tuple[str, float]]:
    return [("cat", float("nan")) for _ in rows]


def arrays(rows: list[dict[str, Any]]) -> list[Any]:
    return [np.zeros(3) for _ in rows]


def service(name: str, monkeypatch: pytest.MonkeyPatch) -> FunctionService:
    monkeypatch.setitem(__import__("sys").modules, "own_model", _Module)
    return FunctionService("own", f"own_model:{name}", 3)


class _Module:
    upper, with_confidence = staticmethod(upper), staticmethod(with_confidence)
    fails_at_e, too_few, a_list = map(staticmethod, (fails_at_e, too_few, a_list))
    leaves, is_cancelled, leaks = map(staticmethod, (leaves, is_cancelled, leaks))
    interrupted, endless, unsure = map(staticmethod, (interrupted, endless, unsure))
    a_text, a_table, arrays = map(staticmethod, (a_text, a_table, arrays))
    nothing_at_all = staticmethod(nothing_at_all)
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
        ("nothing", InputError, "must exist in its module; got 'own_model:nothing'"),
        ("leaves", ServiceError, "rows 0 to 2; got SystemExit: 3"),
        ("is_cancelled", ServiceError, "rows 0 to 2; got CancelledError"),
        ("leaks", ServiceError, r"api_key=\*\*\*"),
        ("endless", ServiceError, "one prediction per row; got more than 3 for 3 rows"),
        ("a_text", ServiceError, "a list with one prediction per row; got str"),
        ("a_table", ServiceError, "a list with one prediction per row; got dict"),
        ("nothing_at_all", ServiceError, "a list with one prediction per row; got NoneType"),
        ("unsure", ServiceError, "must be a finite number; got nan for row 0"),
        ("arrays", ServiceError, r"text or a number; got array\(\[0"),
        ("number", InputError, "must be a function; got 3"),
    ],
)
def test_what_goes_wrong_is_named(
    name: str, error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(error, match=message):
        list(service(name, monkeypatch).predict(ROWS))


def test_ctrl_c_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        list(service("interrupted", monkeypatch).predict(ROWS))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise RuntimeError('not today')", "RuntimeError: not today"),
        ("def f(", "SyntaxError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_named(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"broken_model_{zlib.crc32(code.encode())}"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=rf"service 'own' must be importable; .*{message}"):
        list(FunctionService("own", f"{name}:f").predict(ROWS))
