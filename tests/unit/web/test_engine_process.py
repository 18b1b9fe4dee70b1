"""An engine in a process of its own: it answers, survives, and ends."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_rows import make_pool

import accuracy_assay as aa
from accuracy_assay.errors import StoreError
from accuracy_assay.web.engine_process import Opened, ProcessEngine


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    make_pool().drop("picture").write_parquet(tmp_path / "pool.parquet")
    spec = {
        "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random"},
        "pool": {"path": str(tmp_path / "pool.parquet")},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"]},
    }
    aa.Assay.create(tmp_path / "pets.assay", spec).close()
    return Opened(str(tmp_path / "pets.assay"), "pets")


@pytest.fixture
def engine(opened: Opened) -> Iterator[ProcessEngine]:
    made = ProcessEngine(opened)
    yield made
    made.close()


def test_it_sees_what_this_process_tells_and_survives_being_killed(
    opened: Opened, engine: ProcessEngine
) -> None:
    assert len(engine.pick(3, ["x1"])) == 3
    assert engine.surface("reader") is None
    with aa.Assay.open(opened.store) as assay:
        assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
        engine.fit("reader", is_exact=True)
        assert engine.surface("reader").to_frame().equals(assay.surface().to_frame())
    os.kill(engine._child.pid, signal.SIGKILL)
    engine._child.wait()
    assert len(engine.pick(2, ())) == 2
    assert engine.surface("reader").n_labels == 2.0
    folder = Path(engine._folder.name)
    assert list(folder.iterdir()) == []
    engine.close()
    assert engine._child.returncode is not None
    assert not folder.exists()
    with pytest.raises(StoreError, match="has ended"):
        engine.pick(1, ())


def test_a_mistake_in_there_is_heard_of_here(opened: Opened, engine: ProcessEngine) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        engine.pick(1, ["nowhere"])
    assert len(engine.pick(1, ())) == 1


def test_an_assay_that_is_not_there_ends_it(opened: Opened) -> None:
    engine = ProcessEngine(Opened(opened.store, "another"))
    with pytest.raises(StoreError, match="has ended"):
        engine.pick(1, ())
    engine.close()
