"""People label in a real Label Studio server, in the order that the assay wants."""

import json
import os
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from label_studio_real import Person, RealLabelStudio, start_sync

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.labelers.label_studio_server import LabelStudioServer
from accuracy_assay.session.syncing import Sync, open_project

QUICK = {"estimator": "beta-independent", "strategy": "random"}
N_KILLS = int(os.environ.get("ASSAY_KILLS", "100"))
LONGEST_LIFE_S = 4.0
"""Processes are killed at a random moment of their first seconds: some rounds, or none."""


def export(studio: RealLabelStudio, project: int) -> list[dict[str, Any]]:
    """Return all tasks of a project with their annotations."""
    query = {"exportType": "JSON", "download_all_tasks": "true"}
    with studio.admin() as admin:
        found: list[dict[str, Any]] = admin.get(
            f"/api/projects/{project}/export", params=query
        ).json()
        return found


def number_of(studio: RealLabelStudio, title: str) -> int:
    with studio.admin() as admin:
        found = admin.get("/api/projects/", params={"title": title}).json()["results"]
        (number,) = (p["id"] for p in found if p["title"] == title)
        return int(number)


def check_nothing_lost_or_doubled(
    studio: RealLabelStudio, project: int, store: str
) -> dict[str, int]:
    """Compare all that people did in the project with all that the assay knows."""
    with studio.admin() as admin:
        email = {user["id"]: user["email"] for user in admin.get("/api/users/").json()}
    tasks = export(studio, project)
    ids = [task["data"]["assay_id"] for task in tasks]
    assert len(set(ids)) == len(ids), "a task was pushed twice"
    said: dict[tuple[str, str], str | None] = {}
    for task in tasks:
        for annotation in sorted(task["annotations"], key=lambda a: a["updated_at"]):
            key = (task["data"]["assay_id"], email[annotation["completed_by"]])
            result = annotation["result"]
            is_answer = result and not annotation["was_cancelled"]
            said[key] = result[0]["value"]["choices"][0] if is_answer else None
    with aa.Assay.open(store) as assay:
        ledger = assay.session.journal.ledger
        with assay.session.journal.reading():
            told = list(ledger.answers.items())
            known = {(i, who): answer.label for i, by in told for who, answer in by.items()}
            skips = {(i, who) for i, by in ledger.skips.items() for who in by if "@" in who}
        granted = [i for given in ledger.granted.values() for i in given]
        status = assay.status()
    answers = {key: label for key, label in said.items() if label is not None}
    assert known == answers, "answers differ from those that people gave"
    assert {key for key, label in said.items() if label is None} <= skips | set(answers)
    assert len(set(granted)) == len(granted), "an instance was given twice"
    assert set(ids) <= set(granted), "a task was pushed that was not given"
    assert status.spent <= status.budget
    return {"tasks": len(tasks), "answers": len(answers), "skips": len(said) - len(answers)}


def test_tasks_are_served_in_the_order_of_what_they_are_worth_with_predictions_hidden(
    studio: RealLabelStudio, ann: Person, bob: Person, make_assay: Any
) -> None:
    store, truth = make_assay(budget=30, batch=8)
    server = LabelStudioServer(studio.url, studio.token)
    served: list[str] = []
    note = dict(pl.read_parquet(Path(store).with_name("pool.parquet"))["id", "note"].iter_rows())
    versions: list[str] = []
    with aa.Assay.open(store) as assay:
        project = open_project(assay.session, server, "order")
        sync = Sync(assay.session, project)
        made = sync.round()
        while made.end is None:
            if made.version is not None:
                versions.append(made.version)
            wanted = [i for i in sync._order if i not in served]
            for pair in (wanted[:2], wanted[2:4]):
                given = [one.next(project.number) for one in (ann, bob)[: len(pair)]]
                for instance, task, person in zip(pair, given, (ann, bob), strict=False):
                    assert task is not None
                    assert task["data"]["assay_id"] == instance
                    assert task["data"]["note"] == note[instance]
                    assert task["predictions"] == []
                    person.answer(task["id"], truth[instance])
                    served.append(instance)
            made = sync.round()
        assert len(served) == len(set(served)) == assay.status().labels == 30
    assert len(set(versions)) == len(versions) >= 7
    with studio.admin() as admin:
        found = admin.get(f"/api/projects/{project.number}/").json()
        assert found["sampling"] == "Uncertainty sampling"
        assert found["show_collab_predictions"] is False
        left = admin.get(f"/api/projects/{project.number}/model-versions/").json()
        assert set(left) <= {found["model_version"]}
    server.close()
    print(f"\norder: {len(served)} tasks served as ranked, under {len(versions)} versions")


def test_a_task_that_someone_has_open_stays_with_them_when_the_order_changes(
    studio: RealLabelStudio, ann: Person, make_assay: Any
) -> None:
    store, truth = make_assay(budget=30, batch=8, **QUICK)
    server = LabelStudioServer(studio.url, studio.token)
    with aa.Assay.open(store) as assay:
        project = open_project(assay.session, server, "open task")
        sync = Sync(assay.session, project)
        sync.round()
        task = ann.next(project.number)
        assert task is not None
        sync._order.reverse()
        others = [i for i in truth if i not in set(sync._order)][:8]
        assay.tell(others, [truth[i] for i in others], "elsewhere")
        assert sync.round().version == "assay 2"
        again = ann.next(project.number)
        assert again is not None
        assert again["id"] == task["id"]
        ann.answer(task["id"], "cat")
        assert sync.round().new == 1
    server.close()


@contextmanager
def at_work(people: Sequence[Person], project: int, truth: dict[str, str]) -> Iterator[None]:
    """Let people label, each in a thread of their own."""
    stop = threading.Event()
    threads = [
        threading.Thread(target=one.work, args=(project, truth, stop, seed), daemon=True)
        for seed, one in enumerate(people)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(120.0)


def wait_for_tasks(process: Any, log: Path) -> None:
    while not log.exists() or "pushed" not in log.read_text():
        assert process.is_alive(), log.read_text()
        time.sleep(0.2)


def test_killed_at_random_moments_nothing_is_lost_or_doubled(
    studio: RealLabelStudio, ann: Person, bob: Person, make_assay: Any, tmp_path: Path
) -> None:
    store, truth = make_assay(budget=300, batch=16, lease_minutes=600, **QUICK)
    arguments = [store, "--url", studio.url, "--project", "killed", "--json"]
    arguments += ["--every", "0.1", "--timeout", "10"]
    log, rng = tmp_path / "sync.log", random.Random(1)
    began = time.monotonic()
    first = start_sync(arguments, studio.token, log)
    wait_for_tasks(first, log)
    first.kill()
    first.join()
    project = number_of(studio, "killed")
    n_killed = 1
    with at_work([ann, bob], project, truth):
        while n_killed < N_KILLS:
            process = start_sync(arguments, studio.token, log)
            process.join(rng.uniform(0.0, LONGEST_LIFE_S))
            is_over = not process.is_alive()
            process.kill()
            process.join()
            assert process.exitcode in (-9, 0), log.read_text()[-2000:]
            if is_over:
                break
            n_killed += 1
        with aa.Assay.open(store) as assay:
            n_labels = assay.status().labels
        seconds = time.monotonic() - began
        process = start_sync(arguments, studio.token, log)
        process.join(900.0)
    assert process.exitcode == 0, log.read_text()[-2000:]
    assert '"end": "the budget is spent"' in log.read_text().splitlines()[-1]
    start_sync([*arguments, "--once"], studio.token, log).join(60.0)  # changed at the last moment
    counts = check_nothing_lost_or_doubled(studio, project, store)
    assert studio.token not in log.read_text()
    print(
        f"\nkill -9: {n_killed} kills in {seconds:.0f} s, after which {n_labels} instances were "
        f"labelled; at the end {json.dumps(counts)}; nothing lost or doubled"
    )


def test_a_server_that_was_killed_and_comes_back_finds_all_as_it_was(
    studio: RealLabelStudio, ann: Person, bob: Person, make_assay: Any, tmp_path: Path
) -> None:
    store, truth = make_assay(budget=80, batch=8, lease_minutes=600, **QUICK)
    arguments = [store, "--url", studio.url, "--project", "crashed", "--json"]
    arguments += ["--every", "0.2", "--timeout", "10"]
    log = tmp_path / "sync.log"
    process = start_sync(arguments, studio.token, log)
    wait_for_tasks(process, log)
    project = number_of(studio, "crashed")
    with at_work([ann, bob], project, truth):
        time.sleep(8.0)
        studio.kill()
        time.sleep(5.0)
        seconds = studio.start()
        process.join(400.0)
    assert process.exitcode == 0, log.read_text()[-2000:]
    assert "waiting: Label Studio" in log.read_text()
    start_sync([*arguments, "--once"], studio.token, log).join(60.0)
    counts = check_nothing_lost_or_doubled(studio, project, store)
    print(f"\nserver away for {seconds + 5:.0f} s: {json.dumps(counts)}; nothing lost or doubled")


def test_two_people_answer_every_task_where_two_answers_are_wanted(
    studio: RealLabelStudio, ann: Person, bob: Person, make_assay: Any
) -> None:
    store, truth = make_assay(budget=24, batch=6, annotators=2, **QUICK)
    server = LabelStudioServer(studio.url, studio.token)
    with aa.Assay.open(store) as assay:
        project = open_project(assay.session, server, "two answers")
        sync = Sync(assay.session, project)
        made = sync.round()
        for _ in range(30):
            for person in (ann, bob):
                task = person.next(project.number)
                if task is not None:
                    person.answer(task["id"], truth[task["data"]["assay_id"]])
            made = sync.round()
            if made.end:
                break
        status = assay.status()
        assert (status.labels, status.answers, status.spent) == (12, 24, 24)
        assert dict(status.annotators) == {ann.email: 12, bob.email: 12}
    server.close()


def test_personal_access_tokens_and_legacy_tokens_both_serve_and_others_are_refused(
    studio: RealLabelStudio, make_assay: Any
) -> None:
    store, _ = make_assay(budget=12, **QUICK)
    with studio.admin() as admin:
        personal = admin.post("/api/token/", json={}).json()["token"]
    with aa.Assay.open(store) as assay:
        for token in (personal, studio.token):
            server = LabelStudioServer(studio.url, token)
            assert (
                Sync(assay.session, open_project(assay.session, server, "tokens")).round().waiting
                == 12
            )
            server.close()
        for token in ("0" * 40, "no.such.token"):
            server = LabelStudioServer(studio.url, token)
            with pytest.raises(InputError, match="LABEL_STUDIO_API_KEY must be a token") as caught:
                open_project(assay.session, server, "tokens")
            assert token not in str(caught.value)
            server.close()


def test_a_skipped_task_is_served_to_nobody_else(
    studio: RealLabelStudio, ann: Person, bob: Person, make_assay: Any
) -> None:
    store, _ = make_assay(budget=12, batch=3, **QUICK)
    server = LabelStudioServer(studio.url, studio.token)
    with aa.Assay.open(store) as assay:
        project = open_project(assay.session, server, "skips")
        sync = Sync(assay.session, project)
        sync.round()
        task = ann.next(project.number)
        assert task is not None
        ann.skip(task["id"])
        made = sync.round()
        assert (made.new, made.pushed, made.waiting) == (0, 1, 3)
        seen = set()
        while (other := bob.next(project.number)) is not None:
            seen.add(other["id"])
            bob.answer(other["id"], "cat")
        assert len(seen) == 3
        assert task["id"] not in seen
    server.close()


def test_the_speed_of_a_round(studio: RealLabelStudio, make_assay: Any) -> None:
    """Print it: how long a round takes where nothing happened, by tasks in the project."""
    store, truth = make_assay(budget=600, batch=600, lease_minutes=600, **QUICK)
    server = LabelStudioServer(studio.url, studio.token)
    with aa.Assay.open(store) as assay:
        sync = Sync(assay.session, open_project(assay.session, server, "many"))
        pushed = 0
        while pushed < 600:
            pushed += sync.round().pushed
        began = time.monotonic()
        assert not sync.round().is_eventful
        seconds = time.monotonic() - began
    server.close()
    print(f"\na round with {len(truth)} tasks waiting: {seconds:.2f} s")
