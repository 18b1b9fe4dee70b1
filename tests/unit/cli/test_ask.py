import json
import os
from pathlib import Path

import polars as pl
import pytest


def test_two_annotators_get_different_instances(assay, store: str) -> None:
    given = {}
    for who in ("ann", "bob"):
        batch = json.loads(assay("ask", store, 4, "--annotator", who, "--json").out)
        given[who] = [row["id"] for row in batch]
        assert set(batch[0]) == {"id", "file", "arm", "why"}
    assert not set(given["ann"]) & set(given["bob"])


def test_pending_shows_again_what_is_held_and_asks_for_nothing(assay, store: str) -> None:
    given = [row["id"] for row in json.loads(assay("ask", store, 4, "--json").out)]
    for _ in range(2):
        held = json.loads(assay("ask", store, "--pending", "--json").out)
        assert [row["id"] for row in held] == given


def test_a_file_of_tasks_hides_predictions_unless_told_to_show_them(
    assay, store: str, folder: Path
) -> None:
    hidden = assay("ask", store, 3, "--out", "tasks.csv")
    assert hidden.code == 0, hidden.err
    assert "wrote 3 tasks to tasks.csv" in hidden.err
    assert "good_pred" not in pl.read_csv(folder / "tasks.csv").columns
    assert assay("ask", store, 3, "--out", "seen.csv", "--show-predictions").code == 0
    shown = set(pl.read_csv(folder / "seen.csv").columns)
    assert shown > set(pl.read_csv(folder / "tasks.csv").columns)


def test_people_see_a_table_and_are_told_when_there_is_nothing(assay, store: str) -> None:
    assert ".wav" in assay("ask", store, 2).out
    assert "nothing to ask for" in assay("ask", store, 0).out


def test_a_negative_number_is_refused(assay, store: str) -> None:
    answer = assay("ask", store, "--", "-1")
    assert answer.code == 2
    assert "got -1" in answer.err


@pytest.mark.parametrize("out", ["none/tasks.csv", "tasks.docx", ".", os.devnull, "pool.parquet"])
def test_a_file_that_cannot_be_written_leases_nothing(assay, store: str, out: str) -> None:
    answer = assay("ask", store, 3, "--out", out)
    assert answer.code == 2
    assert "Traceback" not in answer.err
    status = json.loads(assay("status", store, "--json").out)
    assert (status["held"], status["spent"], status["asked"]) == (0, 0, 0)


def test_people_see_the_choices_and_what_to_type_next(assay, store: str) -> None:
    said = assay("ask", store, 2, "--annotator", "ann lee").err
    assert "choices: cat, dog" in said
    assert "assay tell my.assay x" in said
    assert "assay label my.assay --annotator 'ann lee'" in said
    written = assay("ask", store, 2, "--out", "tasks.csv").err
    assert "assay tell my.assay --file tasks.csv" in written
