"""``Session``: one process's hold on an assay, which the page and the commands work with.

It has the journal of what happened, and the parts that follow the spec: rows, fits, asking. The
spec may be edited by any process at any time. `Session.parts` is the one way to the parts, and
looks for an edit first, so that nobody works by an old spec.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from accuracy_assay.domain.events import AssayOpened, PoolChanged, Recorded
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.protocols import OnSteps, Store
from accuracy_assay.registry import open_store
from accuracy_assay.session.answers import AnswerRules, check_ids
from accuracy_assay.session.asking import Asking, Pick
from accuracy_assay.session.cache.entries import cache_folder, keep_files
from accuracy_assay.session.cache.pool import find_pool
from accuracy_assay.session.fits import Fits
from accuracy_assay.session.frames import batch_frame
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.keeping import keep_rows
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.opening import (
    checked_rows,
    edit_events,
    kept_or_read,
    only_one,
    warn_of_other_answers,
)
from accuracy_assay.session.pool_digest import column_digests, refuse_changed_columns
from accuracy_assay.session.requests import Ask, Outcome, Request, Tell, accepted, carry_out
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.snapshots import Snapshots
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.read import SpecSource, read_spec

__all__ = ["Parts", "Session", "create_session", "open_session"]

Sources = tuple[Rows, Rows, Path | None]
"""The pool and the seed set that were given in place of the spec's files, and the cache folder."""

_STEPS = 3
"""Of a new assay: reading the pool, taking fingerprints, keeping it."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What follows the spec; made anew as a whole when the spec is edited.

    ``content`` is the spec as the store has it.
    """

    content: Mapping[str, Any]
    spec: Spec
    rows: AssayRows
    rules: AnswerRules
    snapshots: Snapshots
    fits: Fits
    asking: Asking


class Session:
    """An assay as one process holds it; made by `create_session` and `open_session`.

    Threads of the process share it.
    """

    def __init__(
        self,
        journal: Journal,
        sources: Sources,
        content: Mapping[str, Any],
        spec: Spec,
        rows: AssayRows,
        use_background_fits: bool,
    ) -> None:
        self.name = journal.name
        self.journal = journal
        self._sources = sources
        self._worker = ThreadPoolExecutor(1, "assay-fit") if use_background_fits else None
        self._turn = threading.Lock()
        self._following = threading.Lock()
        self._parts = self._made_of(content, spec, rows)

    def parts(self) -> Parts:
        """Return the parts by the spec as it now is, whoever edited it."""
        with self.journal.reading() as ledger:
            content = ledger.spec
        with self._following:
            if content is not self._parts.content and content != self._parts.content:
                spec = read_spec(content)
                self._parts = self._made_of(
                    content, spec, kept_or_read(spec, content, *self._sources)
                )
            return self._parts

    @property
    def last_parts(self) -> Parts:
        """The parts by the spec as this process last saw it, for who must wait for nothing."""
        return self._parts

    def carry_out(self, requests: Sequence[Request], *, is_whole: bool = False) -> list[Outcome]:
        """Carry out requests with one writing; see ``session.requests``."""
        parts = self.parts()
        made = carry_out(self.journal, parts.rules, requests, parts.asking, is_whole=is_whole)
        if any(isinstance(r, Tell) and o for r, o in zip(requests, made, strict=True)):
            parts.fits.start_due()
        return made

    def insist(self, *requests: Request) -> list[tuple[str, ...]]:
        """Carry out all of the requests or none, and return what each came to.

        The error of the first that is refused is raised.
        """
        return accepted(self.carry_out(requests, is_whole=True))

    def ask(self, count: int, annotator: str, among: frozenset[str] | None = None) -> list[str]:
        """Return the instances that an annotator now holds; fewer where there are no more.

        Those that want another opinion come first; with ``among`` all others are some of these.
        Threads ask one after another: together they
        would choose the same instances, and all but the first would have to choose again.
        """
        given: list[str] = []
        with self._turn:
            asking = self.parts().asking
            while len(given) < count and not asking.is_reached():
                with self.journal.reading() as ledger:
                    now = self.journal.clock()
                    left = min(count - len(given), int(ledger.room(now)))
                    picks = asking.again(ledger, annotator, now, left)
                begun = frozenset(pick.instance for pick in picks)
                picks += asking.pick(left - len(picks), annotator, begun, among)
                if left <= 0:
                    break
                (granted,) = self.insist(Ask(annotator, left, tuple(picks)))
                if not granted:
                    break
                given += granted
        return given

    def pick(self, n: int, besides: Collection[str] = ()) -> Sequence[Pick]:
        """Choose instances that nobody has begun, without giving them to anyone yet.

        A request `Ask` gives them. None come once the goal of the spec's ``stop`` is reached or
        the budget is spent; instances in ``besides`` are taken to be on their way.
        """
        asking = self.parts().asking
        return () if asking.end("") is not None else asking.pick(n, "", frozenset(besides))

    def show(self, ids: Iterable[Any] | str) -> pl.DataFrame:
        """Return instances as `Assay.ask` shows them, whoever holds or answered them."""
        return self.batch(check_ids(self.parts().rules, ids))

    def batch(self, names: Sequence[str]) -> pl.DataFrame:
        """Return instances as `show` does, by their ids as the pool writes them."""
        parts = self.parts()
        return batch_frame(parts.spec, parts.snapshots, names, self.journal.ledger)

    def edit(self, changes: Mapping[str, Any] | Spec) -> tuple[str, ...]:
        """Change the spec and return the keys that changed; see `Assay.edit`."""
        parts = self.parts()
        with self.journal.reading() as ledger:
            events = edit_events(parts.spec, parts.rows, self._sources, ledger, changes)
        if not events:
            return ()
        self.journal.append(*events)
        self.parts()
        return events[0].changes

    @property
    def n_labels(self) -> int:
        """How many instances have an answer."""
        with self.journal.reading() as ledger:
            return len(ledger.answers)

    @property
    def label_seq(self) -> int:
        """Number of the last event that changed a label; rises with every answer."""
        with self.journal.reading() as ledger:
            return ledger.seen_seq(*ledger.prediction_seq)

    def labelled_ids(self) -> set[str]:
        """Return the instances that have a label: an answer, or one of the seed set."""
        rows = self.parts().rows
        with self.journal.reading() as ledger:
            return {*ledger.answers, *(rows.ids[row] for row in rows.seed_labels)}

    def n_held(self, annotator: str) -> int:
        """Return how many instances an annotator holds, going by what this process last read."""
        ledger, now = self.journal.glance()
        return len(ledger.leases.held_by(annotator, now))

    def events(self, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the history from an event on."""
        return self.journal.store.read(self.name, from_seq)

    def read_tables(self) -> None:
        """Read the tables now rather than when they are needed, for a session that stays long.

        A change of their files then means nothing to it. Of a pool so large that its cells are
        kept, rows are looked up in the file all the same.
        """
        self._parts.rows.read_now()

    def close(self) -> None:
        """Wait for a fit in the background to end, and close the store."""
        if self._worker is not None:
            self._worker.shutdown(wait=True, cancel_futures=True)
        self.journal.store.close()

    def _made_of(self, content: Mapping[str, Any], spec: Spec, rows: AssayRows) -> Parts:
        snapshots = Snapshots(spec, rows, self.journal, self._sources[2])
        fits = Fits(spec.assay, snapshots, self.journal, self._worker)
        asking = Asking(spec, rows, self.journal, fits)
        return Parts(content, spec, rows, AnswerRules.of(spec, rows), snapshots, fits, asking)


def create_session(
    store: str | Path | Store,
    spec: SpecSource,
    tables: tuple[Rows, Rows],
    clock: Callable[[], float] | None,
    use_background_fits: bool,
    advance: OnSteps,
) -> Session:
    """Start an assay; the arguments are those of `Assay.create`."""
    checked = read_spec(spec)
    content = checked.model_dump(mode="json")
    cache = cache_folder(store)
    entry = find_pool(cache, content, *tables)
    with TemporaryDirectory() as made:  # what texts gave is kept once there is an assay
        rows = checked_rows(checked, *tables, Path(made))
        advance(1, _STEPS, "read")
        warn_of_other_answers(checked, rows)
        columns = column_digests(checked, rows)
        advance(2, _STEPS, "fingerprints taken")
        opened = AssayOpened(content, rows.n_pool, rows.digest, columns)
        home = open_store(store, is_new=True) if isinstance(store, str | Path) else store
        home.create(checked.assay.name, [opened])
        keep_files(Path(made), cache)
    keep_rows(entry, checked, rows, columns)
    advance(_STEPS, _STEPS, "kept")
    journal = Journal(home, checked.assay.name, Ledger(), clock)
    return Session(journal, (*tables, cache), content, checked, rows, use_background_fits)


def open_session(
    store: str | Path | Store,
    name: str | None,
    tables: tuple[Rows, Rows],
    clock: Callable[[], float] | None,
    use_background_fits: bool,
    accept: Collection[str],
    check: Callable[[Spec], None],
) -> Session:
    """Resume an assay; the arguments are those of `Assay.open`."""
    home = open_store(store) if isinstance(store, str | Path) else store
    journal = Journal(home, only_one(home.list(), name), Ledger(), clock)
    recorded = home.read(journal.name)
    opened = recorded[0].event
    if not isinstance(opened, AssayOpened):
        raise InputError(
            f"assay {journal.name!r} must begin with AssayOpened; got {type(opened).__name__}."
        )
    ledger = journal.ledger
    ledger.apply(recorded)
    spec = read_spec(ledger.spec)
    check(spec)
    sources = (*tables, cache_folder(store))
    rows = kept_or_read(spec, ledger.spec, *sources)
    if rows.digest != opened.ids_digest:
        raise InputError(
            f"pool must have the {opened.n_rows} instances that assay {journal.name!r} was "
            f"created with; got {rows.n_pool} with other ids. Use the same table."
        )
    changed = refuse_changed_columns(ledger.columns, column_digests(spec, rows), accept)
    if changed:
        home.append(journal.name, [PoolChanged(changed)])
    session = Session(journal, sources, ledger.spec, spec, rows, use_background_fits)
    if use_background_fits:
        session.read_tables()
    return session
