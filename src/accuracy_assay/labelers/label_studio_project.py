"""A project of a Label Studio server: tasks out, answers back, and the order of the tasks.

The order is set by predictions that predict nothing: an empty result, a score, and our own
``model_version``. Under "Uncertainty sampling" the server shows the task with the lowest score
first, among those of the project's ``model_version``. Scores must lie between 0 and 1: the server
silently drops all others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.labelers.label_studio import ID, answers_of, instance_of, task_content
from accuracy_assay.labelers.label_studio_server import LabelStudioServer
from accuracy_assay.protocols import LabelTask, Returned

__all__ = ["LabelStudioProject", "ProjectReading", "ProjectTask", "create_project", "find_project"]

_EMPTY_CONFIGURATION = re.compile(r"\s*(<View>\s*</View>|<View\s*/>)?\s*")
_VERSION = re.compile(r"assay ([0-9]{1,12})")
_SETTINGS = {
    "sampling": "Uncertainty sampling",
    "show_collab_predictions": False,
    "evaluate_predictions_automatically": False,
    "enable_empty_annotation": False,
    "skip_queue": "IGNORE_SKIPPED",
}
"""Lowest score first; nobody sees a prediction, nor is an answer made from one; an answer holds
something; a task that somebody skipped is over."""
_PROJECTS_PER_PAGE, _TASKS_PER_PAGE, _IDS_PER_PAGE = 100, 200, 5_000
"""Each page takes a busy server a few seconds: 8 ms were measured for a task with its answers, and
0.8 ms for its data alone."""
_MOST_PAGES = 100_000
_READINGS = 3
"""How often a project is read again if tasks disappear while it is read."""


@dataclass(frozen=True)
class ProjectTask:
    """A task of ours: its number in the project, its instance, and how many people did it."""

    number: int
    instance: str
    n_people: int


@dataclass(frozen=True)
class ProjectReading:
    """What a project holds: tasks of ours, and the latest answer of each person to each instance.

    ``mistakes`` are annotations that cannot be read, by instance.
    """

    tasks: tuple[ProjectTask, ...]
    answers: tuple[Returned, ...]
    mistakes: Mapping[str, str]


@dataclass(frozen=True)
class LabelStudioProject:
    """One project, by its number."""

    server: LabelStudioServer
    number: int
    _people: dict[Any, str | None] = field(default_factory=dict, repr=False, compare=False)
    """The emails of users by number, as far as they are known."""

    @property
    def place(self) -> str:
        """Which project of which server this is."""
        return f"{self.server.place}/projects/{self.number}"

    def set_up(self, configuration: str, opinions: int) -> None:
        """Set what the order and the answers depend on; keep a configuration that is there.

        Parameters
        ----------
        configuration
            Labelling configuration for a project that has none yet.
        opinions
            Answers that every task wants, from as many people.
        """
        found = self.server.get(self._path())
        wanted = {**_SETTINGS, "maximum_annotations": opinions}
        if _EMPTY_CONFIGURATION.fullmatch(str(found.get("label_config") or "")):
            wanted["label_config"] = configuration
        changes = {name: value for name, value in wanted.items() if found.get(name) != value}
        if changes:
            self.server.change(self._path(), changes)

    def read(self) -> ProjectReading:
        """Return tasks and answers; tasks that are not ours are left alone."""
        found = self._tasks(_TASKS_PER_PAGE, fields="all")
        self._meet({_author(a) for task in found for a in task["annotations"]})
        tasks: list[ProjectTask] = []
        dated: list[tuple[str, Returned]] = []
        mistakes: dict[str, str] = {}
        for task in found:
            where = f"task {task['id']} of project {self.number}"
            try:
                instance = instance_of(task["data"], where)
            except InputError:
                continue
            annotations = [_with_email(a, self._people) for a in task["annotations"]]
            people_of_task = {a["completed_by"]["id"] for a in annotations}
            tasks.append(ProjectTask(task["id"], instance, len(people_of_task)))
            for annotation in annotations:
                one = {"data": task["data"], "annotations": [annotation]}
                try:
                    said = list(answers_of(one, where)) or [_skip(instance, annotation)]
                except InputError as error:
                    mistakes[instance] = str(error)
                    continue
                dated += [(str(annotation.get("updated_at")), answer) for answer in said]
        latest = {(a.id, a.annotator): a for _, a in sorted(dated, key=lambda entry: entry[0])}
        return ProjectReading(tuple(tasks), tuple(latest.values()), mistakes)

    def next_version(self) -> str:
        """Return a ``model_version`` that was not used before."""
        versions = [*self._versions(), str(self.server.get(self._path()).get("model_version"))]
        used = [int(match[1]) for v in versions if (match := _VERSION.fullmatch(v))]
        return f"assay {max(used, default=0) + 1}"

    def push(
        self,
        tasks: Sequence[LabelTask],
        choices: Sequence[str],
        version: str,
        scores: Mapping[str, float],
    ) -> None:
        """Add tasks, each with the score of its instance under a version not yet in use.

        The lowest score is served first; all lie between 0 and 1.
        """
        content = [
            {
                **task_content(task, choices),
                "predictions": [_score(version, scores[task.id])],
            }
            for task in tasks
        ]
        self.server.add(self._path("import"), content, return_task_ids="true")

    def rank(self, version: str, scores: Mapping[int, float]) -> None:
        """Score tasks, by their numbers, under a version, which then replaces all others.

        Tasks that were pushed with that version have their scores already.
        """
        if scores:
            content = [{"task": n, **_score(version, score)} for n, score in scores.items()]
            made = self.server.add(self._path("import/predictions"), content)
            if made.get("created") != len(content):
                raise ServiceError(
                    f"Label Studio at {self.server.url} must keep the scores of {len(content)} "
                    f"tasks; got {made.get('created')!r} kept. Look at its log."
                )
        self.server.change(self._path(), {"model_version": version})
        for other in self._versions():
            if other != version and _VERSION.fullmatch(other):
                self.server.delete(self._path("model-versions/"), {"model_version": other})

    def instances(self) -> set[str]:
        """Return the instances that have a task; a quick look, without their answers."""
        found = self._tasks(_IDS_PER_PAGE, include="id,data")
        return {str(task["data"][ID]) for task in found if ID in task["data"]}

    def _tasks(self, per_page: int, **query: str) -> list[Any]:
        """Return all tasks, as of one moment.

        They are listed, and not exported: each export leaves two files on the server. If one is
        deleted between two pages, others move to a page that was read; so their number must stay.
        """
        for _ in range(_READINGS):
            found: dict[int, Any] = {}
            page = self._page(1, per_page, query)
            totals = {page["total"]}
            found |= {task["id"]: task for task in page["tasks"]}
            for number in range(2, _MOST_PAGES):
                if len(found) >= page["total"]:
                    break
                try:
                    page = self._page(number, per_page, query)
                except InputError:
                    break  # there are no longer so many pages
                totals.add(page["total"])
                found |= {task["id"]: task for task in page["tasks"]}
            if totals == {len(found)}:
                return [found[n] for n in sorted(found)]
        raise ServiceError(
            f"project {self.number} must stand still while it is read; got tasks deleted each "
            "time. It is read again in the next round."
        )

    def _page(self, number: int, per_page: int, query: Mapping[str, str]) -> Mapping[str, Any]:
        which = {"project": self.number, "page": number, "page_size": per_page}
        page: Mapping[str, Any] = self.server.get("/api/tasks/", **which, **query)
        return page

    def _meet(self, authors: set[Any]) -> None:
        """Look up the emails of authors who are not known yet."""
        if not authors <= self._people.keys():
            self._people.update(dict.fromkeys(authors))
            self._people.update({u["id"]: u.get("email") for u in self.server.get("/api/users/")})

    def _versions(self) -> Mapping[str, int]:
        found: Mapping[str, int] = self.server.get(self._path("model-versions/"))
        return found

    def _path(self, rest: str = "") -> str:
        return f"/api/projects/{self.number}/{rest}"


def find_project(server: LabelStudioServer, title: str) -> LabelStudioProject | None:
    """Return the project with a title, or None.

    Raises
    ------
    InputError
        If several have that title.
    """
    found: list[int] = []
    page: Mapping[str, Any] = {"next": True}
    number = 0
    while page["next"]:
        number += 1
        query = {"title": title, "page": number, "page_size": _PROJECTS_PER_PAGE}
        page = server.get("/api/projects/", **query)
        found += [p["id"] for p in page["results"] if p["title"] == title]
    if len(found) > 1:
        raise InputError(
            f"project must be one; got {title!r}, which is the title of projects "
            f"{', '.join(map(str, found))}. Name it by its number."
        )
    return LabelStudioProject(server, found[0]) if found else None


def create_project(
    server: LabelStudioServer, title: str, configuration: str
) -> LabelStudioProject:
    """Make a project and return it."""
    made = server.add("/api/projects/", {"title": title, "label_config": configuration})
    return LabelStudioProject(server, made["id"])


def _score(version: str, score: float) -> dict[str, Any]:
    """Return a prediction that says nothing but when its task is wanted."""
    return {"model_version": version, "score": score, "result": []}


def _with_email(annotation: Mapping[str, Any], people: Mapping[int, str | None]) -> dict[str, Any]:
    """Return an annotation whose author is named by email, where the server knows it."""
    number = _author(annotation)
    return {**annotation, "completed_by": {"id": number, "email": people.get(number)}}


def _author(annotation: Mapping[str, Any]) -> Any:
    """Return the number of the user who made an annotation; None where nobody knows."""
    author = annotation.get("completed_by")
    return author.get("id") if isinstance(author, Mapping) else author


def _skip(instance: str, annotation: Mapping[str, Any]) -> Returned:
    """Return an annotation without an answer: its author had none to give."""
    author = annotation["completed_by"]
    who = author["email"] or author["id"]
    return Returned(instance, None, None if who is None else str(who))
