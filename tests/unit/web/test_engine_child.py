"""The process that fits: requests in, one line each out."""

import json
from pathlib import Path

import pytest

import accuracy_assay as aa
from accuracy_assay.web.engine_child import answer


@pytest.fixture
def assay(room) -> aa.Assay:
    room.assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    return room.assay


def test_picks_can_be_written_as_json(assay: aa.Assay) -> None:
    found = answer(assay, {"id": 1, "do": "pick", "n": 3, "besides": ["x5"]})
    picks = json.loads(json.dumps(found))["picks"]
    assert len(picks) == 3
    assert set(picks[0]) == {"instance", "reason", "probability", "least", "services"}
    assert "x5" not in [pick["instance"] for pick in picks]


def test_surfaces_are_handed_over_as_files(assay: aa.Assay, tmp_path: Path) -> None:
    request = {"do": "fit", "service": "reader", "is_exact": True, "folder": str(tmp_path)}
    path = answer(assay, {"id": 7, **request})["surface"]
    assert aa.AccuracySurface.load(path).to_frame().equals(assay.surface().to_frame())
    assert Path(path).parent == tmp_path
    assert answer(assay, {"id": 8, **request, "service": "nobody"}) == {"surface": None}
