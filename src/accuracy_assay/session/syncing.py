"""An assay and a project of Label Studio, kept in step: a fold over what both of them hold.

A round reads the project, tells what was answered, holds what waits there, takes as much as is
wanted, pushes what is held and not there yet, and puts the waiting tasks into the order of what a
label of each is worth now. Nothing is remembered between rounds that is not in the store or in
the project, so that a process may be killed anywhere in a round and the next one goes on.

Tasks and answers are never deleted. A task that is no longer wanted, since someone elsewhere
answered it, is served last.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from accuracy_assay.domain.events import Skipped, Told, Undone
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
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.exchange import events_of, shown_kinds, tasks_of
from accuracy_assay.session.holding import Holding

__all__ = ["Round", "Sync", "open_project"]

_TASKS_PER_PUSH = 100
"""Tasks in one call: a server takes a second or two for so many, far less than its time limit."""
_MEDIA = ("image", "audio")
_PAUSE_S = 1.0
"""Seconds between looks for a project that someone else may have made."""


@dataclass(frozen=True)
class Round:
    """What one round did, and how things stand after it.

    ``waiting`` are tasks that may be answered; ``unwanted`` those of them that no longer need to
    be; ``version`` is the new ``model_version`` where the order changed; ``end`` says why there
    is nothing more to do.
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
    assay: Assay,
    server: LabelStudioServer,
    wanted: str,
    sleep: Callable[[float], object] | None = None,
) -> LabelStudioProject:
    """Return a project that is set up for an assay.

    Parameters
    ----------
    assay
        The assay whose instances it will show.
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
    shown = configuration(shown_kinds(assay.spec), assay.spec.label.choices)
    project = _numbered(server, wanted) or find_project(server, wanted)
    # A project is claimed like a task: who was killed may have made it without our knowledge.
    making = Holding(assay._asking, f"Label Studio at {server.place}")
    while project is None:
        is_claimed = making.claim([wanted], 3.0 * server.timeout_s)
        project = find_project(server, wanted)
        if project is None and is_claimed:
            project = create_project(server, wanted, shown)
        elif project is None:
            (sleep or time.sleep)(_PAUSE_S)
    project.set_up(shown, assay.spec.label.annotators)
    return project


@dataclass
class Sync:
    """Keeps an assay and a project in step.

    Parameters
    ----------
    assay, project
        The two.
    batch
        Tasks that wait in the project at a time; a batch of the spec by default.
    media
        What to put before the paths of images and sounds, so that browsers find them.
    """

    assay: Assay
    project: LabelStudioProject
    batch: int | None = None
    media: str = ""
    _order: list[str] = field(default_factory=list)
    """The order in which this process last put the tasks; none before its first time."""

    def round(self) -> Round:
        """Go through one round.

        Raises
        ------
        ServiceError
            If the server does not answer; the next round goes on from what it has.
        """
        self.assay._follow_edits()
        holding = Holding(self.assay._asking, f"Label Studio at {self.project.place}")
        reading = self.project.read()
        n_new, mistakes = self._tell(reading, holding)
        waiting, stuck = self._open_tasks(reading, mistakes, holding)
        holding.keep([*waiting, *stuck])
        batch = self.assay.spec.assay.batch if self.batch is None else self.batch
        holding.take(batch - len({*waiting, *holding.held()}))
        pushed, version = self._arrange(reading, waiting, holding)
        held, there = holding.held(), {*waiting, *pushed}
        with self.assay._journal.reading() as ledger:
            n_labels = len(ledger.answers)
        return Round(
            n_new,
            len(pushed),
            len(there),
            len(there.difference(held)),
            n_labels,
            version,
            tuple(mistakes.values()),
            None if there or held else self.assay.end(holding.name),
        )

    def _tell(self, reading: ProjectReading, holding: Holding) -> tuple[int, dict[str, str]]:
        """Tell what is new; return how many answers that were, and what cannot be told.

        Label Studio knows best what its people answered: an answer that was changed there
        replaces the old one, and one that was skipped later is taken back.
        """
        assay, mistakes = self.assay, dict(reading.mistakes)
        news: list[Returned] = []
        with assay._journal.reading() as ledger:
            for answer in reading.answers:
                try:
                    (event,) = self._events([answer], holding)
                except InputError as error:
                    mistakes[answer.id] = str(error)
                    continue
                answered = ledger.answers.get(event.ids[0], {})
                if answer.label is None and event.annotator in answered:
                    now = assay._journal.clock()
                    assay._journal.append(Undone(event.ids, event.annotator, now))
                if ledger.is_news(event):
                    news.append(answer)
            events = self._events(news, holding)
            told = [event for event in events if isinstance(event, Told)]
            n_new = sum(ledger.n_new(event) for event in told)
            if events:
                assay._journal.append(*holding.freed(ledger, told), *events)
        if n_new:
            assay._fits.start_due()
        return n_new, mistakes

    def _events(self, answers: Sequence[Returned], holding: Holding) -> list[Told | Skipped]:
        """Return the events of answers; one without an author is the tool's own."""
        spec, rows = self.assay.spec, self.assay._rows
        return events_of(spec, rows, answers, holding.name, is_replacing=True)

    def _open_tasks(
        self, reading: ProjectReading, mistakes: Mapping[str, str], holding: Holding
    ) -> tuple[dict[str, int], list[str]]:
        """Return the tasks that someone may still answer, by instance, and those that are stuck.

        Stuck is what everybody there has done and what cannot be told; it waits for someone to
        put it right. What was skipped is given up.
        """
        wanted, rows = self.assay.spec.label.annotators, self.assay._rows
        waiting: dict[str, int] = {}
        over: set[str] = set()
        for task in reading.tasks:
            if rows.row_of.get(task.instance, rows.n_pool) >= rows.n_pool:
                continue  # of another pool
            if task.n_people < wanted:
                waiting.setdefault(task.instance, task.number)
            else:
                over.add(task.instance)
        with self.assay._journal.reading() as ledger:
            over = {i for i in over if len(ledger.answers.get(i, ())) < wanted} - set(waiting)
        stuck = sorted(over.intersection(mistakes))
        holding.give_up(sorted(over.difference(mistakes)))
        return waiting, stuck

    def _arrange(
        self, reading: ProjectReading, waiting: Mapping[str, int], holding: Holding
    ) -> tuple[list[str], str | None]:
        """Push what is held and not there, and order all that waits; return what was done."""
        there = {task.instance for task in reading.tasks}
        ranked = self.assay._asking.rank(holding.held())
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
            choices = self.assay.spec.label.choices
            self.project.push(self._tasks(fresh), choices, version, scores)
        self.project.rank(version, {waiting[i]: scores[i] for i in order if i in waiting})
        self._order = order
        return fresh, version

    def _claim(self, holding: Holding, missing: Sequence[str]) -> list[str]:
        """Return what is to be pushed: what is not there, and what nobody else may have pushed.

        First the claim, then the look: who claimed before has pushed by now, or never will. The
        look, the push and what the server does with it have the time of one call each.
        """
        seconds, clock = self.project.server.timeout_s, self.assay._journal.clock
        began = clock()
        claimed = holding.claim(missing[:_TASKS_PER_PUSH], 3.0 * seconds) if missing else ()
        if not claimed:
            return []
        there = self.project.instances()
        is_late = clock() - began > seconds
        return [] if is_late else [i for i in claimed if i not in there]

    def _tasks(self, ids: Sequence[str]) -> list[LabelTask]:
        tasks = tasks_of(self.assay.spec, self.assay._show(ids), {})
        return [replace(task, show=tuple(map(self._reachable, task.show))) for task in tasks]

    def _reachable(self, shown: tuple[str, str, object]) -> tuple[str, str, object]:
        """Return what is shown; a path of an image or a sound as an address."""
        kind, column, value = shown
        is_path = kind in _MEDIA and isinstance(value, str) and "://" not in value
        return (kind, column, self.media + quote(str(value))) if self.media and is_path else shown


def _numbered(server: LabelStudioServer, wanted: str) -> LabelStudioProject | None:
    is_number = wanted.isascii() and wanted.isdecimal()
    return LabelStudioProject(server, int(wanted)) if is_number else None
