import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_logs import lm_eval_text, write_lm_eval

import accuracy_assay as aa
from accuracy_assay.spec.read import read_spec


def test_init_writes_a_spec_once(assay, folder: Path) -> None:
    answer = assay("init", "--from", "pool.parquet", "--json")
    assert (answer.code, json.loads(answer.out)["spec"]) == (0, "assay.toml")
    again = assay("init", "--from", "pool.parquet")
    assert again.code == 2
    assert "must be a new file" in again.err


def test_the_written_spec_names_the_pool_from_its_own_folder(assay, folder: Path) -> None:
    (folder / "specs").mkdir()
    assert assay("init", "--from", "pool.parquet", "--out", "specs/a.toml").code == 0
    assert '"../pool.parquet"' in (folder / "specs" / "a.toml").read_text()
    assert assay("init", "a.assay", "--spec", "specs/a.toml").code == 0
    with aa.Assay.open("a.assay") as made:
        assert made.pool.height == 80


def test_the_goal_is_written_and_a_mix_is_checked_when_the_assay_is_created(
    assay, folder: Path
) -> None:
    attribute = next(a.name for a in read_spec(_written(assay, folder)).attribute)
    (folder / "mix.csv").write_text(f"{attribute},weight\nno such value,1\n")
    options = ("--goal", "mix", "--mix", "mix.csv", "--out", "mixed.toml")
    assert assay("init", "--from", "pool.parquet", *options).code == 0
    refused = assay("init", "mixed.assay", "--spec", "mixed.toml")
    assert refused.code == 2
    assert "no such value" in refused.err
    assert not (folder / "mixed.assay").exists()


def _written(assay, folder: Path) -> Path:
    assert assay("init", "--from", "pool.parquet", "--goal", "overall").code == 0
    path = folder / "assay.toml"
    assert read_spec(path).assay.goal == "overall"
    return path


def test_what_was_created_is_said(assay, store: str) -> None:
    answer = assay("init", "other.assay", "--spec", "assay.toml", "--json")
    made = json.loads(answer.out)
    assert (made["assay"], made["instances"]) == ("pool", 80)
    assert "created assay 'pool' of 80 instances in other.assay" in made["message"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "got neither"),
        (("new.assay", "--from", "pool.parquet"), "got both"),
        (("new.assay",), "got no --spec"),
        (("new.assay", "--spec", "no.toml"), "existing file; got 'no.toml'"),
        (("my.assay", "--spec", "assay.toml"), "new name; got 'pool'"),
        (("--from", "pool.parquet", "--out", "no/a.toml"), "existing folder; got 'no'"),
        (("--from", "pool.parquet", "--out", "b.toml", "--goal", "best"), "got 'best'"),
        (("--from", "pool.parquet", "--out", "b.toml", "--goal", "mix"), "got --goal mix and no"),
        (("new.assay", "--spec", "assay.toml", "--goal", "worst"), "Write them under [assay]"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(
    assay, store: str, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    answer = assay("init", *arguments)
    assert answer.code == 2
    assert message in answer.err
    assert not (folder / "new.assay").exists()


def test_a_large_pool_has_a_progress_bar(
    assay, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = assay("init", "small.assay", "--spec", "assay.toml")
    monkeypatch.setattr("accuracy_assay.cli.init._LARGE_FILE", 1)
    large = assay("init", "large.assay", "--spec", "assay.toml")
    assert (small.code, large.code) == (0, 0)
    assert "preparing the pool" in large.err
    assert "preparing the pool" not in small.err


def test_a_log_becomes_a_table_beside_the_spec(assay, folder: Path) -> None:
    lines = [
        {
            "doc_id": k,
            "doc": {"question": f"what is the sum of {k} and one?", "level": f"L{k % 3}"},
            "target": "a",
            "filtered_resps": ["a" if k % 4 else "b"],
            "metrics": ["exact_match"],
            "doc_hash": f"h{k}",
            "exact_match": float(k % 4 > 0),
        }
        for k in range(60)
    ]
    log = folder / "acme" / "samples_sums_2025-01-02T03-04-05.jsonl"
    log.parent.mkdir()
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    answer = assay("init", "--from", log, "--out", "logged.toml", "--json")
    assert answer.code == 0, answer.err
    made = json.loads(answer.out)
    assert (made["pool"], made["services"]) == ("logged.pool.parquet", ["acme"])
    assert "1 attribute makes 3 arms" in made["message"]
    spec = read_spec(folder / "logged.toml")
    assert [a.name for a in spec.attribute] == ["level"]
    assert spec.label.show == {"text": "question"}
    assert assay("init", "logged.assay", "--spec", "logged.toml").code == 0
    (folder / "logged.toml").unlink()
    again = assay("init", "--from", log, "--out", "logged.toml")
    assert (again.code, (folder / "logged.toml").exists()) == (2, False)
    assert "must be a new file" in again.err


def test_the_pool_of_a_log_has_the_items_that_every_service_was_asked(assay, folder: Path) -> None:
    for model, n_items in (("small", 30), ("large", 20)):
        lines = [lm_eval_text(n, "x", "x", float(n % 3 > 0)) for n in range(n_items)]
        write_lm_eval(folder / "logs", model, "sums", lines)
    answer = assay("init", "--from", "logs", "--out", "two.toml")
    assert (answer.code, "10 items that some service was not asked" in answer.err) == (0, True)
    assert pl.read_parquet(folder / "two.pool.parquet").height == 20
    compared = assay("compare", "logs", "-a", "level")
    assert (compared.code, "10 items that some of these" in compared.err) == (0, True)


def test_a_spec_says_that_its_attribute_is_derived_from_a_text(assay, folder: Path) -> None:
    asked = [f"what is the name of place number {n}{' really' * (n % 9)}?" for n in range(60)]
    rows = pl.DataFrame({"id": range(60), "question": asked, "x_pred": ["a", "b"] * 30})
    rows.write_parquet(folder / "texts.parquet")
    answer = assay("init", "--from", "texts.parquet", "--out", "texts.toml")
    assert "so the spec derives one from 'question'" in answer.out


def test_a_table_of_answers_becomes_items_and_answers(assay, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], 60)
    of = np.repeat(np.arange(60), 3)
    pl.DataFrame(
        {
            "item": [f"i{k}" for k in of],
            "worker": [f"w{k}" for k in np.tile(np.arange(3), 60)],
            "answer": np.where(rng.random(180) < 0.8, truth[of], "b"),
            "pred": np.where(rng.random(60) < 0.9, truth, "a")[of],
            "light": rng.choice(["day", "night"], 60)[of],
            "gold": [str(truth[k]) if k < 20 else None for k in of],
        }
    ).write_parquet(tmp_path / "crowd.parquet")
    spec, store = tmp_path / "assay.toml", str(tmp_path / "my.assay")
    said = assay("init", "--from", str(tmp_path / "crowd.parquet"), "--out", str(spec)).out
    answers = tmp_path / "assay.answers.csv"
    assert str(answers) in said
    assert assay("init", store, "--spec", str(spec)).code == 0
    assert assay("tell", store, "--file", str(answers)).code == 0
    status = json.loads(assay("status", store, "--json").out)
    assert status["labels"] == 60
    assert status["annotators"] == {"gold": 20, "w0": 60, "w1": 60, "w2": 60}
    assert "(20 checked)" in status["label_trust"]
