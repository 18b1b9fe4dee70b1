"""What the quick ``assay tell`` takes, and what it leaves to the whole command."""

import sys
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.cli import main
from accuracy_assay.cli.quick_tell import _parse, tell_quickly


@pytest.fixture
def store(tmp_path: Path) -> str:
    pool = tmp_path / "pool.csv"
    pl.DataFrame({"id": ["a=b", "x2"], "sex": ["f", "m"], "guess": ["cat", "dog"]}).write_csv(pool)
    spec = {
        "pool": {"path": str(pool)},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"]},
    }
    path = str(tmp_path / "s.assay")
    aa.Assay.create(path, spec).close()
    return path


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["s"],
        ["s", "x1"],
        ["s", "=cat"],
        ["s", "x1=cat", "--file", "a.csv"],
        ["s", "--undo"],
        ["s", "x1=cat", "--skip", "x2"],
        ["s", "x1=cat", "--confirm", "sex=f"],
        ["s", "x1=cat", "--annotator"],
        ["s", "x1=cat", "--pool", "p.csv"],
        ["s", "x1=cat", "--help"],
        ["s", "x1=cat", "--", "x2=dog"],
        ["s", "x1=cat", "--replace=yes"],
    ],
)
def test_other_words_are_left_to_the_whole_command(words: list[str]) -> None:
    assert _parse(words) is None
    assert not tell_quickly(words)


def test_words_are_read_as_the_whole_command_reads_them() -> None:
    typed = _parse(["--annotator=ann", "s", "a=b=cat", "--name", "n", "x2=", "--replace"])
    assert typed is not None
    assert (typed.store, typed.annotator, typed.name) == ("s", "ann", "n")
    assert typed.answers == [("a=b", "cat"), ("x2", "")]
    assert typed.is_replacing
    assert not typed.as_json


def test_a_database_or_a_missing_file_is_left_to_the_whole_command(tmp_path: Path) -> None:
    assert not tell_quickly(["postgresql://host/x", "x1=cat"])
    assert not tell_quickly([str(tmp_path / "none"), "x1=cat"])


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["assay", *words])
    main()


def test_the_command_prints_what_came_of_it(
    store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "tell", store, "a=b=cat")
    run(monkeypatch, "tell", store, "a=b=cat", "x2=dog", "--json")
    out = capsys.readouterr().out
    first, rest = out.split("\n", 1)
    assert first == "1 new answer; 1 instance labelled, 0 of a budget of 1,000 used"
    assert rest == '{\n "new": 1,\n "undone": [],\n "labels": 2\n}\n'


def test_a_mistake_leaves_with_one_line(
    store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        run(monkeypatch, "tell", store, "x2=cow")
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("error: label for instance 'x2' must be one of")


def test_an_assay_from_elsewhere_needs_trust(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with aa.Assay.open(store) as assay:
        assay.edit({"service": [{"name": "own", "callable": "statistics:mean"}]})
    aa.Assay.open(store).close()
    assert not tell_quickly([store, "x2=dog"])
    from accuracy_assay.cli.trust import trust

    with aa.Assay.open(store) as assay:
        trust(store, assay.spec)
    assert tell_quickly([store, "x2=dog"])
