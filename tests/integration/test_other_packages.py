"""An assay whose every part is another package's, found by the name that the package declares."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from entry_points import install

import accuracy_assay as aa
from accuracy_assay.registry import GROUPS
from accuracy_assay.runtime.imports import installed
from accuracy_assay.tasks.registry import GROUP, load_task

CODE = """
from dataclasses import dataclass

import polars as pl

from accuracy_assay.calibration.raw import Raw
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.exploration.uniform import Random
from accuracy_assay.protocols import Prediction, Returned
from accuracy_assay.tasks.task import Task

@dataclass(frozen=True)
class Estimates(BetaIndependent): ...

@dataclass(frozen=True)
class Chooses(Random):
    word: str = "by chance"

@dataclass(frozen=True)
class Calibrates(Raw): ...

@dataclass(frozen=True)
class Predicts:
    name: str
    column: str

    def predict(self, rows):
        for i, value in enumerate(rows.get_column(self.column)):
            yield [Prediction(i, str(value))]

class Labels:
    def write(self, tasks, choices, path):
        path.write_text("".join(f"{task.id} \\n" for task in tasks))

    def read(self, path):
        pairs = (line.split(" ", 1) for line in path.read_text().splitlines())
        return [Returned(id, label) for id, label in pairs if label]

def task():
    rows = pl.read_parquet("pool.parquet").with_columns(correct=pl.col("truth") == pl.col("guess"))
    return Task("theirs", "A pool.", rows.with_columns(pl.col("correct").cast(int)), ("sex",))
"""
CLASSES = {
    "estimator": "Estimates",
    "strategy": "Chooses",
    "calibration": "Calibrates",
    "service": "Predicts",
    "labeler": "Labels",
}


@pytest.fixture(autouse=True)
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    points = {GROUPS[kind]: {"theirs": f"elsewhere:{made}"} for kind, made in CLASSES.items()}
    points[GROUP] = {"theirs": "elsewhere:task"}
    install(tmp_path, monkeypatch, "elsewhere", CODE, points)
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    sex, truth = rng.choice(["f", "m"], 60), rng.choice(["cat", "dog"], 60)
    sure = np.where(sex == "f", 0.9, 0.1)
    columns = {"id": [f"x{i}" for i in range(60)], "sex": sex, "truth": truth}
    columns |= {"guess": np.where(rng.random(60) < 0.8, truth, "cat")}
    columns |= {"p_sex__f": sure, "p_sex__m": 1.0 - sure}
    frame = pl.DataFrame(columns)
    frame.write_parquet("pool.parquet")
    frame[:20].with_columns(label=pl.col("truth")).write_parquet("seed.parquet")
    yield
    installed.cache_clear()


def spec(**service: Any) -> dict[str, Any]:
    methods: dict[str, Any] = {"estimator": {"name": "theirs", "level": 0.8}}
    methods |= {"strategy": {"name": "theirs", "word": "at will"}, "calibration": "theirs"}
    return {
        "assay": {"budget": 20, "batch": 5, **methods},
        "pool": {"path": "pool.parquet", "seed_set": "seed.parquet"},
        "attribute": [{"name": "sex", "evidence": "p_sex__*"}],
        "service": [{"name": "k", "kind": "theirs", "settings": {"column": "guess", **service}}],
    }


def test_a_session_is_made_of_another_packages_parts() -> None:
    with aa.Assay.create("their.assay", spec()) as assay:
        assert assay.predict("k") == 60
        batch = assay.ask(5, annotator="ann")
        assay.write_tasks(batch, "tasks.theirs", format="theirs")
        asked = [line.strip() for line in Path("tasks.theirs").read_text().splitlines()]
        assert asked == batch["id"].to_list()
        assay.tell(asked, ["dog"] * 5, "ann")
    with aa.Assay.open("their.assay") as again:
        assert again.spec.assay.strategy == {"name": "theirs", "word": "at will"}
        assert again.status().labels == 5
        assert again.surface("k").level == 0.8


def test_a_wrong_setting_of_a_service_is_refused_before_a_store_is_made() -> None:
    with pytest.raises(aa.InputError, match=r"setting of service kind 'theirs' .* got 'retries'"):
        aa.Assay.create("their.assay", spec(retries=3))
    assert not Path("their.assay").exists()


def test_a_task_and_the_methods_of_another_package_replay() -> None:
    task = load_task("theirs")
    methods: dict[str, Any] = {"estimator": "theirs", "strategy": "theirs"}
    history = aa.simulate(task.rows, task.columns, **methods, seed_size=10, budget=10, batch=5)
    assert history.metrics["labels"].to_list() == [10, 15, 20]
