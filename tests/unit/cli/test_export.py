import json
import sqlite3
from pathlib import Path

import polars as pl


def test_answers_are_saved_without_the_pool(assay, store: str, folder: Path) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    (folder / "pool.parquet").unlink()
    answer = assay("export", store, "answers", "--out", "answers.csv")
    assert answer.code == 0, answer.err
    saved = pl.read_csv(folder / "answers.csv")
    assert saved.height == 30
    assert saved["annotator"].unique().to_list() == ["file"]


def test_events_go_into_a_new_store(assay, store: str) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    assert assay("export", store, "events", "--out", "events.jsonl").code == 0
    assert assay("import", "copy.assay", "events.jsonl").code == 0
    old, new = (json.loads(assay("status", s, "--json").out) for s in (store, "copy.assay"))
    assert {**new, "services": None} == {**old, "services": None}


def test_of_a_damaged_store_the_good_part_is_saved(assay, store: str, folder: Path) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    with sqlite3.connect(folder / store) as database:
        (payload,) = database.execute("select payload from assay_events where seq = 4").fetchone()
        database.execute("update assay_events set payload = ? where seq = 4", (payload + " ",))
    assert assay("status", store).code != 0
    answer = assay("export", store, "events", "--out", "good.csv")
    assert answer.code == 0, answer.err
    assert "damaged" in answer.err
    saved = pl.read_csv(folder / "good.csv")["seq"].to_list()
    assert saved == [1, 2, 3, *range(5, saved[-1] + 1)]
    assert assay("export", store, "labels", "--out", "labels_saved.csv").code == 0
    assert pl.read_csv(folder / "labels_saved.csv").height == 30


def test_no_export_holds_a_bare_formula_and_it_comes_back(assay, store: str, folder: Path) -> None:
    evil = "=cmd|' /C calc'!A0"
    assert assay("tell", store, "x1=cat", "--annotator", evil).code == 0
    assert assay("export", store, "answers", "--out", "a.csv").code == 0
    text = (folder / "a.csv").read_text()
    assert f"'{evil}" in text
    assert f",{evil}" not in text
    assert assay("import", "new.assay", "a.csv", "--spec", "assay.toml").code == 0
    status = json.loads(assay("status", "new.assay", "--json").out)
    assert status["annotators"] == {evil: 1}


def test_mistakes_are_named(assay, store: str) -> None:
    for arguments, message in (
        (("export", store, "lables", "--out", "x.csv"), "Did you mean 'labels'?"),
        (("export", store, "labels", "--out", "x.doc"), ".doc"),
        (("export", store, "labels", "--out", "no/such/x.csv"), "no/such"),
        (("export", "none.assay", "labels", "--out", "x.csv"), "none.assay"),
    ):
        answer = assay(*arguments)
        assert answer.code == 2, arguments
        assert message in answer.err
        assert "Traceback" not in answer.err


def test_json_counts_what_was_written(assay, store: str) -> None:
    assay("tell", store, "x1=cat")
    found = json.loads(assay("export", store, "labels", "--out", "l.csv", "--json").out)
    assert found == {"file": "l.csv", "rows": 1, "is_damaged": False}
    assay("export", store, "events", "--out", "e.jsonl")
    taken = json.loads(assay("import", "copy.assay", "e.jsonl", "--json").out)
    assert taken["events"] == 2
