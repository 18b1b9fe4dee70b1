"""kill -9 at random moments: of annotators, imports, backups, a sync, and a run on Ray.

    python benchmarks/reliability/kills.py --kills 500 [--out FILE] [PART ...]

Parts: ``annotator`` (asks and tells), ``import events``, ``import answers``, ``backup``, ``sync``
(against a small Label Studio of our own), ``ray`` (the process that leads a prediction). After a
few kills the work goes on to its end: what was acknowledged is there, once, and nothing is half
done. Done kills are in ``--out``, one line each, and are not repeated; the parts share their
number.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tests" / "support")]

import labelling  # noqa: E402

import accuracy_assay as aa  # noqa: E402

EACH = 10
"""Kills between two checks."""
N_ROWS = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {list(PARTS)}; all but ray by default")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--out", type=Path, default=Path("out/reliability/kills.jsonl"))
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    parts = options.parts or [part for part in PARTS if part != "ray"]
    number = len(options.out.read_text().splitlines()) if options.out.exists() else 0
    turn = number
    while number < options.kills:
        part = parts[turn % len(parts)]
        turn += 1
        with tempfile.TemporaryDirectory(prefix="assay-kills-") as folder:
            os.environ["XDG_STATE_HOME"] = str(Path(folder) / "state")
            n_kills = min(2 if part == "ray" else EACH, options.kills - number)
            found = PARTS[part](Path(folder), n_kills, number)
        with options.out.open("a") as log:
            for _ in range(n_kills):
                log.write(json.dumps({"part": part, **found}) + "\n")
                found = {}
        number += n_kills
    print(json.dumps(summary(options.out)))


def summary(out: Path) -> dict[str, Any]:
    """Return the kills by part, and how much was acknowledged in them."""
    done = [json.loads(line) for line in out.read_text().splitlines()]
    told = sum(case.get("acknowledged", 0) for case in done)
    by_part = dict(Counter(case["part"] for case in done))
    return {"part": "kills", "kills": len(done), **by_part, "acknowledged": told, "lost": 0}


def kill(
    work: Callable[..., None],
    words: tuple[Any, ...],
    after_s: float,
    is_begun: Callable[[], bool] = lambda: True,
) -> None:
    """Start a process, and kill it a while after it is ready and has begun."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["kills", "labelling", *labelling._IMPORTED])
    ready = context.Event()
    process = context.Process(target=_begin, args=(work, ready, words))
    process.start()
    ready.wait()
    while process.is_alive() and not is_begun():
        time.sleep(0.05)
    time.sleep(after_s)
    process.kill()
    process.join()
    assert process.exitcode in (0, -9), f"it ended with {process.exitcode}"


def _begin(work: Callable[..., None], ready: Any, words: tuple[Any, ...]) -> None:
    ready.set()
    work(*words)


def annotator(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill people who ask and tell."""
    store, path = str(folder / "v.assay"), folder / "pool.parquet"
    pool = labelling.make_pool(path, 5_000)
    aa.Assay.create(store, labelling.make_spec(path, pool.height)).close()
    killed = [
        labelling.run_and_kill(store, path, "ann", after_s)
        for after_s in labelling.kill_moments(n_kills, 0.4, seed)
    ]
    labelling.check_history(store, pool, killed).close()
    return {"acknowledged": sum(len(one.told) for one in killed)}


def labelled_store(folder: Path, n_labels: int) -> tuple[Path, Path]:
    """Make a store with some labels of three people, and return it with its pool."""
    store, path = folder / "from.assay", folder / "pool.parquet"
    pool = labelling.make_pool(path, N_ROWS)
    with aa.Assay.create(store, labelling.make_spec(path, N_ROWS)) as assay:
        for i, (name, label) in enumerate(pool.select("id", "truth").head(n_labels).iter_rows()):
            assay.tell(name, label, f"person {i % 3}")
    return store, path


def import_events(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill imports of events: there is the whole assay, or none."""
    from accuracy_assay.storage.sqlite import open_sqlite

    store, _ = labelled_store(folder, 200)
    _export(store, "events", folder / "events.jsonl")
    for after_s in labelling.kill_moments(n_kills, 0.5, seed):
        shutil.rmtree(folder / "to", ignore_errors=True)
        (folder / "to").mkdir()
        target = folder / "to" / "v.assay"
        kill(_command, (["import", str(target), str(folder / "events.jsonl")],), after_s)
        names: tuple[str, ...] = ()
        if target.exists() and target.stat().st_size:
            with closing(open_sqlite(str(target), is_new=True)) as home:
                names = home.list()
                assert all(len(home.read(name)) == 201 for name in names), "half an assay"
        if not names:
            _command(["import", str(target), str(folder / "events.jsonl")])
        with closing(open_sqlite(str(target))) as home:
            assert len(home.read("strain")) == 201
    return {}


def import_answers(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill imports of answers: repeated, they end whole."""
    store, path = labelled_store(folder, 200)
    _export(store, "answers", folder / "answers.csv")
    spec = folder / "assay.toml"
    spec.write_text(_toml(path))
    for after_s in labelling.kill_moments(n_kills, 1.0, seed):
        shutil.rmtree(folder / "to", ignore_errors=True)
        (folder / "to").mkdir()
        target = folder / "to" / "v.assay"
        words = ["import", str(target), str(folder / "answers.csv"), "--spec", str(spec)]
        kill(_command, (words,), after_s)
        _command(words)
        with aa.Assay.open(target) as assay, aa.Assay.open(store) as whole:
            assert assay.labels().sort("id").equals(whole.labels().sort("id"))
            assert assay.status().annotators == whole.status().annotators
    return {"acknowledged": 200}


def backup(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill backups while somebody writes: the copy is the old one or the new one."""
    from accuracy_assay.storage.sqlite import open_sqlite
    from accuracy_assay.storage.verify import verify_store

    store, _ = labelled_store(folder, 50)
    copy = folder / "copy.assay"
    _command(["backup", str(store), "--out", str(copy)])
    n_labels = 50
    for after_s in labelling.kill_moments(n_kills, 0.3, seed):
        with aa.Assay.open(store) as assay:
            name, label = assay.pool.select("id", "truth").row(n_labels)
            assay.tell(name, label, "ann")
            n_labels += 1
            kill(_command, (["backup", str(store), "--out", str(copy)],), after_s)
        with closing(open_sqlite(str(copy), is_saving=True)) as home:
            found = verify_store(home)
            assert found.is_whole, found
            assert 50 <= found.assays[0].labels <= n_labels
    _command(["backup", str(store), "--out", str(copy)])
    with closing(open_sqlite(str(copy))) as home:
        assert len(home.read("strain")) == n_labels + 1
    return {}


def sync(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill a sync while people label: no task twice, every answer known."""
    from label_studio_fake import fake_label_studio

    store, path = folder / "v.assay", folder / "pool.parquet"
    pool = labelling.make_pool(path, N_ROWS)
    truth = dict(pool.select("id", "truth").iter_rows())
    aa.Assay.create(store, labelling.make_spec(path, 40)).close()
    is_over = threading.Event()
    with fake_label_studio() as fake:

        def label() -> None:
            while not is_over.wait(0.1):
                for number in [n for n, t in list(fake.tasks.items()) if not t["annotations"]][:2]:
                    fake.answer(number, truth[fake.tasks[number]["data"]["assay_id"]])

        person = threading.Thread(target=label)
        person.start()
        try:
            for after_s in labelling.kill_moments(n_kills, 1.0, seed):
                kill(_sync, (str(store), fake.url), after_s)
            end = time.monotonic() + 120.0
            while not _sync(str(store), fake.url, is_once=True) and time.monotonic() < end:
                time.sleep(0.2)
        finally:
            is_over.set()
            person.join()
        _sync(str(store), fake.url, is_once=True)
        answered = {t["data"]["assay_id"] for t in fake.tasks.values() if t["annotations"]}
        assert len(set(fake.ids())) == len(fake.ids()), "a task is there twice"
    with aa.Assay.open(store) as assay:
        assert set(assay.labels()["id"]) == answered, "an answer is lost"
        assert assay.status().answers == len(answered)
    return {"acknowledged": len(answered)}


def _sync(store: str, url: str, *, is_once: bool = False) -> bool:
    """Sync until killed, or once; return whether all is done."""
    from label_studio_fake import TOKEN

    from accuracy_assay.labelers.label_studio_server import LabelStudioServer
    from accuracy_assay.session.syncing import Sync, open_project

    server = LabelStudioServer(url, TOKEN, timeout_s=1.0)
    with closing(server), aa.Assay.open(store) as assay:
        work = Sync(assay.session, open_project(assay.session, server, "kills"), 4, "")
        while True:
            made = work.round()
            if is_once or made.end is not None:
                return made.end is not None
            time.sleep(0.05)


def ray(folder: Path, n_kills: int, seed: int) -> dict[str, Any]:
    """Kill the process that leads a prediction on Ray: no answer is lost or paid for twice."""
    store, path = folder / "v.assay", folder / "pool.parquet"
    pool = labelling.make_pool(path, 300)
    spec = labelling.make_spec(path, 300)
    spec["service"] = [{"name": "slow", "callable": "kills:answer_slowly", "batch_rows": 5}]
    aa.Assay.create(store, spec).close()
    for after_s in labelling.kill_moments(n_kills, 1.0, seed):
        with aa.Assay.open(store) as assay:
            before = len(_predictions(assay))
            has_more = lambda: len(_predictions(assay)) > before  # noqa: B023, E731
            kill(_predict, (str(store),), after_s, has_more)
    with aa.Assay.open(store) as assay:
        before = len(_predictions(assay))
        assay.predict("slow", engine="local")
        found = _predictions(assay)
        assert found == {name: name.upper() for name in pool["id"]}, "an answer is lost"
    return {"acknowledged": before}


def _predictions(assay: aa.Assay) -> dict[str, str]:
    with assay.session.journal.reading() as ledger:
        return {name: said for name, (said, _) in ledger.predictions.get("slow", {}).items()}


def _predict(store: str) -> None:
    with aa.Assay.open(store) as assay:
        assay.predict("slow", engine="ray")


def answer_slowly(rows: list[dict[str, Any]]) -> list[tuple[str, float]]:
    """Be a service."""
    time.sleep(0.1)
    return [(row["id"].upper(), 0.5) for row in rows]


def _command(words: list[str]) -> None:
    """Carry out a command of the command line in this process, quietly."""
    from accuracy_assay.cli.app import build_app

    with Path(os.devnull).open("w") as nowhere:
        before, sys.stderr = sys.stderr, nowhere
        try:
            build_app(words[0])(words, standalone_mode=False)
        finally:
            sys.stderr = before


def _export(store: Path, part: str, out: Path) -> None:
    _command(["export", str(store), part, "--out", str(out)])


def _toml(pool: Path) -> str:
    content = labelling.make_spec(pool, N_ROWS)
    lines = ["[assay]", *(f"{k} = {json.dumps(v)}" for k, v in content["assay"].items())]
    lines += ["[pool]", f"path = {json.dumps(str(pool))}"]
    for attribute in content["attribute"]:
        lines += ["[[attribute]]", f"name = {json.dumps(attribute['name'])}"]
    lines += ["[[service]]", 'name = "reader"', 'column = "guess"']
    return "\n".join([*lines, "[label]", 'choices = ["cat", "dog"]', ""])


PARTS: dict[str, Callable[[Path, int, int], dict[str, Any]]] = {
    "annotator": annotator,
    "import events": import_events,
    "import answers": import_answers,
    "backup": backup,
    "sync": sync,
    "ray": ray,
}

if __name__ == "__main__":
    main()
