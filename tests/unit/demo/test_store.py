"""The demonstration's own assay: ready to label, with its images, and never overwritten."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.demo.store import write_demo_assay
from accuracy_assay.study.history import History
from accuracy_assay.tasks.digits import digits
from accuracy_assay.tasks.task import Task

PICKS = [3, 14, 15, 92]


@pytest.fixture(scope="module")
def task() -> Task:
    return digits(n_rows=1_000)


@pytest.fixture
def history() -> History:
    picks = pl.DataFrame({"row": PICKS})
    seed_rows = np.arange(100, 300)
    rounds = {"labels": [200, 202, 204], "expected_macro_mse": [2.0, 1.9, 1.8]}
    metrics = pl.DataFrame({**rounds, "seconds": [1.0, 1.0, 1.0]})
    return History(metrics, None, picks, seed_rows)  # type: ignore[arg-type]


def test_it_holds_the_labels_so_far_and_shows_images(
    task: Task, history: History, tmp_path: Path
) -> None:
    store = write_demo_assay(task, history, tmp_path)
    assert store == tmp_path / "digits.assay"
    with aa.Assay.open(store) as assay:
        labels = assay.labels()
        assert labels["id"].to_list() == task.rows["id"][PICKS].to_list()
        assert labels["label"].to_list() == list(map(str, task.rows["digit"][PICKS]))
        assert assay.pool.select("digit", "label").null_count().row(0) == (1_000, 1_000)
        assert all(image.startswith(b"\x89PNG") for image in assay.pool["image"][:5])
        (reader,) = assay.status().services
        assert (reader.fitted_labels, reader.expected_macro_mse) == (204, 1.8)
        assert reader.labels_to_halve is not None
        shown = assay.session.show([task.rows["id"][0]])
        assert "digit" not in shown["arm"].item()


def test_a_store_in_which_someone_labelled_is_kept(
    task: Task, history: History, tmp_path: Path
) -> None:
    store = write_demo_assay(task, history, tmp_path)
    with aa.Assay.open(store) as assay:
        assay.tell([task.rows["id"][500]], ["7"], "me")
    write_demo_assay(task, history, tmp_path)
    with aa.Assay.open(store) as assay:
        assert assay.status().annotators == {"demo": 4, "me": 1}


def test_a_task_without_images_has_none(task: Task, history: History, tmp_path: Path) -> None:
    assert write_demo_assay(replace(task, images=None), history, tmp_path) is None
    assert list(tmp_path.iterdir()) == []
