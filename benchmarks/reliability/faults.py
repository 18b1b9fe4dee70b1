"""Faults around an assay: a full disk, a database that is away, a service that misbehaves."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import labelling
from http_endpoint import Call, Reply, endpoint
from postgres_server import PostgresServer

import accuracy_assay as aa
from accuracy_assay.errors import ServiceError, StoreError

Row = dict[str, Any]


def disk_full(folder: Path) -> Row:
    """Fill a small file system under a SQLite store, see the message, make room, go on."""
    disk = folder / "small-disk"
    disk.mkdir()
    _mount(disk, "1m")
    path = folder / "pool-disk.parquet"
    pool = labelling.make_pool(path, 60_000)
    store = str(disk / "full.assay")
    told: list[str] = []
    assay = aa.Assay.create(store, labelling.make_spec(path, pool.height))
    try:
        message = ""
        truth = dict(pool.select("id", "truth").iter_rows())
        try:
            for instance in pool["id"]:
                assay.tell(instance, truth[instance], "ann")
                told.append(instance)
        except StoreError as error:
            message = str(error)
        assert "is full: make room" in message, message
        n_before = len(told)
        with aa.Assay.open(store) as reader:
            assert reader.labels()["id"].to_list() == told, "an acknowledged label was lost"
        _remount(disk, "8m")
        for instance in pool["id"][n_before : n_before + 100]:
            assay.tell(instance, truth[instance], "ann")
            told.append(instance)
    finally:
        assay.close()
    with aa.Assay.open(store) as again:
        assert again.labels()["id"].to_list() == told
    _unmount(disk)
    return {
        "part": "disk full",
        "store": "sqlite",
        "told_before": n_before,
        "lost": 0,
        "told_after_room_was_made": 100,
        "message": f"`{message.replace(str(disk), '...')}`",
    }


def database_away(server: PostgresServer, store: str, folder: Path, away_s: float) -> Row:
    """Crash the server under annotators and start it again after a while."""
    path = folder / "pool-away.parquet"
    pool = labelling.make_pool(path, 2_000)
    n_annotators, each = 8, 50
    aa.Assay.create(store, labelling.make_spec(path, n_annotators * each)).close()
    told: list[tuple[float, str]] = []
    failures: list[BaseException] = []

    def annotate(number: int) -> None:
        def say(line: str) -> None:
            told.append((time.perf_counter(), line))
            time.sleep(0.01)

        try:
            with aa.Assay.open(store) as assay:
                labelling.annotate(assay, f"annotator {number}", 5, each, say)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=annotate, args=(i,)) for i in range(n_annotators)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    server.halt()
    down = time.perf_counter()
    time.sleep(away_s)
    up = time.perf_counter()
    server.resume()
    for thread in threads:
        thread.join()
    assert failures == [], failures
    n_after = sum(at > up and line.startswith("told") for at, line in told)
    first_after = min(at for at, line in told if at > up)
    with labelling.check_history(store, pool, []) as assay:
        status = assay.status()
    assert status.labels == status.asked == n_annotators * each
    assert set(status.annotators.values()) == {each}
    return {
        "part": "database away",
        "store": "postgresql",
        "seconds_away": round(up - down, 1),
        "labels": status.labels,
        "told_after": n_after,
        "lost": 0,
        "doubled": 0,
        "errors": 0,
        "seconds_until_work_went_on": round(first_after - up, 2),
    }


def http_faults(folder: Path, n_rows: int) -> Iterator[Row]:
    """Let services predict that answer 500, hang, send garbage, or whose caller dies."""
    for name, misbehave in (
        ("answers 500 and 429", _refuse),
        ("hangs", _hang),
        ("sends garbage", _garbage),
    ):
        yield _predict_twice(folder, name, misbehave, n_rows)
    yield _predict_and_die(folder, n_rows)
    yield _two_runs(folder, n_rows)


def _predict_twice(
    folder: Path, name: str, misbehave: Callable[[Call], Reply | None], n_rows: int
) -> Row:
    """Predict with faults, then without: all are predicted, and none that came is repeated."""
    is_well = threading.Event()

    def answer(call: Call) -> Reply:
        reply = None if is_well.is_set() else misbehave(call)
        return reply or Reply({"label": "cat"})

    with endpoint(answer) as server:
        store = _http_assay(folder, name.replace(" ", "-"), server.url, n_rows)
        with aa.Assay.open(store) as assay:
            message = "none"
            try:
                assay.predict()
            except ServiceError as error:
                message = str(error)
            predicted = assay.status().services[0].predicted
            is_well.set()
            n_calls = len(server.calls)
            assay.predict()
            status = assay.status().services[0]
        assert status.predicted == n_rows, status
        assert len(server.calls) - n_calls == n_rows - predicted, "an answer was asked for twice"
    return {
        "part": f"service {name}",
        "store": "sqlite",
        "rows": n_rows,
        "predicted_at_first": predicted,
        "predicted_when_it_was_well": status.predicted,
        "calls": len(server.calls),
        "cost_of_answers": round(status.cost, 2),
        "message": f"`{message.split('.')[0]}`",
    }


def _predict_and_die(folder: Path, n_rows: int) -> Row:
    """Kill -9 the predicting process again and again; count the calls that were made twice."""
    answered: list[str] = []

    def answer(call: Call) -> Reply:
        time.sleep(0.002)
        answered.append(call.content["q"])
        return Reply({"label": "cat"})

    kills = 0
    with endpoint(answer) as server:
        store = _http_assay(folder, "killed-predicting", server.url, n_rows)
        code = f"import accuracy_assay as aa; aa.Assay.open({store!r}).predict()"
        for after_s in labelling.kill_moments(10, 0.3, seed=6):
            n_calls = len(answered)
            process = subprocess.Popen([sys.executable, "-c", code])
            while len(answered) == n_calls and process.poll() is None:
                time.sleep(0.005)
            time.sleep(after_s)
            kills += process.poll() is None
            process.kill()
            process.wait()
        with aa.Assay.open(store) as assay:
            assay.predict()
            status = assay.status().services[0]
    assert status.predicted == n_rows
    return {
        "part": "kill -9 while a service is called",
        "store": "sqlite",
        "kills": kills,
        "rows": n_rows,
        "predicted": status.predicted,
        "calls_made_twice": len(answered) - len(set(answered)),
    }


def _two_runs(folder: Path, n_rows: int) -> Row:
    """Start two processes that predict the same pool; every row is called for once."""

    def answer(call: Call) -> Reply:
        time.sleep(0.002)
        return Reply({"label": "cat"})

    with endpoint(answer) as server:
        store = _http_assay(folder, "two-runs", server.url, n_rows)
        code = f"import accuracy_assay as aa; print(aa.Assay.open({store!r}).predict())"
        runs = [
            subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        shares = [int(run.communicate()[0]) for run in runs]
        asked = [call.content["q"] for call in server.calls]
    assert sum(shares) == n_rows == len(set(asked)) == len(asked), (shares, len(asked))
    return {
        "part": "two runs at once",
        "store": "sqlite",
        "rows": n_rows,
        "calls": len(asked),
        "predicted_by_each": shares,
    }


def _http_assay(folder: Path, name: str, url: str, n_rows: int) -> str:
    path = folder / f"pool-{name}.parquet"
    labelling.make_pool(path, n_rows)
    spec = labelling.make_spec(path, n_rows)
    spec["service"] = [
        {
            "name": "api",
            "url": url,
            "request": {"q": "{id}"},
            "response": {"prediction": "label"},
            "price": 0.01,
            "retries": 2,
            "timeout_s": 0.5,
            "concurrency": 8,
        }
    ]
    store = str(folder / f"{name}.assay")
    aa.Assay.create(store, spec).close()
    return store


def _number(call: Call) -> int:
    return int(call.content["q"][1:])


def _refuse(call: Call) -> Reply | None:
    """Half of the rows never get an answer, in turns of 500 and 429."""
    number = _number(call)
    return Reply("busy", 500 if number % 4 else 429, {"Retry-After": "0"}) if number % 2 else None


def _hang(call: Call) -> Reply | None:
    if _number(call) % 50 == 0:
        time.sleep(2.0)
    return None


def _garbage(call: Call) -> Reply | None:
    replies = [Reply(b"<html>"), Reply({"lable": 1}), Reply({"label": ["a"]}), None, None, None]
    return replies[_number(call) % len(replies)]


def _mount(folder: Path, size: str) -> None:
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(words, check=False).returncode:
        raise RuntimeError("a small file system must be mounted to be filled, which needs root")


def _remount(folder: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)


def _unmount(folder: Path) -> None:
    subprocess.run(["umount", str(folder)], check=True)
