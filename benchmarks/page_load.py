"""A hundred people at one page: how long an answer takes to be on disk, and whether all are there.

Clients ask for an instance and tell its label, again and again, against a real ``assay serve``, on
SQLite and on PostgreSQL. Once each answers as fast as it can, once after a pause of a second, as a
quick annotator would. Then the store is read: every acknowledged answer must be in it, once.
Beside the time of ``tell`` stands that of the smallest request there is, an icon, from the same
clients in the same run: what the server and the clients cost without any assay.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

N_ROWS = 200_000


def make_pool(path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], N_ROWS)
    pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N_ROWS)],
            "sex": rng.choice(["f", "m"], N_ROWS),
            "band": rng.choice(list("abcdef"), N_ROWS),
            "place": rng.choice(list("ghijklmn"), N_ROWS),
            "text": [f"instance {i}" for i in range(N_ROWS)],
            "guess": np.where(rng.random(N_ROWS) < 0.8, truth, "cat"),
        }
    ).write_parquet(path)


def make_spec(folder: Path, estimator: str) -> dict[str, object]:
    return {
        "assay": {"budget": N_ROWS, "batch": 50, "estimator": estimator},
        "pool": {"path": str(folder / "pool.parquet")},
        "attribute": [{"name": name} for name in ("sex", "band", "place")],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"], "show": {"text": "text"}},
    }


class Caller:
    """One person's connection, kept open; as little work as a client can do.

    A client library spends more on a hundred connections than the server does on their requests.
    """

    def __init__(self, address: str, token: str) -> None:
        self.host, port = address.removeprefix("http://").split(":")
        self.port, self.token = int(port), token

    async def open(self) -> None:
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    async def call(self, method: str, path: str, content: object = None) -> bytes:
        """Return the body of an answer that must be a good one."""
        body = b"" if content is None else json.dumps(content).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        answered = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answered, re.IGNORECASE)
        assert length is not None, answered
        found = await self.reader.readexactly(int(length.group(1)))
        if not answered.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"the server answered {answered[:80]!r}: {found[:200]!r}")
        return found


async def work(
    caller: Caller, end: float, pause_s: float, took: dict[str, list[float]]
) -> list[str]:
    """Ask and tell until the time is over; return what was acknowledged."""
    told = []
    await caller.open()

    async def timed(name: str, *request: object) -> bytes:
        start = time.perf_counter()
        found = await caller.call(*request)  # type: ignore[arg-type]
        took[name].append(time.perf_counter() - start)
        return found

    while time.perf_counter() < end:
        given = json.loads(await timed("ask", "POST", "/api/ask", {"n": 1}))
        for item in given["items"]:
            await asyncio.sleep(pause_s)
            content = {"answers": [{"id": item["id"], "label": "cat", "seconds": pause_s}]}
            answered = json.loads(await timed("tell", "POST", "/api/tell", content))
            if answered["recorded"] == 1:
                told.append(item["id"])
        await timed("nothing", "GET", "/static/icon.svg")
    caller.writer.close()
    return told


async def crowd(
    address: str, tokens: list[str], seconds: float, pause_s: float
) -> tuple[list[str], dict[str, list[float]]]:
    took: dict[str, list[float]] = {"ask": [], "tell": [], "nothing": []}
    end = time.perf_counter() + seconds
    each = (work(Caller(address, token), end, pause_s, took) for token in tokens)
    told = await asyncio.gather(*each)
    return [instance for own in told for instance in own], took


@contextmanager
def serving(store: str) -> Iterator[str]:
    """Serve a store by a process of its own and give its address."""
    command = [sys.executable, "-c", "from accuracy_assay.cli import main; main()"]
    process = subprocess.Popen(
        [*command, "serve", store, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"(http://[^/]+)/join", line):
                yield found.group(1)
                return
        raise SystemExit("the server did not start")
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def run(store: str, n_clients: int, seconds: float, pause_s: float) -> None:
    with aa.Assay.open(store) as assay:
        tokens = [assay.admission.invite(f"p{k}", is_link=False) for k in range(n_clients)]
        before = set(assay.labels()["id"])
    with serving(store) as address:
        told, took = asyncio.run(crowd(address, tokens, seconds, pause_s))
    with aa.Assay.open(store) as assay:
        stored = [i for i in assay.labels()["id"] if i not in before]
        n_answers = assay.status().answers - len(before)
    lost, doubled = set(told) - set(stored), len(told) - len(set(told))
    print(f"  {len(told)} answers acknowledged, {n_answers} in the store")
    print(f"  {len(lost)} lost, {doubled} doubled")
    for name, times in took.items():
        p50, p99 = 1000.0 * np.quantile(times, [0.5, 0.99])
        print(f"  {name:8} {len(times):6} times, median {p50:6.1f} ms, p99 {p99:6.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--estimator", default="anova-gp")
    parser.add_argument("--pause", type=float, action="append", help="seconds before an answer")
    parser.add_argument("--store", action="append", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_pool(folder / "pool.parquet")
        for kind in options.store or ("sqlite", "postgresql"):
            for pause_s in options.pause or (1.0, 0.0):
                print(f"{kind}, {options.clients} clients, pause {pause_s:g} s", flush=True)
                with store_of(kind, folder, pause_s) as store:
                    aa.Assay.create(store, make_spec(folder, options.estimator)).close()
                    run(store, options.clients, options.seconds, pause_s)


@contextmanager
def store_of(kind: str, folder: Path, pause_s: float) -> Iterator[str]:
    """Give the address of an empty store; a database flushes to disk as users have it."""
    if kind == "sqlite":
        yield str(folder / f"{pause_s:g}.assay")
        return
    from postgres_server import PostgresServer

    server = PostgresServer.start(is_durable=True)
    try:
        yield server.url
    finally:
        server.remove()


if __name__ == "__main__":
    main()
