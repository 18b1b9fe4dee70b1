"""The file of a certificate: what it says comes back, and a changed one does not."""

import json
from pathlib import Path

import numpy as np
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.errors import InputError


@pytest.fixture
def saved(rng: np.random.Generator, tmp_path: Path) -> tuple[aa.Certificate, Path]:
    found = aa.certify(
        certified_world(rng, 600, 200),
        ["topic", aa.Attribute("length", ("long", "short"))],
        "right",
        judge="llm",
        tolerance=0.05,
        settings={"prompt": "Is this answer right? " * 20, "temperature": 0},
        made="2026-05-01",
        signed_off_by="Ann",
    )
    found.save(tmp_path / "c.json")
    return found, tmp_path / "c.json"


def test_it_comes_back_as_it_was(saved: tuple[aa.Certificate, Path]) -> None:
    found, path = saved
    loaded = aa.Certificate.load(path)
    assert loaded == found
    assert str(loaded) == str(found)


def test_it_says_where_it_comes_from_and_keeps_no_prompt(
    saved: tuple[aa.Certificate, Path],
) -> None:
    found, path = saved
    said = json.loads(path.read_text())
    assert (said["made"], said["version"], said["labels"]) == (
        "2026-05-01",
        aa.__version__,
        200,
    )
    assert said["signed_off_by"] == "Ann"
    assert said["settings"]["temperature"] == "0"
    assert said["settings"]["prompt"].startswith("sha256:")
    assert said["verdict"] == found.verdict
    assert said["settings_digest"].startswith("sha256:")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda said: said | {"tolerance": 0.5}, "whose digest does not match"),
        (lambda said: {"format": "something"}, "a file that Certificate.save wrote"),
        (lambda said: said | {"format_version": 9}, "must be of format 1; got 9"),
    ],
)
def test_a_changed_file_is_refused(
    saved: tuple[aa.Certificate, Path], change, message: str
) -> None:
    path = saved[1]
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(InputError, match=message):
        aa.Certificate.load(path)


def test_a_missing_file_and_one_that_is_no_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a file that can be read"):
        aa.Certificate.load(tmp_path / "none.json")
    (tmp_path / "c.json").write_text("hello")
    with pytest.raises(InputError, match=r"a file that Certificate\.save wrote"):
        aa.Certificate.load(tmp_path / "c.json")
