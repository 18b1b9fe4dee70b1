"""Input files that were mangled at random: every one is read, or refused with an error of ours.

A valid file of each kind is cut, overwritten, spliced and sprinkled with hostile bytes, and read
as a user would have it read. Anything but a result or an `AssayError` breaks the promise.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.errors import AssayError
from accuracy_assay.files.tables import read_table
from accuracy_assay.registry import build_labeler
from accuracy_assay.spec.read import read_spec

# What breaks readers: ends of records and texts, half characters, markup, numbers out of range.
_HOSTILE = (
    b"\x00",
    b'"',
    b"'",
    b",",
    b";",
    b"\n",
    b"\r",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"[/x]",
    b"{",
    b"}",
    b"[" * 50,
    b"nan",
    b"1e999",
    b"-9" * 30,
    b"\xef\xbb\xbf",
    b"=",
    b"#",
)
_SPEC = """
[assay]
budget = 20
[pool]
path = "pool.csv"
[[attribute]]
name = "sex"
[[service]]
name = "far"
url = "http://127.0.0.1/{id}"
response = { prediction = "label" }
[label]
choices = ["cat", "dog"]
"""


def run(folder: Path, n_cases: int) -> Iterator[dict[str, Any]]:
    """Yield how each kind of file fared."""
    rng = np.random.default_rng(20261115)
    for kind, (content, read) in _kinds(folder).items():
        whole = folder / f"whole{Path(kind).suffix}"
        whole.write_bytes(content)
        read(whole)
        counts = {"read": 0, "refused": 0}
        for _ in range(n_cases):
            path = folder / f"mangled{Path(kind).suffix}"
            path.write_bytes(_mangle(content, rng))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    read(path)
                    counts["read"] += 1
                except AssayError:
                    counts["refused"] += 1
        yield {"part": "mangled", "store": kind, "files": n_cases, **counts, "tracebacks": 0}


def _kinds(folder: Path) -> dict[str, tuple[bytes, Callable[[Path], object]]]:
    frame = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(30)],
            "sex": ["f", "m", "ü"] * 10,
            "label": ["cat", "dog"] * 15,
            "p": np.linspace(0.0, 1.0, 30),
        }
    )
    made: dict[str, tuple[bytes, Callable[[Path], object]]] = {}
    for ending, write in (
        (".csv", frame.write_csv),
        (".jsonl", frame.write_ndjson),
        (".parquet", frame.write_parquet),
    ):
        path = folder / f"whole{ending}"
        write(path)
        made[f"table{ending}"] = (path.read_bytes(), lambda p: read_table(p))
    made["spec.toml"] = (_SPEC.encode(), lambda p: read_spec(p))
    labels = frame.select("id", "label")
    made["answers.csv"] = (
        labels.write_csv().encode(),
        lambda p: build_labeler("csv", p).read(p),
    )
    made["answers.jsonl"] = (
        labels.write_ndjson().encode(),
        lambda p: build_labeler("jsonl", p).read(p),
    )
    chosen = {"from_name": "label", "to_name": "shown", "type": "choices"}
    result = [{**chosen, "value": {"choices": ["cat"]}}]
    studio = [
        {"id": i, "data": {"assay_id": f"x{i}"}, "annotations": [{"result": result}]}
        for i in range(10)
    ]
    made["answers.json"] = (
        json.dumps(studio).encode(),
        lambda p: build_labeler("label-studio", p).read(p),
    )
    return made


def _mangle(content: bytes, rng: np.random.Generator) -> bytes:
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        at, length = int(rng.integers(0, len(data) + 1)), int(rng.integers(1, 12))
        match int(rng.integers(0, 5)):
            case 0:
                del data[at:]
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = _HOSTILE[int(rng.integers(0, len(_HOSTILE)))]
            case 3:
                data[at : at + length] = rng.bytes(length)
            case _:
                begin = int(rng.integers(0, len(data) + 1))
                data[at:at] = data[begin : begin + 10 * length]
    return bytes(data)
