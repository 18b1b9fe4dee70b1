"""A day with a team on the command line."""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    n = 80
    truth = rng.choice(["cat", "dog"], n)
    pool = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n)],
            "sex": rng.choice(["f", "m"], n),
            "file": [f"{i}.wav" for i in range(n)],
            "good_pred": np.where(rng.random(n) < 0.9, truth, "cat"),
        }
    )
    pool.write_parquet(tmp_path / "pool.parquet")
    pl.DataFrame({"id": pool["id"], "label": truth}).write_csv(tmp_path / "labels.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def store(assay, folder: Path) -> str:
    assay("init", "--from", "pool.parquet")
    spec = folder / "assay.toml"
    text = spec.read_text().replace("anova-gp", "beta-independent").replace("1000", "30")
    spec.write_text(text.replace("variance-reduction", "random"))
    assert assay("init", "my.assay", "--spec", "assay.toml").code == 0
    return "my.assay"


def test_init_writes_a_spec_once(assay, folder: Path) -> None:
    answer = assay("init", "--from", "pool.parquet", "--json")
    assert (answer.code, json.loads(answer.out)["spec"]) == (0, "assay.toml")
    again = assay("init", "--from", "pool.parquet")
    assert again.code == 2
    assert "must be a new file" in again.err


def test_two_annotators_ask_and_tell(assay, store: str) -> None:
    given = {}
    for who in ("ann", "bob"):
        batch = json.loads(assay("ask", store, 4, "--annotator", who, "--json").out)
        given[who] = [row["id"] for row in batch]
        assert set(batch[0]) == {"id", "file", "arm", "why"}
    assert not set(given["ann"]) & set(given["bob"])
    told = assay(
        "tell", store, *(f"{i}=cat" for i in given["ann"]), "--annotator", "ann", "--json"
    )
    assert json.loads(told.out) == {"new": 4, "undone": [], "labels": 4}
    held = json.loads(assay("ask", store, "--annotator", "bob", "--pending", "--json").out)
    assert [row["id"] for row in held] == given["bob"]


def test_a_contradiction_is_the_users_mistake(assay, store: str) -> None:
    assert assay("tell", store, "x1=cat", "--annotator", "ann").code == 0
    answer = assay("tell", store, "x1=dog", "--annotator", "ann")
    assert answer.code == 2
    assert "must stay 'cat'" in answer.err
    assert "--replace" in answer.err
    assert assay("tell", store, "x1=dog", "--annotator", "ann", "--replace").code == 0


def test_undo_skip_and_confirm(assay, store: str) -> None:
    assay("tell", store, "x1=cat", "--confirm", "sex=f")
    answer = assay("tell", store, "--undo", "--skip", "x2", "--json")
    assert json.loads(answer.out) == {"new": 0, "undone": ["x1"], "labels": 0}
    status = json.loads(assay("status", store, "--json").out)
    assert (status["labels"], status["skipped"], status["held"]) == (0, 1, 1)


def test_a_file_goes_out_and_comes_back(assay, store: str, folder: Path) -> None:
    assert assay("ask", store, 5, "--out", "tasks.csv").code == 0
    tasks = pl.read_csv(folder / "tasks.csv")
    assert "good_pred" not in tasks.columns
    tasks.with_columns(label=pl.lit("dog")).write_csv(folder / "tasks.csv")
    answer = assay("tell", store, "--file", "tasks.csv", "--annotator", "ann")
    assert answer.out.startswith("5 new answers; 5 instances labelled, 5 of 30")


def test_a_labelled_file_is_replayed_to_the_end_of_the_budget(assay, store: str) -> None:
    status = json.loads(assay("run", store, "--answers", "labels.csv", "--json").out)
    assert (status["labels"], status["asked"], status["spent"]) == (30, 30, 30)
    assert assay("run", store, "--answers", "labels.csv").code == 0
    text = assay("status", store).out
    assert "30 of 80 instances labelled" in text
    answer = assay("surface", store, "--service", "good", "--out", "s.surface", "--json")
    assert len(json.loads(answer.out)) == 2
    assert assay("query", "s.surface", "sex=f").code == 0
    assert "nothing to ask for" in assay("ask", store).out


def test_a_function_of_the_folder_is_a_service(
    assay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (folder / "own_reader_of_this_test.py").write_text(
        "def read(rows):\n    return ['cat' if r['sex'] == 'f' else 'dog' for r in rows]\n"
    )
    (folder / "own.toml").write_text(
        '[assay]\nestimator = "constant"\nstrategy = "random"\n[pool]\npath = "pool.parquet"\n'
        '[[attribute]]\nname = "sex"\n[[service]]\nname = "own"\nprice = 0.5\n'
        'callable = "own_reader_of_this_test:read"\n'
    )
    assert assay("init", "own.assay", "--spec", "own.toml").code == 0
    status = json.loads(assay("run", "own.assay", "--json").out)
    assert status["services"][0]["predicted"] == 80
    assert status["services"][0]["cost"] == 40.0


def test_disagreements_are_shown(assay, store: str) -> None:
    assay("tell", store, "x1=cat", "--annotator", "ann")
    assay("tell", store, "x1=dog", "--annotator", "bob")
    status = json.loads(assay("status", store, "--json").out)
    assert [d["id"] for d in status["disagreements"]] == ["x1"]
    assert "cat: 1, dog: 1" in assay("status", store).out


def test_exact_attributes_need_no_calibration(assay, store: str) -> None:
    assert "nothing to calibrate" in assay("calibrate", store).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("status", "none.assay"), "existing file; got 'none.assay'"),
        (("status", "mysql://host/db"), "store must be one of"),
        (("status", "my.assay", "--name", "other"), "assay must be one of [pool]"),
        (("tell", "my.assay"), "must have answers"),
        (("tell", "my.assay", "x1"), "must read id=label; got 'x1'"),
        (("tell", "my.assay", "x1=cta"), "got 'cta'. Did you mean 'cat'?"),
        (("tell", "my.assay", "--file", "told.csv"), "existing file; got 'told.csv'"),
        (("ask", "my.assay", "--", "-1"), "n must be at least 0; got -1"),
        (("init",), "got neither"),
        (("init", "new.assay"), "got no --spec"),
        (("init", "new.assay", "--spec", "no.toml"), "existing file; got 'no.toml'"),
        (("init", "my.assay", "--spec", "assay.toml"), "new name; got 'pool'"),
        (("surface", "my.assay", "--score", "x"), "must follow its spec"),
        (("surface", "labels.csv"), "must have --attribute"),
        (("surface", "my.assay", "--service", "god"), "Did you mean 'good'?"),
    ],
)
def test_mistakes_have_one_line_and_exit_code_two(
    assay, store: str, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    answer = assay(*arguments)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err
    assert not (folder / "new.assay").exists()


def test_a_store_that_is_away_is_no_mistake_of_the_user(assay) -> None:
    answer = assay("status", "postgresql://ann:hunter2@127.0.0.1:1/none")
    assert answer.code == 1
    assert "hunter2" not in answer.err
