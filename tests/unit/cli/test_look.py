"""``assay look`` says what a file is and names commands that run."""

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_logs import inspect_log, inspect_sample, write_eval

import accuracy_assay as aa
from accuracy_assay.domain.label_trust import LabelTrust


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of two services in a folder and with a column of odd names."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 400
    light = rng.choice(["day", "night"], n)
    truth = rng.choice(["a", "b"], n)
    good = np.where(rng.random(n) < np.where(light == "day", 0.95, 0.6), truth, "c")
    path = tmp_path / "my rows.csv"
    pl.DataFrame(
        {
            "id": np.arange(n),
            "light; of day": light,
            "age": rng.integers(18, 90, n),
            "label": truth,
            "pred:good one": good,
            "pred:bad": np.where(rng.random(n) < 0.5, truth, "c"),
        }
    ).write_csv(path)
    return path


def test_the_look_is_that_of_python_and_every_command_runs(assay, two: Path) -> None:
    answer = assay("look", two.name)
    assert answer.code == 0, answer.err
    assert answer.out.rstrip("\n") == str(aa.look(two.name))
    typed = [line.strip() for line in answer.out.splitlines() if line.startswith("  assay ")]
    assert len(typed) == 3
    for line in typed:
        word, *arguments = shlex.split(line)
        ran = assay(*arguments)
        assert (word, ran.code) == ("assay", 0), ran.err


def test_repeats_in_a_log_are_worth_less_than_as_many_items(assay, tmp_path: Path) -> None:
    samples = [
        inspect_sample(n, {"match": "CIP"[(n + epoch) % 3]}, epoch)
        for n in range(30)
        for epoch in (1, 2)
    ]
    path = write_eval(tmp_path / "a.eval", inspect_log(samples))
    seen = aa.look(path)
    assert seen.surface is not None
    assert (seen.surface.n_labels, seen.is_clustered) == (60, True)
    assert seen.surface.overall.mean == pytest.approx(0.5, abs=0.02)
    assert json.loads(assay("look", path, "--json").out)["is_clustered"] is True
    typed = seen.commands["The whole surface"]
    found = json.loads(assay(*shlex.split(typed)[1:], "--json").out)
    assert found["overall"]["mean"] == seen.surface.overall.mean


def test_programs_get_the_same_numbers(assay, two: Path) -> None:
    found = json.loads(assay("look", two, "--service", "bad", "--json").out)
    seen = aa.look(two, "bad")
    assert seen.surface is not None
    assert found["service"] == "bad"
    assert found["overall"]["mean"] == seen.surface.overall.mean
    assert found["columns"]["predictions"] == {"good one": "pred:good one", "bad": "pred:bad"}
    assert found["columns"]["truth"] == "label"
    assert [each["mean"] for each in found["services"]] == [each.mean for each in seen.scores]


def test_a_pool_without_labels_gets_the_command_that_writes_a_spec(assay, folder: Path) -> None:
    answer = assay("look", "pool.parquet")
    assert "No row has a label" in answer.out
    assert "assay init --from pool.parquet" in answer.out
    assert assay("init", "--from", "pool.parquet").code == 0


def test_a_surface_file_is_looked_at_as_it_is(assay, saved: Path) -> None:
    answer = assay("look", saved)
    assert answer.code == 0, answer.err
    overall = aa.AccuracySurface.load(saved).overall
    assert f"{overall.mean:.1%}" in answer.out
    assert "sex (2), age (3)" in answer.out
    assert json.loads(assay("look", saved, "--json").out)["overall"]["mean"] == overall.mean


def test_a_look_at_a_surface_says_how_far_its_labels_are_verified(
    assay, saved: Path, tmp_path: Path
) -> None:
    trust = LabelTrust(400, 9, 1200, 0, None, 0.2)
    path = tmp_path / "unverified.surface"
    aa.AccuracySurface.load(saved).with_details(**trust.details).save(path)
    assert str(trust) in assay("look", path).out
    assert json.loads(assay("look", path, "--json").out)["label_trust"]["differ"] == 0.2


def test_a_store_is_looked_at_by_its_labels(assay, store: str, folder: Path) -> None:
    assert assay("tell", store, "--file", "labels.csv").code == 0
    answer = assay("look", store)
    assert answer.code == 0, answer.err
    assert "the store of the assay 'pool'" in answer.out
    assert f"assay slices {store}" in answer.out


def test_of_several_services_in_a_store_one_is_looked_at(assay, two: Path, tmp_path: Path) -> None:
    rows = pl.read_csv(two)
    rows.write_parquet("pool.parquet")
    spec = {
        "pool": {"path": "pool.parquet", "id": "id"},
        "attribute": [{"name": "light; of day"}],
        "service": [{"name": name, "column": f"pred:{name}"} for name in ("bad", "good one")],
        "label": {"choices": ["a", "b", "c"]},
    }
    store = tmp_path / "two.assay"
    with aa.Assay.create(str(store), spec) as made:
        made.tell(rows["id"][:60], rows["label"][:60].to_list(), annotator="ann")
        wanted = {name: made.surface(name).overall.mean for name in ("bad", "good one")}
    for name, words in {"bad": (), "good one": ("--service", "good one")}.items():
        answer = assay("look", store, *words)
        assert answer.code == 0, answer.err
        assert f"service {name} of 2 (--service for another)" in answer.out
        assert f"{wanted[name]:.1%} (90% interval" in answer.out
        assert f"assay compare {store}" in answer.out


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.pdf", b"%PDF", "no log that a reader knows"),
        ("other.json", b'{"a": 1}', "no surface file"),
        ("bad.csv", b"", "at least one row"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_was_looked_for(
    assay, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    answer = assay("look", path)
    assert answer.code == 2
    assert said in answer.err


def test_what_does_not_exist_is_named(assay, tmp_path: Path) -> None:
    answer = assay("look", tmp_path / "nowhere.assay")
    assert answer.code == 2
    assert "must exist" in answer.err


def test_a_folder_without_anything_known_says_what_was_looked_for(assay, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    answer = assay("look", tmp_path / "empty")
    assert answer.code == 2
    assert "no folder of Parquet" in answer.err
    assert "lm-eval" in answer.err
