"""Evaluation logs: whether they read with their own means, what damage does, how long it takes.

    python benchmarks/eval_logs.py --data DIR                   # means beside the logs' own
    python benchmarks/eval_logs.py --data DIR --mutations 2000  # damaged copies of the files
    python benchmarks/eval_logs.py --documents 14000            # the time of a made log

The exit code is 1 if a mean differs by more than 1e-9, or a damaged file ends in anything but rows
or an `InputError`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.readers.archives import opened_archive
from accuracy_assay.registry import every_reader
from accuracy_assay.study.read.open_rows import read_log

_TOLERANCE = 1e-9
_ODD: Sequence[Any] = (
    None,
    True,
    -1,
    0.5,
    10**30,
    float("nan"),
    float("inf"),
    -(10**400),
    "",
    "C",
    "\ud800",
    "x" * 200_000,
    [],
    {},
    [[[]]],
    {"a": {"b": [1, {"c": None}]}},
    list(range(3000)),
)
"""Values that a file may hold where another kind was meant."""


def main() -> int:
    """Run what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of logs")
    parser.add_argument("--mutations", type=int, default=0, help="damaged copies to read")
    parser.add_argument("--documents", type=int, default=0, help="documents of a made log")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    is_fine = True
    if given.documents:
        is_fine &= show_time(given.documents)
    if given.data is not None and given.mutations:
        is_fine &= damage(given.data, given.mutations, given.seed)
    elif given.data is not None:
        is_fine &= compare_means(given.data)
    return 0 if is_fine else 1


def compare_means(folder: Path) -> bool:
    """Print the mean of every score beside the log's own; return whether they are the same."""
    is_same = True
    for path in known_files(folder):
        try:
            log = read_log(path)
        except InputError as error:
            print(f"{path.relative_to(folder)}: refused: {error}")
            continue
        own = dict(own_means(path))
        for service, columns in log.by_service.items():
            for metric, column in columns.scores.items():
                mean = log.rows.get_column(column).mean()
                said = own.get(metric)
                is_near = said is None or abs(float(mean) - said) <= _TOLERANCE  # type: ignore[arg-type]
                is_same &= is_near
                beside = "the log has no figure of its own" if said is None else f"own {said!r}"
                flag = "" if is_near else "  DIFFERENT"
                rows = log.rows.get_column(column).count()
                print(f"{path.relative_to(folder)}: {service} {metric}:")
                print(f"    {mean!r} of {rows} rows, {beside}{flag}")
        for what, why in log.left_out.items():
            print(f"    left out: {what}: {why}")
    return is_same


def known_files(folder: Path) -> Iterator[Path]:
    """Yield the files and folders that a reader knows."""
    readers = every_reader().values()
    for path in sorted([folder, *folder.rglob("*")]):
        if any(reader.reads(path) for reader in readers):
            yield path


def own_means(path: Path) -> Iterator[tuple[str, float]]:
    """Yield what a log itself says of its metrics; only for the whole of its samples."""
    if path.is_dir():
        yield from _helm_means(path)
    elif path.suffix == ".jsonl":
        yield from _lm_eval_means(path)
    elif path.suffix in (".eval", ".json"):
        yield from _inspect_means(path)


def _helm_means(path: Path) -> Iterator[tuple[str, float]]:
    for stat in json.loads((path / "stats.json").read_bytes()):
        name = stat["name"]
        if name.get("split") == "test" and "perturbation" not in name and "mean" in stat:
            yield name["name"], stat["mean"]


def _lm_eval_means(path: Path) -> Iterator[tuple[str, float]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for name in ("acc", "acc_norm", "exact_match"):  # where there is no file of results
        values = [line[name] for line in lines if name in line]
        if values and not any("filter" in line for line in lines):
            yield name, sum(values) / len(values)
    for results in path.parent.glob("results_*.json"):
        for task, metrics in json.loads(results.read_bytes())["results"].items():
            if f"_{task}_" in path.name:
                for name, value in metrics.items():
                    if isinstance(value, float) and "stderr" not in name:
                        yield name.removesuffix(",none"), value


def _inspect_means(path: Path) -> Iterator[tuple[str, float]]:
    if path.suffix == ".eval":
        with opened_archive(path, "a log of Inspect") as archive:
            header = archive.json("header.json")
    else:
        header = json.loads(path.read_bytes())
    for score in header.get("results", {}).get("scores", []):
        for name in ("accuracy", "mean"):
            if name in score["metrics"]:
                yield score["name"], float(score["metrics"][name]["value"])


def peak_memory_mb() -> float:
    """Return the most memory this process has held; what its parent held does not count."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def damage(folder: Path, count: int, seed: int) -> bool:
    """Read damaged copies of files; return whether each gave rows or an `InputError`."""
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    slowest, failures = 0.0, []
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            path = files[number % len(files)]
            place = Path(name, path.relative_to(folder))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(mutated(path, rng))
            began = time.process_time()
            end, error = _end_of(place)
            slowest = max(slowest, time.process_time() - began)
            ends[end] += 1
            if error is not None:
                failures.append(f"{path.name}, number {number}: {error!r}")
            place.unlink()
    peak = peak_memory_mb()
    print(
        f"{count} damaged files: {dict(ends)}; slowest {slowest:.1f} s, peak memory {peak:.0f} MB"
    )
    print("\n".join(failures[:20]))
    return not failures


def _end_of(path: Path) -> tuple[str, BaseException | None]:
    """Return how reading a file ends, and an error that should not be."""
    readers = [reader for reader in every_reader().values() if reader.reads(path)]
    try:
        for reader in readers:
            log = reader.read([path])
            assert isinstance(log, EvalLog)
        read_log(path)
    except InputError:
        return "refused", None
    except BaseException as error:  # a panic of Polars is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return "failed", error
    return "read", None


def mutated(path: Path, rng: random.Random) -> bytes:
    """Return a damaged copy of a file: changed bytes, or other values in its JSON."""
    content = path.read_bytes()
    if rng.random() < 0.5:
        return _other_bytes(content, rng)
    if path.suffix == ".eval":
        return _other_members(path, rng)
    if path.suffix == ".jsonl":
        lines = content.splitlines()
        at = rng.randrange(len(lines))
        lines[at] = _other_values(lines[at], rng)
        return b"\n".join(lines)
    return _other_values(content, rng)


def _other_bytes(content: bytes, rng: random.Random) -> bytes:
    """Change, cut, repeat or insert bytes."""
    start, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    junk = rng.randbytes(rng.randrange(1, 50))
    return rng.choice(
        [
            content[:start],
            content[:start] + content[end:],
            content[:end] + content[start:],
            content[:start] + junk + content[start:],
            content[:start] + junk + content[start + len(junk) :],
            b"\xef\xbb\xbf" + content,
            content[:start] + b"[" * 100_000 + content[start:],
            content.replace(b'"', b"'", rng.randrange(1, 5)),
        ]
    )


def _other_values(content: bytes, rng: random.Random) -> bytes:
    """Put odd values in a few places of a JSON value."""
    try:
        value = json.loads(content)
    except ValueError:
        return content
    for _ in range(rng.randrange(1, 4)):
        holder: Any = None
        here = value
        for _ in range(rng.randrange(1, 8)):
            if not (isinstance(here, dict | list) and here):
                break
            key = rng.choice(list(here) if isinstance(here, dict) else range(len(here)))
            holder, here = (here, key), here[key]
        if holder is not None:
            inside, key = holder
            if rng.random() < 0.2:
                del inside[key]
            else:
                inside[key] = deepcopy(rng.choice(_ODD))
    return json.dumps(value).encode()


def _other_members(path: Path, rng: random.Random) -> bytes:
    """Return an archive in which one member has odd values."""
    with zipfile.ZipFile(path) as archive:
        try:
            members = {name: archive.read(name) for name in archive.namelist()}
        except NotImplementedError:  # Zstandard
            return _other_bytes(path.read_bytes(), rng)
    name = rng.choice(list(members))
    members[name] = _other_values(members[name], rng)
    if rng.random() < 0.2:
        del members[rng.choice(list(members))]
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        file.seek(0)
        return file.read()


def show_time(n_documents: int) -> bool:
    """Print the processor time of a made log of multiple choice, with five-shot prompts."""
    shots = "The quick brown fox jumps over the lazy dog. " * 40
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "acme__model", "samples_made_2025-01-02T03-04-05.jsonl")
        path.parent.mkdir()
        with path.open("w", encoding="utf-8") as file:
            for number in range(n_documents):
                file.write(json.dumps(_document(number, shots)) + "\n")
        size = path.stat().st_size / 1e6
        began = time.process_time()
        log = read_log(path)
        seconds = time.process_time() - began
    peak = peak_memory_mb()
    print(
        f"{log.rows.height:,} documents, {size:.0f} MB: {seconds:.1f} s of processor time, "
        f"peak memory {peak:.0f} MB"
    )
    return log.rows.height == n_documents


def _document(number: int, shots: str) -> dict[str, Any]:
    endings = ["A", "B", "C", "D"]
    return {
        "doc_id": number,
        "doc": {
            "question": f"Which of these is number {number}?",
            "subject": f"subject {number % 57}",
            "choices": [f"it is {number + i}" for i in range(4)],
            "answer": number % 4,
        },
        "target": str(number % 4),
        "arguments": {
            f"gen_args_{i}": {"arg_0": f"{shots}{number}", "arg_1": f" {ending}"}
            for i, ending in enumerate(endings)
        },
        "resps": [[[str(-1.0 - (number * 7 + i) % 5), "False"]] for i in range(4)],
        "filtered_resps": [[str(-1.0 - (number * 7 + i) % 5), "False"] for i in range(4)],
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": f"{number:064x}",
        "prompt_hash": f"{number:064x}",
        "target_hash": f"{number:064x}",
        "acc": float(number % 3 == 0),
        "acc_norm": float(number % 2),
    }


if __name__ == "__main__":
    sys.exit(main())
