"""Whatever a log holds: rows, or an error that names the file; never a traceback.

Files of every format of `written_logs`, with bytes or values changed at random: 20 changes of
each file that a log consists of, and 2,000 files in all in the slow test.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from written_logs import WRITERS

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import RowReader
from accuracy_assay.registry import build_reader

N_QUICK, N_MANY = 20, 2_000
TOKENS = (
    b"null", b"NaN", b"-Infinity", b"1e999", b"-1", b"[]", b"{}", b'""', b"{", b"]", b",", b"\n",
    b'"\\ud800"', b'"\\u0000"', b"\x00", b"\xff\xfe", b"9" * 5_000, b"[" * 5_000, b'{"a":' * 3_000,
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, -1, 3, 10**30, 1e308, float("nan"), float("inf"), "", "x", "\ud83d", "a\x00b",
    [], {}, [[]], [None], {"a": None}, {"": {"": {}}}, ["x"] * 50, {"name": {"name": ["x"]}},
)  # fmt: skip


@pytest.fixture(params=WRITERS)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[RowReader, list[Path]]:
    return build_reader(request.param), WRITERS[request.param](tmp_path)


def test_a_mangled_log_is_read_or_refused_by_name(log: tuple[RowReader, list[Path]]) -> None:
    reader, paths = log
    for file in _files(paths):
        for change in range(N_QUICK):
            _mangle_and_read(reader, paths, file, random.Random(change))


@pytest.mark.parametrize("depth", [5, 50, 300, *range(900, 1_000, 10)])
def test_values_within_values_are_read_or_refused(
    log: tuple[RowReader, list[Path]], depth: int
) -> None:
    reader, paths = log
    for file in _files(paths):
        whole = file.read_bytes()
        for opener, closer in ((b"[", b"]"), (b'{"a":', b"}")):
            deep = opener * depth + b"1" + closer * depth
            file.write_bytes(whole.replace(b'"art"', deep))
            refusal = _refusal(reader, paths)
            assert refusal is None or file.name in refusal
        file.write_bytes(whole)


@pytest.mark.slow
def test_many_mangled_logs_are_read_or_refused_by_name(log: tuple[RowReader, list[Path]]) -> None:
    reader, paths = log
    files = _files(paths)
    for change in range(N_MANY // len(WRITERS) + 1):
        _mangle_and_read(reader, paths, files[change % len(files)], random.Random(change))


def _mangle_and_read(reader: RowReader, paths: list[Path], file: Path, rng: random.Random) -> None:
    whole = file.read_bytes()
    file.write_bytes(rng.choice(MANGLERS)(whole, rng))
    assert all(isinstance(reader.reads(path), bool) for path in paths)
    refusal = _refusal(reader, paths)
    file.write_bytes(whole)
    assert refusal is None or file.name in refusal


def _refusal(reader: RowReader, paths: list[Path]) -> str | None:
    """Return why a reader refuses files, None where it reads them."""
    try:
        assert isinstance(reader.read(paths), EvalLog)
    except InputError as error:
        return str(error)
    return None


def _files(paths: list[Path]) -> list[Path]:
    inside = [sorted(path.iterdir()) if path.is_dir() else [path] for path in paths]
    return [file for files in inside for file in files]


def cut(whole: bytes, rng: random.Random) -> bytes:
    return whole[: rng.randrange(len(whole))]


def with_token(whole: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(whole))
    return whole[:at] + rng.choice(TOKENS) + whole[at + rng.randrange(12) :]


def with_noise(whole: bytes, rng: random.Random) -> bytes:
    changed = bytearray(whole)
    for _ in range(rng.randrange(1, 20)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def with_a_part_twice(whole: bytes, rng: random.Random) -> bytes:
    first, last = sorted(rng.randrange(len(whole)) for _ in range(2))
    return whole[:last] + whole[first:]


def with_odd_values(whole: bytes, rng: random.Random) -> bytes:
    """Put values of other types in place of some, and keep the file as it is otherwise."""
    if whole.startswith(b"PAR1"):
        return _with_odd_columns(whole, rng)
    lines = whole.split(b"\n")
    is_lines = len(lines) > 2 and lines[0].endswith(b"}")
    for _ in range(rng.randrange(1, 6)):
        number = rng.randrange(len(lines)) if is_lines else 0
        text = lines[number] if is_lines else b"\n".join(lines)
        if text.strip():
            value = json.loads(text)
            _put_odd_value(value, rng)
            text = json.dumps(value).encode()
        lines = [*lines[:number], text, *lines[number + 1 :]] if is_lines else [text]
    return b"\n".join(lines)


def _with_odd_columns(whole: bytes, rng: random.Random) -> bytes:
    rows = pl.read_parquet(io.BytesIO(whole))
    name = rng.choice(rows.columns)
    odd: tuple[pl.Expr, ...] = (
        pl.lit(None).alias(name),
        pl.lit(7).alias(name),
        pl.lit("x").alias(name),
        pl.struct(pl.lit(1).alias("a")).alias(name),
        pl.concat_list(pl.lit(1), pl.lit(2)).alias(name),
        pl.lit(float("nan")).alias(name),
    )
    out = io.BytesIO()
    rows.with_columns(rng.choice(odd)).write_parquet(out)
    return out.getvalue()


def _put_odd_value(value: Any, rng: random.Random) -> None:
    places = list(_places(value))
    if places:
        parent, key = rng.choice(places)
        if rng.random() < 0.2 and isinstance(parent, dict):
            del parent[key]
        else:
            parent[key] = deepcopy(rng.choice(ODD))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in a value where another could stand."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(pairs):
        yield value, key
        if isinstance(part, dict | list):
            yield from _places(part)


MANGLERS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    cut,
    with_token,
    with_noise,
    with_a_part_twice,
    with_odd_values,
    with_odd_values,
)
