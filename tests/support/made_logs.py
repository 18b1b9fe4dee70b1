"""Small logs of lm-evaluation-harness and Inspect, written by their published formats."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import zstandard

DATE = "2025-03-04T10-20-30.123456"

__all__ = [
    "DATE",
    "inspect_log",
    "inspect_sample",
    "lm_eval_choice",
    "lm_eval_text",
    "write_eval",
    "write_inspect_json",
    "write_lm_eval",
    "write_zstandard",
]


def lm_eval_text(number: int, said: str, target: str, score: float, **more: Any) -> dict[str, Any]:
    """A line of a task that has the model write its answer."""
    question = f"What is {number} + {number}?"
    line: dict[str, Any] = {
        "doc_id": number,
        "doc": {"question": question, "level": f"Level {number % 2}", "tags": ["sum", "short"]},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": f"Q: {question}\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [[f" {said} and so on"]],
        "filtered_resps": [said],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": f"{number:064x}",
        "prompt_hash": f"{number + 1000:064x}",
        "target_hash": f"{number + 2000:064x}",
        "exact_match": score,
    }
    return line | more


def lm_eval_choice(
    number: int, likelihoods: Sequence[float], target: str, score: float, **more: Any
) -> dict[str, Any]:
    """A line of a task with choices, as releases before 0.4.5 wrote it."""
    endings = [" red", " green", " blue", " grey"][: len(likelihoods)]
    line: dict[str, Any] = {
        "doc_id": number,
        "doc": {
            "query": f"Which colour is number {number}?",
            "subject": ["art", "law"][number % 2],
        },
        "target": target,
        "arguments": {
            f"gen_args_{i}": {"arg_0": f"Colour {number}:", "arg_1": ending}
            for i, ending in enumerate(endings)
        },
        "resps": [[[str(x), "False"]] for x in likelihoods],
        "filtered_resps": [[str(x), "False"] for x in likelihoods],
        "doc_hash": f"{number + 500:064x}",
        "prompt_hash": "0" * 64,
        "target_hash": "0" * 64,
        "acc": score,
    }
    return line | more


def write_lm_eval(
    folder: Path,
    model: str,
    task: str,
    lines: Iterable[Mapping[str, Any]],
    *,
    has_results: bool = True,
    date: str = DATE,
) -> Path:
    """Write samples, and results with the model's name, as the harness lays them out."""
    home = folder / model.replace("/", "__")
    home.mkdir(parents=True, exist_ok=True)
    path = home / f"samples_{task}_{date}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    if has_results:
        results = {"results": {task: {"alias": task}}, "model_name": model}
        (home / f"results_{date}.json").write_text(json.dumps(results), encoding="utf-8")
    return path


def inspect_sample(
    number: int | str, scores: Mapping[str, Any], epoch: int = 1, **more: Any
) -> dict[str, Any]:
    """A sample of Inspect; ``scores`` are values by scorer."""
    answer = f"answer {number}"
    sample: dict[str, Any] = {
        "id": number,
        "epoch": epoch,
        "input": f"Question {number}?",
        "target": f"truth {number}",
        "messages": [],
        "output": {
            "model": "m",
            "choices": [{"message": {"role": "assistant", "content": answer}}],
            "completion": answer,
        },
        "scores": {name: {"value": value, "answer": answer} for name, value in scores.items()},
        "metadata": {"topic": "art" if str(number) < "2" else "law", "about": {"year": 1999}},
        "store": {},
        "events": [],
        "attachments": {},
    }
    return sample | more


def inspect_log(
    samples: Sequence[Mapping[str, Any]],
    model: str = "acme/large",
    *,
    status: str = "success",
    scorers: Sequence[Mapping[str, Any]] = (),
    created: str = "2025-01-02T03:04:05+00:00",
) -> dict[str, Any]:
    """A log with its header."""
    return {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": "e1",
            "run_id": "r1",
            "created": created,
            "task": "acme/quiz",
            "dataset": {"name": "quiz", "samples": 100},
            "model": model,
            "config": {},
            "scorers": list(scorers),
        },
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": len(samples), "scores": []},
        "stats": {},
        "samples": list(samples),
    }


def write_inspect_json(path: Path, log: Mapping[str, Any]) -> Path:
    """Write a log as one JSON file."""
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def write_eval(path: Path, log: Mapping[str, Any], *, is_stored: bool = False) -> Path:
    """Write a log as an archive, with the members in the order of a run."""
    with ZipFile(path, "w", ZIP_STORED if is_stored else ZIP_DEFLATED) as archive:
        for name, content in _members(log).items():
            archive.writestr(name, json.dumps(content))
    return path


def write_zstandard(path: Path, log: Mapping[str, Any]) -> Path:
    """Write a log as an archive with Zstandard, which older Pythons cannot write themselves."""
    body, index = b"", b""
    members = _members(log)
    for name, content in members.items():
        raw, title = json.dumps(content).encode(), name.encode()
        packed = zstandard.ZstdCompressor().compress(raw)
        sizes = struct.pack("<LLL", zlib.crc32(raw), len(packed), len(raw))
        head = struct.pack("<5H", 63, 0, 93, 0, 33) + sizes
        index += b"PK\x01\x02" + struct.pack("<H", 63) + head
        index += struct.pack("<5H2L", len(title), 0, 0, 0, 0, 0, len(body)) + title
        body += b"PK\x03\x04" + head + struct.pack("<2H", len(title), 0) + title + packed
    count = struct.pack("<4H", 0, 0, len(members), len(members))
    end = b"PK\x05\x06" + count + struct.pack("<2LH", len(index), len(body), 0)
    path.write_bytes(body + index + end)
    return path


def _members(log: Mapping[str, Any]) -> dict[str, Any]:
    header = {key: value for key, value in log.items() if key != "samples"}
    start = {key: log[key] for key in ("version", "eval", "plan")}
    members: dict[str, Any] = {"_journal/start.json": start}
    summaries = []
    for sample in log["samples"]:
        members[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = sample
        used = ("id", "epoch", "input", "target", "scores", "metadata")
        summaries.append({key: sample[key] for key in used if key in sample})
    members["summaries.json"] = summaries
    members["header.json"] = header
    return members
