"""Short forms of what ``benchmarks/reliability`` runs at length."""

import threading
from collections.abc import Callable
from pathlib import Path

import labelling
import polars as pl
import pytest
from patience import PATIENCE_S

import accuracy_assay as aa


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "strain.assay")
    address: str = request.getfixturevalue("postgres_url")
    return address


@pytest.fixture
def begin(store: str, tmp_path: Path) -> Callable[..., pl.DataFrame]:
    """A function that makes a pool and creates the assay."""

    def start(n_rows: int, budget: int) -> pl.DataFrame:
        pool = labelling.make_pool(tmp_path / "pool.parquet", n_rows)
        spec = labelling.make_spec(tmp_path / "pool.parquet", budget)
        aa.Assay.create(store, spec).close()
        return pool

    return start


def test_kill_9_loses_no_acknowledged_label_and_asks_nothing_twice(
    store: str, begin: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    pool = begin(2000, 2000)
    killed = [
        labelling.run_and_kill(store, tmp_path / "pool.parquet", "ann", after_s)
        for after_s in labelling.kill_moments(5, 0.3, seed=0)
    ]
    with labelling.check_history(store, pool, killed) as assay:
        held = assay.pending("ann").height
        told = sum(len(one.told) for one in killed)
        assert assay.status().labels >= told > 0
        assert held <= 3
    # The next session takes up what the last one held, and the work goes on.
    with aa.Assay.open(store) as again:
        assert labelling.annotate(again, "ann", 3, 9, lambda _: None) == 9
        assert again.status().labels >= told + 9
        assert again.pending("ann").height == 0


def test_threads_and_processes_label_at_once(
    store: str, begin: Callable[..., pl.DataFrame], tmp_path: Path
) -> None:
    n_threads, n_processes, each = 10, 2, 10
    n_labels = (n_threads + n_processes) * each
    pool = begin(400, n_labels)
    processes = [
        labelling.start_annotator(store, tmp_path / "pool.parquet", f"process {i}", 5, each)
        for i in range(n_processes)
    ]
    labelling.let_go(processes)
    failures: list[BaseException] = []
    with aa.Assay.open(store) as shared:

        def work(number: int) -> None:
            try:
                labelling.annotate(shared, f"thread {number}", 5, each, lambda _: None)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(n_threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for process in processes:
        process.finish(PATIENCE_S)
        assert sum(line.startswith("told ") for line in process.lines()) == each
    assert failures == []
    with labelling.check_history(store, pool, []) as assay:
        status = assay.status()
        assert (status.labels, status.answers, status.asked) == (n_labels,) * 3
        assert set(status.annotators.values()) == {each}
        assert len(status.annotators) == n_threads + n_processes
