"""A short form of what ``benchmarks/eval_logs.py`` runs at length, and whether it would notice."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import eval_logs
import pytest
from made_logs import (
    inspect_log,
    inspect_sample,
    lm_eval_choice,
    lm_eval_text,
    write_eval,
    write_inspect_json,
    write_lm_eval,
    write_zstandard,
)
from patience import PATIENCE_S

from accuracy_assay.domain.eval_log import EvalLog

LARGEST_MEMORY_MB = 1000


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Logs of every kind, with what they say of themselves."""
    write_lm_eval(tmp_path, "acme/large", "sums", [lm_eval_text(n, "2", "2", 0.0) for n in (1, 2)])
    choices = [lm_eval_choice(n, [-2.0, -1.0], "1", float(n % 2)) for n in range(3)]
    write_lm_eval(tmp_path, "acme/small", "colours", choices, has_results=False)
    samples = [
        inspect_sample(n, {"match": "CI"[n % 2]}, epoch) for n in (1, 2) for epoch in (1, 2)
    ]
    log = inspect_log(samples)
    log["results"]["scores"] = [{"name": "match", "metrics": {"accuracy": {"value": 0.5}}}]
    write_eval(tmp_path / "a.eval", log)
    write_zstandard(tmp_path / "b.eval", log)
    write_inspect_json(tmp_path / "c.json", log)
    return tmp_path


def test_damaged_files_end_in_rows_or_a_refusal_with_little_memory(logs: Path) -> None:
    command = [sys.executable, str(eval_logs.__file__), "--data", str(logs), "--mutations", "400"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ends = re.search(r"400 damaged files: \{'(\w+)': \d+, '(\w+)': \d+\}", done.stdout)
    assert ends is not None
    assert set(ends.groups()) == {"read", "refused"}
    peak = re.search(r"peak memory (\d+) MB", done.stdout)
    assert peak is not None
    assert int(peak[1]) < LARGEST_MEMORY_MB


def test_another_error_would_be_noticed(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless:
        def reads(self, path: Path) -> bool:
            return True

        def read(self, paths: Sequence[Path]) -> EvalLog:
            raise KeyError("samples")

    monkeypatch.setattr(eval_logs, "every_reader", lambda: {"careless": Careless()})
    assert not eval_logs.damage(logs, 3, 0)


def test_means_are_the_logs_own_and_another_one_would_be_noticed(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert eval_logs.compare_means(logs)
    assert "0.5 of 4 rows, own 0.5" in capsys.readouterr().out
    log = inspect_log([inspect_sample(1, {"match": "C"})])
    log["results"]["scores"] = [{"name": "match", "metrics": {"accuracy": {"value": 0.9}}}]
    write_eval(logs / "d.eval", log)
    assert not eval_logs.compare_means(logs)


def test_a_made_log_has_all_its_documents() -> None:
    assert eval_logs.show_time(20)
