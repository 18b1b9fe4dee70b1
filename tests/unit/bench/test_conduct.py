from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.bench.conduct import conduct
from accuracy_assay.bench.experiment import Plan
from accuracy_assay.bench.experiments import EXPERIMENTS
from accuracy_assay.errors import InputError

TASK = "synthetic:rows=1000,attributes=2,values=3"
PLAN = Plan((TASK,), ("constant", "beta-independent"), (100, 200), seeds=2, seed_size=100)


def test_tables_and_a_figure_are_written(tmp_path: Path) -> None:
    outcome = conduct(EXPERIMENTS["estimation"], PLAN, data=None, out=tmp_path, jobs=1)
    assert outcome.rows.height == 2 * 2 * 2
    assert pl.read_csv(tmp_path / "estimation.summary.csv").height == 2 * 2
    (figure,) = tmp_path.glob("estimation-synthetic*.png")
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert figure in outcome.files


def test_a_second_call_resumes_and_a_fresh_one_does_not(tmp_path: Path) -> None:
    first = conduct(EXPERIMENTS["estimation"], PLAN, data=None, out=tmp_path, jobs=1)
    again = conduct(EXPERIMENTS["estimation"], PLAN, data=None, out=tmp_path, jobs=1)
    fresh = conduct(
        EXPERIMENTS["estimation"], PLAN, data=None, out=tmp_path, jobs=1, is_fresh=True
    )
    assert (first.n_resumed, again.n_resumed, fresh.n_resumed) == (0, 4, 0)
    assert again.rows.equals(first.rows)
    assert fresh.rows.drop("seconds").equals(first.rows.drop("seconds"))


def test_processes_give_the_rows_of_one_process(tmp_path: Path) -> None:
    alone = conduct(EXPERIMENTS["estimation"], PLAN, data=None, out=tmp_path / "1", jobs=1)
    shared = conduct(EXPERIMENTS["estimation"], PLAN, data=None, out=tmp_path / "2", jobs=2)
    assert shared.rows.drop("seconds").equals(alone.rows.drop("seconds"))


def test_an_error_in_a_process_comes_back_as_its_text(tmp_path: Path) -> None:
    plan = Plan(("adult5",), ("constant", "beta-independent"), (500,), seeds=1, has_data=True)
    with pytest.raises(InputError, match=r"adult5.*must hold adult_llama/pool.parquet"):
        conduct(EXPERIMENTS["estimation"], plan, data=tmp_path, out=tmp_path, jobs=2)
