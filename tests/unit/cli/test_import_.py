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
