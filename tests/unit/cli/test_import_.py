import json
from pathlib import Path


def test_answers_need_a_spec_and_then_make_a_new_assay(assay, store: str, folder: Path) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    assert assay("export", store, "answers", "--out", "answers.csv").code == 0
    refused = assay("import", "new.assay", "answers.csv")
    assert refused.code == 2
    assert "Give --spec" in refused.err
    assert not (folder / "new.assay").exists()
    specs = sorted(folder.glob("*.toml"))
    answer = assay("import", "new.assay", "answers.csv", "--spec", specs[0].name)
    assert answer.code == 0, answer.err
    assert json.loads(assay("status", "new.assay", "--json").out)["labels"] == 30


def test_an_import_that_was_interrupted_is_repeated_and_ends_whole(
    assay, store: str, folder: Path
) -> None:
    for i in range(1, 7):
        who = "ann" if i % 2 else "bob"
        assert assay("tell", store, f"x{i}=cat", "--annotator", who).code == 0
    assert assay("export", store, "answers", "--out", "a.csv").code == 0
    whole = (folder / "a.csv").read_text().splitlines(keepends=True)
    words = ("import", "new.assay", "a.csv", "--spec", "assay.toml")
    (folder / "a.csv").write_text("".join(whole[:4]))  # as far as one that was killed came
    assert assay(*words).code == 0
    (folder / "a.csv").write_text("".join(whole))
    answer = assay(*words)
    assert answer.code == 0, answer.err
    assert "imported 3 answers" in answer.err
    (folder / "a.csv").write_text("".join(whole[:3]))
    answer = assay(*words)
    assert answer.code == 2
    assert "new name" in answer.err
