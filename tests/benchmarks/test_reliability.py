"""Short forms of what ``benchmarks/reliability`` runs at length, and whether it would notice."""

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "reliability"))

import disk
import disk_faults
import histories
import kills
import mangled
import power_cuts
from disk import Call, after_cut
from linearizable import Operation, first_wrong_key, is_linearizable

# A process that dies while it makes or closes a store may leave one that says so in vain.
pytestmark = pytest.mark.filterwarnings("ignore::accuracy_assay.storage.heads.OlderStoreWarning")
needs_compiler = pytest.mark.skipif(not disk.can_build(), reason="no C compiler for Linux")


def run(main: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any, *words: object) -> dict[str, Any]:
    monkeypatch.setattr(sys, "argv", ["script", *map(str, words)])
    main()
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


@needs_compiler
def test_a_disk_that_fails_at_any_call_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    out = tmp_path / "faults.jsonl"
    found = run(disk_faults.main, monkeypatch, capsys, "--faults", 25, "--out", out)
    assert found["faults"] == 25
    assert found["said"] > 0
    again = run(disk_faults.main, monkeypatch, capsys, "--faults", 30, "--out", out)
    assert again["faults"] == 30  # goes on where it stopped


@needs_compiler
def test_a_power_cut_loses_nothing_that_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    out = tmp_path / "cuts.jsonl"
    found = run(power_cuts.main, monkeypatch, capsys, "--cuts", 25, "--out", out)
    assert found["cuts"] == 25
    assert found["files with a part lost"] > 0


def call(kind: str, path: str, other: str = "", at: int = 0, content: bytes = b"") -> Call:
    return Call(kind, path, other, at, content)


def test_after_a_cut_what_was_synced_is_there_and_the_rest_may_be() -> None:
    calls = [
        call("C", "d/a"),
        call("W", "d/a", at=0, content=b"one"),
        call("S", "d/a"),
        call("S", "d"),
        call("W", "d/a", at=3, content=b"two"),
        call("W", "d/a", at=0, content=b"ONE"),
        call("C", "d/b"),
        call("U", "d/a"),
    ]
    rng = random.Random(0)
    left = [after_cut({}, calls[:n], rng) for n in [6] * 60]
    assert {tuple(found.items()) for found in left} == {
        (("d/a", content),) for content in (b"one", b"onetwo", b"ONE", b"ONEtwo")
    }
    names = {tuple(sorted(after_cut({}, calls, rng))) for _ in range(60)}
    assert names == {(), ("d/a",), ("d/b",), ("d/a", "d/b")}


def test_a_rename_that_was_synced_stays_and_another_may_not() -> None:
    calls = [
        call("C", "d/part"),
        call("W", "d/part", content=b"new"),
        call("S", "d/part"),
        call("R", "d/part", "d/a"),
    ]
    rng = random.Random(0)
    seen = {tuple(after_cut({"d/a": b"old"}, calls, rng).values()) for _ in range(40)}
    assert (b"old",) in seen
    assert (b"new",) in seen
    assert after_cut({"d/a": b"old"}, [*calls, call("S", "d")], rng) == {"d/a": b"new"}


def told(kind: str, value: Any, result: Any, began: float, ended: float = math.inf) -> Operation:
    return Operation("x", kind, value, result, began, ended)


def test_a_history_with_an_order_is_told_from_one_without() -> None:
    wrote = told("tell", "cat", "recorded", 0, 1)
    assert is_linearizable([wrote, told("read", None, "cat", 2, 3)])
    assert not is_linearizable([wrote, told("read", None, None, 2, 3)])  # lost
    assert not is_linearizable([wrote, told("tell", "dog", "recorded", 2, 3)])  # overwritten
    assert is_linearizable([wrote, told("tell", "dog", "conflict", 2, 3)])
    at_once = [told("tell", "cat", "recorded", 0, 9), told("tell", "dog", "conflict", 1, 2)]
    assert is_linearizable(at_once)
    assert is_linearizable([*at_once, told("read", None, "cat", 3, 4)])
    assert not is_linearizable([*at_once, told("read", None, "dog", 3, 4)])
    flipped = [told("read", None, "cat", 1, 2), told("read", None, None, 3, 4)]
    assert not is_linearizable([told("tell", "cat", "recorded", 0, 9), *flipped])  # went back


def test_of_a_killed_client_either_is_right_but_not_both() -> None:
    killed = told("tell", "cat", None, 0)
    for seen in (None, "cat"):
        assert is_linearizable([killed, told("read", None, seen, 5, 6)])
    both = [told("read", None, "cat", 1, 2), told("read", None, None, 3, 4)]
    assert not is_linearizable([killed, *both])
    assert first_wrong_key([killed, *both]) == "x"


def test_five_clients_at_once_leave_a_history_with_an_order(tmp_path: Path) -> None:
    found = histories.play(str(tmp_path / "v.assay"), tmp_path, seconds=1.5, seed=1)
    assert found["operations"] > 10
    assert found["kills"] + found["pauses"] > 0


@pytest.mark.parametrize("part", ["import events", "import answers", "backup", "sync"])
def test_a_killed_command_leaves_nothing_half_done(tmp_path: Path, part: str) -> None:
    kills.PARTS[part](tmp_path, 2, 3)


def test_mangled_files_are_read_or_refused_with_an_error_of_ours(tmp_path: Path) -> None:
    found = list(mangled.run(tmp_path, 25))
    assert all(row["read"] + row["refused"] == 25 for row in found)
    assert any("inside" in row["store"] for row in found)
