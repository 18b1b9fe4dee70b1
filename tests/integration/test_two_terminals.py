"""Two terminals label one assay with the real command; one is killed, the work is finished."""

import json
import subprocess
import sys
import time
from pathlib import Path

import labelling
import polars as pl
import pytest
from patience import PATIENCE_S

import accuracy_assay as aa

BUDGET = 90


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    address = (
        str(tmp_path / "team.assay")
        if request.param == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    pool = labelling.make_pool(tmp_path / "pool.parquet", 300)
    spec = labelling.make_spec(tmp_path / "pool.parquet", BUDGET)
    spec["assay"] |= {"batch": 1}
    aa.Assay.create(address, spec).close()
    pool.select("id", pl.col("truth").alias("label")).write_csv(tmp_path / "labels.csv")
    return str(address)


def terminal(store: str, folder: Path, annotator: str) -> subprocess.Popen[str]:
    code = "from accuracy_assay.cli import main; main()"
    words = ["run", store, "--answers", "labels.csv", "--annotator", annotator, "--json"]
    return subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=folder, stdout=subprocess.PIPE, text=True
    )


def test_either_terminal_may_be_killed(store: str, tmp_path: Path) -> None:
    first, second = terminal(store, tmp_path, "ann"), terminal(store, tmp_path, "bob")
    with aa.Assay.open(store) as watching:
        give_up = time.monotonic() + PATIENCE_S
        while watching.status().annotators.get("ann", 0) < 2:
            assert time.monotonic() < give_up
            assert first.poll() is None
            time.sleep(0.005)
        first.kill()
        seen = dict(watching.labels().select("id", "label").iter_rows())
    first.communicate()
    out, _ = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0
    assert json.loads(out)["labels"] >= BUDGET - 1
    again = terminal(store, tmp_path, "ann")
    out, _ = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0
    status = json.loads(out)
    assert (status["labels"], status["spent"], status["held"]) == (BUDGET, BUDGET, 0)
    assert set(status["annotators"]) == {"ann", "bob"}
    with aa.Assay.open(store) as afterwards:
        found = dict(afterwards.labels().select("id", "label").iter_rows())
    truth = dict(pl.read_parquet(tmp_path / "pool.parquet").select("id", "truth").iter_rows())
    assert seen.items() <= found.items() <= truth.items()
