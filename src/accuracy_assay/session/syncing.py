"""An assay and a project of Label Studio, kept in step.

A round reads the project, records new answers, extends the leases of waiting tasks, takes more
instances, pushes those that are missing, and orders the waiting tasks by what a label of each is
worth now. All state is in the store or in the project: a process may be killed anywhere in a
round, and the next one continues.

Tasks and answers are never deleted. A task that someone answered elsewhere is served last.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from accuracy_assay.domain.events import Told
from accuracy_assay.errors import InputError
from accuracy_assay.labelers.label_studio import configuration
from accuracy_assay.labelers.label_studio_project import (
    LabelStudioProject,
    ProjectReading,
    create_project,
    find_project,
)
from accuracy_assay.labelers.label_studio_server import LabelStudioServer
from accuracy_assay.protocols import LabelTask, Returned
from accuracy_assay.session.exchange import requests_of, shown_kinds, tasks_of
from accuracy_assay.session.holding import Holding
from accuracy_assay.session.requests import Request, Tell, Undo, event_of
from accuracy_assay.session.session import Parts, Session

__all__ = ["Sync", "SyncRound", "open_project"]

_TASKS_PER_PUSH = 100
"""Tasks in one call: a server takes a second or two for so many, far less than its time limit."""
_MEDIA = ("image", "audio")
_PAUSE_S = 1.0
"""Seconds between looks for a project that someone else may have made."""


@dataclass(frozen=True)
class SyncRound:
    """What one round did, and the state after it.

    ``waiting`` tasks may be answered, ``unwanted`` ones among them need not be; ``version`` is the
    new ``model_version`` if the order changed; ``end`` says why there is nothing more to do.
    """

    new: int
    pushed: int
    waiting: int
    unwanted: int
    labels: int
    version: str | None = None
    mistakes: tuple[str, ...] = ()
    end: str | None = None

    @property
    def is_eventful(self) -> bool:
        """Whether anything happened."""
        return bool(self.new or self.pushed or self.version or self.end)


def open_project(
    session: Session,
    server: LabelStudioServer,
    wanted: str,
    sleep: Callable[[float], object] | None = None,
) -> LabelStudioProject:
    """Return a project that is set up for an assay.

    Parameters
    ----------
    session
        Of the assay whose instances it will show.
    server
        Where.
    wanted
        Number of a project; or a title, of which one is made where there is none.
    sleep
        Replaced in tests.

    Raises
    ------
    InputError
        If there is no project of that number, or several of that title.
    """
    parts = session.parts()
    shown = configuration(shown_kinds(parts.spec), parts.spec.label.choices)
    project = _numbered(server, wanted) or find_project(server, wanted)
    # A project is claimed like a task: who was killed may have made it without our knowledge.
    making = Holding(parts.asking, f"Label Studio at {server.place}")
    while project is None:
        is_claimed = making.claim([wanted], 3.0 * server.timeout_s)
        project = find_project(server, wanted)
        if project is None and is_claimed:
            project = create_project(server, wanted, shown)
        elif project is None:
            (sleep or time.sleep)(_PAUSE_S)
    project.set_up(shown, parts.spec.label.annotators)
    return project


@dataclass
class Sync:
    """Keeps an assay and a project in step.

    Parameters
    ----------
    session, project
        Of the assay, and the project.
    batch
        Tasks that wait in the project at a time; a batch of the spec by default.
    media
        What to put before the paths of images and sounds, so that browsers find them.
    """

    session: Session
    project: LabelStudioProject
    batch: int | None = None
    media: str = ""
    _order: list[str] = field(default_factory=list)
    """The order in which this process last put the tasks; none before its first time."""

    def round(self) -> SyncRound:
        """Go through one round.

        Raises
        ------
        ServiceError
            If the server does not answer; the next round goes on from what it has.
        """
        parts = self.session.parts()
        holding = Holding(parts.asking, f"Label Studio at {self.project.place}")
        reading = self.project.read()
        n_new, mistakes = self._tell(reading, holding, parts)
        waiting, stuck = self._open_tasks(reading, mistakes, holding, parts)
        holding.keep([*waiting, *stuck])
        batch = parts.spec.assay.batch if self.batch is None else self.batch
        holding.take(batch - len({*waiting, *holding.held()}))
        pushed, version = self._arrange(reading, waiting, holding, parts)
        held, there = holding.held(), {*waiting, *pushed}
        return SyncRound(
            n_new,
            len(pushed),
            len(there),
            len(there.difference(held)),
            self.session.n_labels,
            version,
            tuple(mistakes.values()),
            None if there or held else parts.asking.end(holding.name),
        )

    def _tell(
        self, reading: ProjectReading, holding: Holding, parts: Parts
    ) -> tuple[int, dict[str, str]]:
        """Tell what is new; return how many answers that were, and what cannot be told.

        Label Studio knows best what its people answered: an answer that was changed there
        replaces the old one, and one that was skipped later is taken back. One without an author
        is the tool's own.
        """
        mistakes, news = dict(reading.mistakes), list[Returned]()
        undone: list[Request] = []
        with self.session.journal.reading() as ledger:
            for answer in reading.answers:
                try:
                    (request,) = requests_of(parts.rules, [answer], holding.name, replace=True)
                    event = event_of(ledger, parts.rules, request)
                except InputError as error:
                    mistakes[answer.id] = str(error)
                    continue
                answered = ledger.answers.get(event.ids[0], {})
                if answer.label is None and event.annotator in answered:
                    undone.append(Undo(event.annotator, ids=event.ids, holds=False))
                if ledger.is_news(event):
                    news.append(answer)
            self.session.insist(*undone)
            requests = requests_of(parts.rules, news, holding.name, replace=True)
            events = [event_of(ledger, parts.rules, request) for request in requests]
            freed = holding.freed(ledger, [e for e in events if isinstance(e, Told)])
            made = self.session.insist(*freed, *requests)[len(freed) :]
        told = zip(requests, made, strict=True)
        return sum(len(new) for r, new in told if isinstance(r, Tell)), mistakes

    def _open_tasks(
        self, reading: ProjectReading, mistakes: Mapping[str, str], holding: Holding, parts: Parts
    ) -> tuple[dict[str, int], list[str]]:
        """Return the tasks that someone may still answer, by instance, and those that are stuck.

        Stuck is what everybody there has done and what cannot be told; it waits for someone to
        put it right. What was skipped is given up.
        """
        wanted, rows = parts.spec.label.annotators, parts.rows
        waiting: dict[str, int] = {}
        over: set[str] = set()
        for task in reading.tasks:
            if rows.row_of.get(task.instance, rows.n_pool) >= rows.n_pool:
                continue  # of another pool
            if task.n_people < wanted:
                waiting.setdefault(task.instance, task.number)
            else:
                over.add(task.instance)
        with self.session.journal.reading() as ledger:
            over = {i for i in over if len(ledger.answers.get(i, ())) < wanted} - set(waiting)
        stuck = sorted(over.intersection(mistakes))
        holding.give_up(sorted(over.difference(mistakes)))
        return waiting, stuck

    def _arrange(
        self, reading: ProjectReading, waiting: Mapping[str, int], holding: Holding, parts: Parts
    ) -> tuple[list[str], str | None]:
        """Push what is held and not there, and order all that waits; return what was done."""
        there = {task.instance for task in reading.tasks}
        ranked = parts.asking.rank(holding.held())
        missing = [i for i in ranked if i not in there]
        unwanted = [i for i in waiting if i not in ranked]
        order = [i for i in (*ranked, *unwanted) if i in waiting]
        is_same = order == [i for i in self._order if i in order]
        if is_same and not missing:
            return [], None
        version = self.project.next_version()  # first: nothing may come between claim and push
        fresh = self._claim(holding, missing)
        if is_same and not fresh:
            return [], None
        order = [i for i in (*ranked, *unwanted) if i in waiting or i in fresh]
        scores = {instance: position / len(order) for position, instance in enumerate(order)}
        if fresh:
            choices = parts.spec.label.choices
            self.project.push(self._tasks(fresh, parts), choices, version, scores)
        self.project.rank(version, {waiting[i]: scores[i] for i in order if i in waiting})
        self._order = order
        return fresh, version

    def _claim(self, holding: Holding, missing: Sequence[str]) -> list[str]:
        """Return what to push: what is not there, and nobody else can have pushed.

        First claim, then look: whoever claimed before has pushed by now, or never will. The look,
        the push and the server's work on it may take one timeout each.
        """
        seconds, clock = self.project.server.timeout_s, self.session.journal.clock
        began = clock()
        claimed = holding.claim(missing[:_TASKS_PER_PUSH], 3.0 * seconds) if missing else ()
        if not claimed:
            return []
        there = self.project.instances()
        is_late = clock() - began > seconds
        return [] if is_late else [i for i in claimed if i not in there]

    def _tasks(self, ids: Sequence[str], parts: Parts) -> list[LabelTask]:
        tasks = tasks_of(parts.spec, self.session.batch(ids), {})
        return [replace(task, show=tuple(map(self._reachable, task.show))) for task in tasks]

    def _reachable(self, shown: tuple[str, str, object]) -> tuple[str, str, object]:
        """Return what is shown; a path of an image or a sound as an address."""
        kind, column, value = shown
        is_path = kind in _MEDIA and isinstance(value, str) and "://" not in value
        return (kind, column, self.media + quote(str(value))) if self.media and is_path else shown


def _numbered(server: LabelStudioServer, wanted: str) -> LabelStudioProject | None:
    is_number = wanted.isascii() and wanted.isdecimal()
    return LabelStudioProject(server, int(wanted)) if is_number else None
