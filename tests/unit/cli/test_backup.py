import json
from pathlib import Path


def test_a_store_is_copied_and_restored(assay, store: str, folder: Path) -> None:
    assay("tell", store, "x1=cat")
    answer = assay("backup", store, "--out", "copy.assay")
    assert answer.code == 0, answer.err
    assert "1 labels (2 events) to copy.assay" in answer.err
    assay("tell", store, "x2=cat")
    answer = assay("backup", "copy.assay", "--out", store)
    assert answer.code == 2
    assert "--replace" in answer.err
    assert assay("backup", "copy.assay", "--out", store, "--replace").code == 0
    assert json.loads(assay("status", store, "--json").out)["labels"] == 1


def test_a_database_is_copied_to_a_file_and_back(
    assay, store: str, postgres_url: str, folder: Path
) -> None:
    assay("tell", store, "x1=cat")
    assert assay("backup", store, "--out", postgres_url).code == 0
    answer = assay("backup", postgres_url, "--out", "copy.assay", "--json")
    found = json.loads(answer.out)
    assert (found["labels"], found["events"], found["file"]) == (1, 2, "copy.assay")
    assert assay("tell", "copy.assay", "x2=dog").code == 0


def test_mistakes_are_named(assay, store: str, folder: Path) -> None:
    for words, said in (
        (("backup", store, "--out", store), "an input of this command"),
        (("backup", store, "--out", "no/such/copy.assay"), "no/such"),
        (("backup", "none.assay", "--out", "copy.assay"), "none.assay"),
        (("backup", store, "--out", "labels.csv"), "the ending of a"),
    ):
        answer = assay(*words)
        assert answer.code == 2, words
        assert said in answer.err
