from pathlib import Path


def test_a_card_is_written_beside_metadata(assay, saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "card.md"
    answer = assay("card", saved, "--out", out, "--model", "reader", "--task", "asr")
    assert answer.code == 0, answer.err
    assert str(out) in answer.err
    text = out.read_text()
    assert text.startswith('---\nmodel-index:\n- name: "reader"\n')
    assert assay("card", saved, "--model", "reader", "--task", "asr").out == text


def test_an_assay_has_a_card_named_by_its_service(assay, store: str) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    answer = assay("card", store)
    assert answer.code == 0, answer.err
    assert answer.out.startswith('---\nmodel-index:\n- name: "good"\n')
    assert "fingerprint of the pool" in answer.out


def test_mistakes_are_named(assay, saved: Path) -> None:
    assert assay("card", saved, "--out", saved).code == 2
    answer = assay("card", saved, "--service", "x")
    assert answer.code == 2
    assert "and --service" in answer.err
