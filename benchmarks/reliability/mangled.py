"""Input files that were mangled at random: every one is read, or refused with an error of ours.

    python benchmarks/reliability/mangled.py --files 10000 [--out FILE]

A valid file of each kind is cut, overwritten, spliced and sprinkled with hostile bytes, and read
as a user would have it read. Such a Label Studio export mostly fails as JSON, at the first check;
so valid JSON is also made whose inside is changed. Anything but a result or an `AssayError` breaks
the promise. Done kinds are in ``--out``, one line each, and are not repeated.
"""

from __future__ import annotations

import argparse
import copy
import json
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.errors import AssayError
from accuracy_assay.files.tables import read_table
from accuracy_assay.registry import build_labeler
from accuracy_assay.session.assay import Assay
from accuracy_assay.spec.read import read_spec
from accuracy_assay.storage.memory import MemoryStore

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
# What stands where a text, a number, a list or an object should be.
_STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**400,
    1e999,
    float("nan"),
    "",
    " ",
    "\ud800",
    "\x00",
    "=cmd|' /C calc'!A0",
    [],
    {},
    [[[["cat"]]]],
    {"choices": [None]},
    {"choices": {"choices": ["cat"]}},
    {"text": ["a", "b"]},
    {"": ""},
    ["cat", 5],
    "x" * 10_000,
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000, help="of each kind")
    parser.add_argument("--out", type=Path, default=Path("out/reliability/mangled.jsonl"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    lines = options.out.read_text().splitlines() if options.out.exists() else []
    done = {json.loads(line)["store"] for line in lines}
    with tempfile.TemporaryDirectory(prefix="assay-mangled-") as folder:
        for row in run(Path(folder), options.files, done):
            with options.out.open("a") as log:
                log.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


def run(folder: Path, n_cases: int, done: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield how each kind of file fared that is not done."""
    for kind, (content, read) in _kinds(folder).items():
        if kind in done:
            continue
        rng = np.random.default_rng([20261115, *kind.encode()])
        whole = folder / f"whole{Path(kind).suffix}"
        whole.write_bytes(content)
        read(whole)
        counts = {"read": 0, "refused": 0}
        for _ in range(n_cases):
            path = folder / f"mangled{Path(kind).suffix}"
            path.write_bytes(mangle(content, rng, is_inside="inside" in kind))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    read(path)
                    counts["read"] += 1
                except AssayError:
                    counts["refused"] += 1
                except BaseException:
                    path.rename(folder / f"broke-{Path(kind).name}")
                    raise
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
    for name, tasks in studio_exports().items():
        content = json.dumps(tasks).encode()
        made[f"{name}.json"] = (content, lambda p: build_labeler("label-studio", p).read(p))
        made[f"inside {name}.json"] = (content, teller(frame))
    return made


def teller(pool: pl.DataFrame) -> Callable[[Path], object]:
    """Return a function that tells a file to an assay without choices, and reads the labels."""
    spec = {
        "assay": {"estimator": "constant", "strategy": "random"},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "reader", "column": "label"}],
    }
    assay = Assay.create(MemoryStore(), spec, pool=pool)

    def tell(path: Path) -> object:
        assay.tell_file(path, format="label-studio", replace=True)
        return assay.labels()

    return tell


def studio_exports() -> dict[str, list[Any]]:
    """Return what Label Studio exports, as JSON and as JSON_MIN."""
    chosen = {"from_name": "label", "to_name": "shown", "type": "choices"}
    sure = {**chosen, "from_name": "confirmed_sex", "value": {"choices": ["f"]}}
    said = {
        "completed_by": {"id": 3, "email": "ann@example.org"},
        "lead_time": 4.5,
        "was_cancelled": False,
        "result": [{**chosen, "value": {"choices": ["cat"]}}, sure],
    }
    long = [{"id": i, "data": {"assay_id": f"x{i}"}, "annotations": [said]} for i in range(6)]
    short = [
        {
            "assay_id": f"x{i}",
            "label": "cat",
            "confirmed_sex": {"choices": ["f"]},
            "annotator": 7,
            "lead_time": 4.5,
        }
        for i in range(6)
    ]
    return {"answers": long, "short answers": short}


def mangle(content: bytes, rng: np.random.Generator, *, is_inside: bool = False) -> bytes:
    """Return changed content; with ``is_inside``, valid JSON with some of its values changed."""
    if is_inside:
        return _changed_json(content, rng)
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


def _changed_json(content: bytes, rng: np.random.Generator) -> bytes:
    """Return JSON in which a few values, wherever they are, were replaced, removed or moved."""
    whole = json.loads(content)
    for _ in range(int(rng.integers(1, 4))):
        places = list(_places(whole))
        if not places:
            break
        inside, key = places[int(rng.integers(0, len(places)))]
        match int(rng.integers(0, 4)):
            case 0:
                del inside[key]
            case 1:
                other, from_key = places[int(rng.integers(0, len(places)))]
                inside[key] = copy.deepcopy(other[from_key])
            case 2:
                inside[key] = [copy.deepcopy(inside[key]) for _ in range(int(rng.integers(0, 3)))]
            case _:
                inside[key] = copy.deepcopy(_STRANGE[int(rng.integers(0, len(_STRANGE)))])
    return json.dumps(whole).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list and object of a JSON value, with each of its indices or keys."""
    keys = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


if __name__ == "__main__":
    main()
