"""A fitter in a process of its own: it answers, survives, and ends."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_rows import make_pool

import accuracy_assay as aa
from accuracy_assay.errors import StoreError
from accuracy_assay.web.fitting_process import FittingProcess, answer


@pytest.fixture
def store(tmp_path: Path) -> str:
    make_pool().drop("picture").write_parquet(tmp_path / "pool.parquet")
    spec = {
        "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random"},
        "pool": {"path": str(tmp_path / "pool.parquet")},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"]},
    }
    aa.Assay.create(tmp_path / "pets.assay", spec).close()
    return str(tmp_path / "pets.assay")


@pytest.fixture
def fitter(store: str) -> Iterator[FittingProcess]:
    made = FittingProcess(store, "pets")
    yield made
    made.close()


def test_it_sees_what_this_process_tells_and_survives_being_killed(
    store: str, fitter: FittingProcess
) -> None:
    assert len(fitter.pick(3, ["x1"])) == 3
    assert fitter.surface("reader") is None
    with aa.Assay.open(store) as assay:
        assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
        fitter.fit("reader", is_exact=True)
        assert fitter.surface("reader").to_frame().equals(assay.surface().to_frame())
    os.kill(fitter._child.pid, signal.SIGKILL)
    fitter._child.wait()
    assert len(fitter.pick(2, ())) == 2
    assert fitter.surface("reader").n_labels == 2.0
    folder = Path(fitter._folder.name)
    assert list(folder.iterdir()) == []
    fitter.close()
    assert fitter._child.returncode is not None
    assert not folder.exists()
    with pytest.raises(StoreError, match="has ended"):
        fitter.pick(1, ())


def test_an_error_in_the_child_is_raised_here(fitter: FittingProcess) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        fitter.pick(1, ["nowhere"])
    assert len(fitter.pick(1, ())) == 1


def test_a_missing_assay_ends_it(store: str) -> None:
    fitter = FittingProcess(store, "another")
    with pytest.raises(StoreError, match="has ended"):
        fitter.pick(1, ())
    fitter.close()


@pytest.fixture
def assay(served) -> aa.Assay:
    served.assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    return served.assay


def test_picks_can_be_written_as_json(assay: aa.Assay) -> None:
    found = answer(assay, {"id": 1, "do": "pick", "n": 3, "besides": ["x5"]})
    picks = json.loads(json.dumps(found))["picks"]
    assert len(picks) == 3
    assert set(picks[0]) == {
        *("question", "reason", "probability", "least", "at_random", "services", "purpose")
    }
    assert "x5" not in [pick["question"]["instance"] for pick in picks]


def test_surfaces_are_passed_as_files(assay: aa.Assay, tmp_path: Path) -> None:
    request = {"do": "fit", "service": "reader", "is_exact": True, "folder": str(tmp_path)}
    path = answer(assay, {"id": 7, **request})["surface"]
    assert aa.AccuracySurface.load(path).to_frame().equals(assay.surface().to_frame())
    assert Path(path).parent == tmp_path
    assert answer(assay, {"id": 8, **request, "service": "nobody"}) == {"surface": None}
