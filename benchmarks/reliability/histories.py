"""Histories of five clients at once, with kills, pauses and jumps of clocks, checked for order.

    python benchmarks/reliability/histories.py --rounds 20 [--out FILE]

Five processes tell, replace and read the labels of a few instances, each through a session of its
own, as one annotator. Meanwhile they are killed (SIGKILL) and started again, stopped for a while
(SIGSTOP), and their clocks jump by days. Each writes down when a call began, when it ended and
what it was told; `linearizable` then looks for one order that explains it all. Every round
has a new store; SQLite and PostgreSQL take turns. Done rounds are in ``--out``, not repeated.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests" / "support")]

import labelling  # noqa: E402
from linearizable import Operation, first_wrong_key  # noqa: E402

import accuracy_assay as aa  # noqa: E402
from accuracy_assay.errors import ConflictError  # noqa: E402

N_CLIENTS = 5
DAY_S = 86_400.0


def main() -> None:
    from postgres_server import PostgresServer

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--out", type=Path, default=Path("out/reliability/histories.jsonl"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    n_done = len(options.out.read_text().splitlines()) if options.out.exists() else 0
    server = PostgresServer.start(is_durable=True) if n_done < options.rounds else None
    try:
        for number in range(n_done, options.rounds):
            with tempfile.TemporaryDirectory(prefix="assay-histories-") as folder:
                is_file = server is None or number % 2 == 0
                store = (
                    str(Path(folder) / "v.assay")
                    if is_file or server is None
                    else server.url_of_schema(f"round{number}")
                )
                row = play(store, Path(folder), options.seconds, seed=number)
            with options.out.open("a") as log:
                log.write(json.dumps(row) + "\n")
    finally:
        if server is not None:
            server.remove()
    done = [json.loads(line) for line in options.out.read_text().splitlines()]
    keys = ("operations", "unfinished", "kills", "pauses", "clock_jumps")
    counts = {key: sum(row[key] for row in done) for key in keys}
    print(json.dumps({"part": "histories", "rounds": len(done), **counts, "without_order": 0}))


def play(store: str, folder: Path, seconds: float, seed: int, n_keys: int = 12) -> dict[str, Any]:
    """Let clients work on a new store for a while, and check what they were told."""
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    pool = folder / "pool.parquet"
    labelling.make_pool(pool, 100)
    aa.Assay.create(store, labelling.make_spec(pool, 100)).close()
    rng = random.Random(seed)
    logs = [folder / f"client-{i}.log" for i in range(N_CLIENTS)]
    clients = [_start(store, pool, log, seed + 100 * i, n_keys) for i, log in enumerate(logs)]
    counts = {"kills": 0, "pauses": 0}
    n_started = N_CLIENTS
    _wait_for(logs)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(rng.uniform(0.02, 0.25))
        i = rng.randrange(N_CLIENTS)
        if rng.random() < 0.5:
            clients[i].kill()
            clients[i].join()
            clients[i] = _start(store, pool, logs[i], seed + 100 * n_started, n_keys)
            n_started += 1
            counts["kills"] += 1
        else:
            os.kill(clients[i].pid, signal.SIGSTOP)
            time.sleep(rng.uniform(0.0, 0.3))
            os.kill(clients[i].pid, signal.SIGCONT)
            counts["pauses"] += 1
    for client in clients:
        client.kill()
        client.join()
    operations = [operation for log in logs for operation in read_log(log)]
    with aa.Assay.open(store, pool=pool) as assay:
        last = dict(assay.labels().select("id", "label").iter_rows())
    now = time.monotonic()
    final = [Operation(f"x{k}", "read", None, last.get(f"x{k}"), now, now) for k in range(n_keys)]
    wrong = first_wrong_key([*operations, *final])
    assert wrong is None, [o for o in operations if o.key == wrong]
    jumps = sum(log.read_text().count('"jump"') for log in logs)
    return {
        "part": "histories",
        "store": "postgresql" if "://" in store else "sqlite",
        "operations": len(operations),
        "unfinished": sum(operation.is_open for operation in operations),
        **counts,
        "clock_jumps": jumps,
    }


def _start(store: str, pool: Path, log: Path, seed: int, n_keys: int) -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["histories", "labelling", *labelling._IMPORTED])
    process = context.Process(target=work, args=(store, pool, log, seed, n_keys), daemon=True)
    process.start()
    return process


def _wait_for(logs: list[Path]) -> None:
    while not all(log.exists() and log.stat().st_size for log in logs):
        time.sleep(0.01)


def work(store: str, pool: Path, log: Path, seed: int, n_keys: int) -> None:
    """Be a client."""
    from accuracy_assay.storage.postgres import open_postgres
    from accuracy_assay.storage.sqlite import open_sqlite

    rng = random.Random(seed)
    ahead = [0.0]

    def clock() -> float:
        return time.time() + ahead[0]

    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def say(**what: Any) -> None:
        os.write(handle, (json.dumps(what) + "\n").encode())

    home = open_postgres(store, clock=clock) if "://" in store else open_sqlite(store, clock=clock)
    with aa.Assay.open(home, pool=pool, clock=clock) as assay:
        while True:
            if rng.random() < 0.05:
                ahead[0] = rng.uniform(-30.0, 30.0) * DAY_S
                say(at="jump")
            key, value = f"x{rng.randrange(n_keys)}", rng.choice(["cat", "dog"])
            kind = rng.choice(["tell", "tell", "replace", "read"])
            say(at="began", time=time.monotonic(), key=key, kind=kind, value=value)
            result = _carry_out(assay, kind, key, value)
            say(at="ended", time=time.monotonic(), result=result)
            time.sleep(rng.uniform(0.0, 0.05))


def _carry_out(assay: aa.Assay, kind: str, key: str, value: str) -> str | None:
    if kind == "read":
        return dict(assay.labels().select("id", "label").iter_rows()).get(key)
    try:
        assay.tell(key, value, "team", replace=kind == "replace")
    except ConflictError:
        return "conflict"
    return "recorded"


def read_log(log: Path) -> list[Operation]:
    """Return the operations of a client; one without an end is open."""
    lines = [json.loads(line) for line in log.read_text().split("\n")[:-1]]
    made: list[Operation] = []
    begun: dict[str, Any] | None = None
    for line in lines:
        if line["at"] == "began":
            made += [] if begun is None else [_open(begun)]
            begun = line
        elif line["at"] == "ended" and begun is not None:
            part = (begun["key"], begun["kind"], begun["value"], line["result"])
            made.append(Operation(*part, begun["time"], line["time"]))
            begun = None
    return made + ([] if begun is None else [_open(begun)])


def _open(begun: dict[str, Any]) -> Operation:
    return Operation(begun["key"], begun["kind"], begun["value"], None, begun["time"])


if __name__ == "__main__":
    main()
