import os
from pathlib import Path

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.engine import LOCAL, Engine
from accuracy_assay.study.method import parse_method
from assay_bench import parallel
from assay_bench.parallel import perform_all
from assay_bench.run import Row, Run

TASK = "synthetic:rows=1000,attributes=2,values=3"


def errors_of(
    task: str, jobs: int, data: Path | None = None, engine: str = "local"
) -> dict[str, float]:
    """Perform two runs and return the error of each method."""
    runs = [
        Run(task, parse_method(name), 0, "sizes", (200,), seed_size=100)
        for name in ("constant", "beta-independent")
    ]
    found: dict[str, float] = {}

    def record(run: Run, rows: list[Row]) -> None:
        found[run.method.name] = rows[0]["macro_mse"]

    perform_all(runs, data, jobs, record, engine)
    return found


def test_processes_give_the_errors_of_one_process() -> None:
    before = dict(os.environ)
    assert errors_of(TASK, jobs=2) == errors_of(TASK, jobs=1)
    assert dict(os.environ) == before


def test_workers_of_an_engine_give_the_errors_of_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def local(name: str) -> Engine:
        asked.append(name)
        return LOCAL

    monkeypatch.setattr(parallel, "engine", local)
    assert errors_of(TASK, jobs=2, engine="ray") == errors_of(TASK, jobs=1)
    assert asked == ["ray"]


def test_an_error_in_a_process_comes_back_as_its_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"adult5.*must hold adult_llama/pool.parquet"):
        errors_of("adult5", jobs=2, data=tmp_path)
