import sys
from pathlib import Path

import pytest

import accuracy_assay as aa

SPEC = """
[assay]
estimator = "constant"
strategy = "random"
[pool]
path = "pool.parquet"
[[attribute]]
name = "sex"
[[service]]
name = "own"
callable = "reader_for_trust:read"
"""


@pytest.fixture
def made(assay, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An assay that imports code, made on this machine."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "here"))
    (folder / "reader_for_trust.py").write_text(
        "def read(rows):\n    return ['cat'] * len(rows)\n"
    )
    (folder / "own.toml").write_text(SPEC)
    assert assay("init", "own.assay", "--spec", "own.toml").code == 0
    return "own.assay"


def test_an_assay_made_here_is_trusted(assay, made: str) -> None:
    assert assay("status", made).code == 0


def test_one_from_elsewhere_is_refused_until_it_is_agreed_to_once(
    assay, made: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "elsewhere"))
    refused = assay("run", made)
    assert refused.code == 2
    assert "imports reader_for_trust:read" in refused.err
    assert "reader_for_trust" not in sys.modules
    assert assay("--trust", "run", made).code == 0
    assert assay("status", made).code == 0


def test_what_others_let_it_reach_is_asked_for_again(assay, made: str) -> None:
    mine = {"service": [{"name": "own", "callable": "other_reader_for_trust:read"}]}
    with aa.Assay.open(made) as session:  # a colleague, in Python
        session.edit(mine)
    assert assay("status", made).code == 2
    assert assay("--trust", "status", made).code == 0
    assert assay("edit", made, "--set", "service.own.callable=reader_for_trust:read").code == 0
    assert assay("status", made).code == 0


def test_a_tagger_of_texts_is_imported_only_where_it_is_agreed_to(
    assay, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "here"))
    (folder / "tagger_for_trust.py").write_text(
        "from pathlib import Path\n"
        "def mood(texts):\n"
        "    Path('called').touch()\n"
        "    return {'good': [0.75] * len(texts), 'bad': [0.25] * len(texts)}\n"
    )
    mood = '[[attribute]]\nname = "mood"\nfrom_text = "sex"\nfeature = "tagger_for_trust:mood"\n'
    (folder / "own.toml").write_text(SPEC.replace("reader_for_trust", "json") + mood)
    assert assay("init", "own.assay", "--spec", "own.toml").code == 0
    (folder / "called").unlink()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "elsewhere"))
    monkeypatch.delitem(sys.modules, "tagger_for_trust")
    refused = assay("status", "own.assay")
    assert refused.code == 2
    assert "imports tagger_for_trust:mood" in refused.err
    assert "tagger_for_trust" not in sys.modules
    assert assay("--trust", "status", "own.assay").code == 0
    assert not (folder / "called").exists()  # what it said is kept beside the store
