import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl


def test_a_whole_store_is_said_to_be_whole(assay, store: str) -> None:
    assay("tell", store, "x1=cat")
    answer = assay("verify", store)
    assert answer.code == 0
    assert "whole; 1 labels, 2 events as they were written" in answer.out


def test_an_older_store_is_refused_by_every_command_until_it_is_accepted(
    assay, store: str, folder: Path
) -> None:
    assay("tell", store, "x1=cat")
    shutil.copy(store, "old.assay")
    assay("tell", store, "x2=cat", "x3=dog")
    for words in (
        ("status", "old.assay"),
        ("tell", "old.assay", "x4=cat"),
        ("ask", "old.assay", "1"),
        ("backup", "old.assay", "--out", "copy.assay"),
        ("verify", "old.assay"),
    ):
        answer = assay(*words)
        assert answer.code == 1, words
        said = " ".join((answer.out + answer.err).split())
        assert "2 labels (1 event) newer than this file are known here" in said
        assert "assay verify STORE --accept-older" in said
    answer = assay("export", "old.assay", "labels", "--out", "old.csv")
    assert answer.code == 0
    assert "not whole" in answer.err
    assert pl.read_csv("old.csv").height == 1
    answer = assay("verify", "old.assay", "--accept-older")
    assert answer.code == 0, answer.out
    assert "accepted as it is" in answer.out
    assert assay("tell", "old.assay", "x4=cat").code == 0
    assert json.loads(assay("status", "old.assay", "--json").out)["labels"] == 2
    assert json.loads(assay("status", store, "--json").out)["labels"] == 3


def test_of_a_store_without_its_version_everything_is_saved(
    assay, store: str, folder: Path
) -> None:
    assay("tell", store, "x1=cat")
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DELETE FROM assay_schema")
        connection.commit()
    answer = assay("status", store)
    assert answer.code == 1
    assert "assay_schema" in answer.err
    assert "internal error" not in answer.err
    found = json.loads(assay("verify", store, "--json").out)
    assert [each["events"] for each in found["assays"]] == [2]
    assert assay("export", store, "events", "--out", "saved.jsonl").code == 0
    assert assay("import", "new.assay", "saved.jsonl").code == 0
    assert json.loads(assay("status", "new.assay", "--json").out)["labels"] == 1
