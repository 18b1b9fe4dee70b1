"""The history as tables, and back into another store."""

import json
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import read_texts, write_table
from accuracy_assay.session.export import export_frame, import_answers, import_events
from accuracy_assay.storage.memory import MemoryStore


def labelled(bench) -> aa.Assay:
    assay = bench.create(label={"choices": ["cat", "dog"], "annotators": 2})
    ids = assay.ask(5, annotator="ann")["id"].to_list()
    bench.clock.now += 10
    assay.tell(ids, ["cat"] * 5, "ann", confirmed_attributes=[{"sex": "f"}] * 5, seconds=[1.5] * 5)
    assay.tell(ids[:2], ["dog"] * 2, "bob")
    assay.tell(ids[0], "dog", "ann", replace=True)
    assay.undo("bob")
    return assay


def test_answers_tell_who_when_under_which_lease_and_whether_they_stand(bench) -> None:
    assay = labelled(bench)
    answers = export_frame(assay.session.events(), "answers")
    assert answers.height == 8
    assert answers["is_standing"].to_list() == [False, *[True] * 4, True, False, True]
    first = answers.row(0, named=True)
    assert (first["annotator"], first["label"], first["seconds"]) == ("ann", "cat", 1.5)
    assert json.loads(first["attributes"]) == {"sex": "f"}
    assert first["at"] - first["asked_at"] == 10.0
    assert first["lease_until"] == first["asked_at"] + 1800.0
    assert answers.filter(pl.col("annotator") == "bob")["asked_at"].null_count() == 2


def test_labels_are_those_of_the_session(bench) -> None:
    assay = labelled(bench)
    assert export_frame(assay.session.events(), "labels").equals(assay.labels())


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_events_make_the_same_assay_in_another_store(bench, tmp_path: Path, ending: str) -> None:
    assay = labelled(bench)
    path = tmp_path / f"events{ending}"
    write_table(export_frame(assay.session.events(), "events"), path)
    store = MemoryStore(bench.clock)
    name = import_events(store, read_texts(path))
    again = aa.Assay.open(store, name, pool=bench.pool, clock=bench.clock)
    assert [r.event for r in again.session.events()] == [r.event for r in assay.session.events()]
    assert again.labels().equals(assay.labels())
    assert again.surface("good").to_frame().equals(assay.surface("good").to_frame())


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_standing_answers_make_the_same_labels_in_a_new_assay(
    bench, tmp_path: Path, ending: str
) -> None:
    assay = labelled(bench)
    path = tmp_path / f"answers{ending}"
    write_table(export_frame(assay.session.events(), "answers"), path)
    store = MemoryStore(bench.clock)
    fresh = aa.Assay.create(store, assay.spec, pool=bench.pool, clock=bench.clock)
    assert import_answers(fresh, read_texts(path)) == 6
    # They were not asked for here, so they have no chance here.
    found, expected = (each.labels().drop("chance", "at_random") for each in (fresh, assay))
    assert found.sort("id").equals(expected.sort("id"))
    assert fresh.surface("good").to_frame().equals(assay.surface("good").to_frame())


def test_what_is_no_export_is_refused(bench) -> None:
    assay = labelled(bench)
    with pytest.raises(UnknownNameError, match="Did you mean 'labels'"):
        export_frame(assay.session.events(), "label")
    events = export_frame(assay.session.events(), "events")
    with pytest.raises(InputError, match="must begin with the opening of an assay; got Asked"):
        import_events(MemoryStore(), events[1:])
    with pytest.raises(UnknownNameError, match="column of answers"):
        import_answers(assay, pl.DataFrame({"id": ["x1"]}))
