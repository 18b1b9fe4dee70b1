"""A session goes by the spec as it now is, whichever of its methods is called."""

import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE_S

import accuracy_assay as aa
from accuracy_assay.domain.events import Told
from accuracy_assay.session.requests import Ask, GiveBack, Request, Settle, Skip, Tell, Undo
from accuracy_assay.session.session import Session
from accuracy_assay.session.watching import NoGuaranteeError

BIRD = {"label": {"choices": ["cat", "dog", "bird"]}}
"""What another process adds: a choice that the old spec refuses."""

Call = Callable[[aa.Assay, Path], Any]


def file_of(folder: Path) -> Path:
    path = folder / "told.csv"
    path.write_text("id,label\nx3,bird\n")
    return path


def watch(assay: aa.Assay) -> None:
    with pytest.raises(NoGuaranteeError):  # its labels were told without being asked for
        assay.watch("good")


CALLS: dict[str, Call] = {
    "ask": lambda assay, _: assay.ask(1),
    "pending": lambda assay, _: assay.pending("ann"),
    "tell": lambda assay, _: assay.tell("x3", "bird"),
    "tell_file": lambda assay, folder: assay.tell_file(file_of(folder)),
    "write_tasks": lambda assay, folder: assay.write_tasks(assay.ask(1), folder / "t.csv"),
    "skip": lambda assay, _: assay.skip("x3"),
    "give_back": lambda assay, _: assay.give_back("x0", "ann"),
    "undo": lambda assay, _: assay.undo("ann"),
    "end": lambda assay, _: assay.end(),
    "status": lambda assay, _: assay.status(),
    "surface": lambda assay, _: assay.surface("good"),
    "measure": lambda assay, _: assay.measure("recall:cat", "good"),
    "compare": lambda assay, _: assay.compare(),
    "check": lambda assay, _: assay.check("good", min=0.1),
    "labels_for": lambda assay, _: assay.labels_for("good")(0.2, None),
    "plan": lambda assay, _: assay.plan(0.2, service="good"),
    "plan_by_price": lambda assay, _: assay.plan_by_price(
        0.2, service="good", prices={"people": 50.0, "llm": 1.0}
    ),
    "certify": lambda assay, _: assay.certify(service="good"),
    "judged_rows": lambda assay, _: assay.judged_rows("good"),
    "propose_attributes": lambda assay, _: assay.propose_attributes("good", ["bad"]),
    "edit": lambda assay, _: assay.edit({"assay": {"batch": 7}}),
    "predict": lambda assay, _: assay.predict("good"),
    "judge": lambda assay, _: assay.judge("llm", "good"),
    "calibrate": lambda assay, _: assay.calibrate(),
    "settle": lambda assay, _: assay.settle("x1", "bird", "admin"),
    "team": lambda assay, _: assay.team(),
    "watch": lambda assay, _: watch(assay),
    "spec": lambda assay, _: assay.spec,
    "space": lambda assay, _: assay.space,
    "pool": lambda assay, _: assay.pool,
}
NEED_NO_SPEC = {
    "create": "makes the session",
    "open": "makes the session",
    "close": "ends the session",
    "name": "never changes",
    "labels": "reads events alone",
    "admission": "reads and writes who may come in, whatever the spec says",
}
TAKE_ANSWERS: dict[str, Request] = {
    "tell": Tell("bob", ("x3",), ("bird",)),
    "settle": Settle("admin", ("x1",), ("bird",)),
    "skip": Skip("ann", ("x3",)),
    "give back": GiveBack("ann", ("x0",)),
    "undo": Undo("ann"),
    "ask": Ask("ann", 1, ()),
}


def public(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}


@pytest.fixture
def edited(bench: Any) -> aa.Assay:
    """A session with some labels that was opened before another one added a choice."""
    bench.pool = bench.pool.with_columns(opinion=bench.pool["sure"])
    judge = [{"name": "llm", "column": "opinion", "services": ["good"]}]
    other, assay = bench.create(judge=judge), bench.open()
    other.tell(bench.pool["id"][:30], bench.pool["truth"][:30], "ann")
    other.edit(BIRD)
    assert "bird" not in assay.session.last_parts.spec.label.choices
    return assay


def test_every_public_member_is_either_tried_here_or_needs_no_spec() -> None:
    assert public(aa.Assay) == CALLS.keys() | NEED_NO_SPEC.keys()


@pytest.mark.parametrize("name", CALLS)
def test_an_edit_of_another_process_is_followed_by(
    name: str, edited: aa.Assay, tmp_path: Path
) -> None:
    CALLS[name](edited, tmp_path)
    assert edited.session.last_parts.spec.label.choices == ("cat", "dog", "bird")


@pytest.mark.parametrize("name", TAKE_ANSWERS)
def test_a_request_is_carried_out_by_the_spec_as_it_now_is(name: str, edited: aa.Assay) -> None:
    edited.session.insist(TAKE_ANSWERS[name])
    assert "bird" in edited.session.last_parts.spec.label.choices


def test_a_choice_that_was_added_elsewhere_can_be_answered_and_settled(
    edited: aa.Assay, tmp_path: Path
) -> None:
    for name in ("tell", "tell_file", "settle"):
        CALLS[name](edited, tmp_path)
    labels = dict(edited.labels().select("id", "label").iter_rows())
    assert labels["x1"] == "bird"
    told = [r.event for r in edited.session.events() if isinstance(r.event, Told)]
    assert [event.labels for event in told[1:]] == [("bird",)]  # the file says it again


def test_parts_are_made_anew_as_a_whole_and_only_after_an_edit(edited: aa.Assay) -> None:
    old = edited.session.last_parts
    new = edited.session.parts()
    assert new is edited.session.parts() is not old
    assert new.rules.choices == ("cat", "dog", "bird")
    assert new.snapshots.spec is new.asking.spec is new.spec
    edited.tell("x40", "dog")
    assert edited.session.parts() is new


def test_threads_that_meet_an_edit_together_follow_it_once(edited: aa.Assay) -> None:
    seen: list[Any] = []
    threads = [
        threading.Thread(target=lambda: seen.append(edited.session.parts())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len({id(parts) for parts in seen}) == 1


def test_nobody_but_a_page_that_must_not_wait_passes_the_gate_by() -> None:
    """`parts` is the way to everything that follows the spec."""
    held = {name for name in vars(Session) if not name.startswith("_")}
    follows = {"parts", "carry_out", "insist", "ask", "pick", "show", "batch", "edit"}
    follows |= {"labelled_ids"}
    assert held - follows == {
        "last_parts",  # what a page shows while it must wait for nothing
        "read_tables",  # the tables of the parts at hand, before anything is asked
        "n_labels",
        "label_seq",
        "n_held",
        "events",
        "close",
    }
