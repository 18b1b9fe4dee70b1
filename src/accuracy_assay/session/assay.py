"""``Assay``: a session with people. Ask for labels, tell them, read the surface.

Everything that happened is an event in the store; the object is a reading of them that any number
of processes may hold at once. Telling writes one event and fits nothing; asking fits when a round
of new labels has come in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from accuracy_assay.domain.events import (
    AssayOpened,
    PoolChanged,
    Recorded,
    Released,
    Settled,
    Skipped,
    Told,
    Undone,
)
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.files.texts import require_whole
from accuracy_assay.protocols import KeptCalibration, OnSteps, Store
from accuracy_assay.registry import (
    build_labeler,
    open_store,
)
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.session.admission import Gate
from accuracy_assay.session.answers import Confirmed, check_annotator, check_ids, told_event
from accuracy_assay.session.asking import Asking, Pick
from accuracy_assay.session.cache.pool import find_place
from accuracy_assay.session.calibrations import cache_folder, keep_texts
from accuracy_assay.session.editing import edit_events
from accuracy_assay.session.exchange import events_of, tasks_of
from accuracy_assay.session.fits import Fits
from accuracy_assay.session.frames import batch_frame, labels_frame
from accuracy_assay.session.instances import Instance, list_instances
from accuracy_assay.session.journal import Journal
from accuracy_assay.session.keeping import keep_rows
from accuracy_assay.session.ledger import Answer, Ledger
from accuracy_assay.session.opening import (
    checked_rows,
    kept_or_read,
    only_one,
    warn_of_other_answers,
)
from accuracy_assay.session.pool_digest import column_digests, refuse_changed_columns
from accuracy_assay.session.predicting import missing_predictions, predict_missing
from accuracy_assay.session.recording import record
from accuracy_assay.session.requests import Outcome, Request, Tell, carry_out
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.session.snapshots import Snapshots
from accuracy_assay.session.status import Status, count_status, raw_agreement
from accuracy_assay.session.team import Team, count_team
from accuracy_assay.spec.answerers import AnswererSection, JudgeSection
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.read import SpecSource, read_spec

if TYPE_CHECKING:
    from accuracy_assay.calibration.report import CalibrationReport
    from accuracy_assay.reports.judge_report import JudgeReport
    from accuracy_assay.study.attributes.propose import Proposals
    from accuracy_assay.study.compare.comparison import Comparison
    from accuracy_assay.study.plan.forecast import Forecast, PlanFor

__all__ = ["ANYONE", "Assay"]

ANYONE = "anyone"
"""The annotator of calls that name none."""

OnProgress = Callable[[int, int, float], None]
_STEPS = 3
"""Of a new assay: reading the pool, taking fingerprints, keeping it."""


class Assay:
    """An assay that people work on; made by `create` and `open`.

    Examples
    --------
    >>> pool = pl.DataFrame({"id": ["x1", "x2"], "sex": ["f", "m"], "guess": ["cat", "dog"]})
    >>> spec = {
    ...     "assay": {"estimator": "beta-independent", "strategy": "random"},
    ...     "attribute": [{"name": "sex"}],
    ...     "service": [{"name": "reader", "column": "guess"}],
    ...     "label": {"choices": ["cat", "dog"]},
    ... }
    >>> assay = Assay.create("pets.assay", spec, pool=pool)
    >>> batch = assay.ask(2, annotator="ann")
    >>> assay.tell(batch["id"], ["cat", "cat"], annotator="ann")
    2
    >>> assay.status()["labels"], assay.surface("reader").n_labels
    (2, 2.0)
    """

    def __init__(
        self,
        store: Store,
        name: str,
        rows: AssayRows,
        spec: Spec,
        *,
        ledger: Ledger,
        tables: tuple[Rows, Rows],
        cache: Path | None,
        clock: Callable[[], float] | None,
        use_background_fits: bool,
    ) -> None:
        self.name = name
        self._tables = (*tables, cache)
        self._cache = cache
        self._journal = Journal(store, name, ledger, clock)
        self._worker = ThreadPoolExecutor(1, "assay-fit") if use_background_fits else None
        self._set_up(spec, rows)

    def _set_up(self, spec: Spec, rows: AssayRows) -> None:
        """Make the parts that follow the spec, at the start and after each edit."""
        self.spec = spec
        self._spec_content: Mapping[str, Any] = spec.model_dump(mode="json")
        self._rows = rows
        self._snapshots = Snapshots(spec, rows, self._journal, self._cache)
        self._fits = Fits(spec.assay, self._snapshots, self._journal, self._worker)
        self._asking = Asking(spec, rows, self._journal, self._fits)

    @classmethod
    def create(
        cls,
        store: str | Path | Store,
        spec: SpecSource,
        *,
        pool: Rows = None,
        seed_set: Rows = None,
        clock: Callable[[], float] | None = None,
        use_background_fits: bool = False,
        on_progress: OnSteps | None = None,
    ) -> Self:
        """Start an assay.

        Parameters
        ----------
        store
            Path of a SQLite file, a ``postgresql://`` URL, or a `Store`.
        spec
            Path of an ``assay.toml``, the same as nested dictionaries, or a `Spec`.
        pool, seed_set
            Tables to use in place of the files that the spec names.
        clock
            Seconds since 1970; by default the clock of the store.
        use_background_fits
            Whether fits run in a thread of their own, started by `tell`, so that `ask` does not
            wait for them either.
        on_progress
            Called with (steps done, steps in all, a remark) while the pool is read and kept.

        Raises
        ------
        InputError
            If the spec or a table has a mistake, or the store has an assay of that name. Nothing
            is written then.
        """
        checked = read_spec(spec)
        content = checked.model_dump(mode="json")
        place = find_place(cache_folder(store), content, pool, seed_set)
        advance = on_progress or (lambda *_: None)
        with TemporaryDirectory() as made:  # what texts gave is kept once there is an assay
            rows = checked_rows(checked, pool, seed_set, Path(made))
            advance(1, _STEPS, "read")
            warn_of_other_answers(checked, rows)
            columns = column_digests(checked, rows)
            advance(2, _STEPS, "fingerprints taken")
            opened = AssayOpened(content, rows.n_pool, rows.digest, columns)
            home = open_store(store, is_new=True) if isinstance(store, str | Path) else store
            home.create(checked.assay.name, [opened])
            keep_texts(Path(made), cache_folder(store))
        keep_rows(place, checked, rows, columns)
        advance(_STEPS, _STEPS, "kept")
        return cls(
            home,
            checked.assay.name,
            rows,
            checked,
            ledger=Ledger(),
            tables=(pool, seed_set),
            cache=cache_folder(store),
            clock=clock,
            use_background_fits=use_background_fits,
        )

    @classmethod
    def open(
        cls,
        store: str | Path | Store,
        name: str | None = None,
        *,
        pool: Rows = None,
        seed_set: Rows = None,
        clock: Callable[[], float] | None = None,
        accept: Collection[str] = (),
        check: Callable[[Spec], None] | None = None,
        use_background_fits: bool = False,
    ) -> Self:
        """Resume an assay; ``name`` says which where the store has several.

        ``pool`` and ``seed_set`` are needed where the tables were given as frames, or have moved.
        Columns in ``accept`` may hold other values than when the assay was made; that is recorded.
        ``check`` is called with the spec before anything that it names is imported.
        """
        home = open_store(store) if isinstance(store, str | Path) else store
        name = only_one(home.list(), name)
        recorded = home.read(name)
        opened = recorded[0].event
        if not isinstance(opened, AssayOpened):
            raise InputError(
                f"assay {name!r} must begin with AssayOpened; got {type(opened).__name__}."
            )
        history = Ledger()
        history.apply(recorded)
        content = (history.edited or opened).spec
        spec = read_spec(content)
        if check is not None:
            check(spec)
        rows = kept_or_read(spec, content, pool, seed_set, cache_folder(store))
        if rows.digest != opened.ids_digest:
            raise InputError(
                f"pool must have the {opened.n_rows} instances that assay {name!r} was created "
                f"with; got {rows.n_pool} with other ids. Use the same table."
            )
        changed = refuse_changed_columns(history.columns, column_digests(spec, rows), accept)
        if changed:
            home.append(name, [PoolChanged(changed)])
        assay = cls(
            home,
            name,
            rows,
            spec,
            ledger=history,
            tables=(pool, seed_set),
            cache=cache_folder(store),
            clock=clock,
            use_background_fits=use_background_fits,
        )
        if use_background_fits:
            assay.hold()
        return assay

    def hold(self) -> None:
        """Read the tables now rather than when they are needed, for a session that stays long.

        A change of their files then means nothing to it. Of a pool so large that its cells are
        kept, rows are looked up in the file all the same.
        """
        self._rows.hold()

    def ask(self, n: int | None = None, *, annotator: str = ANYONE) -> pl.DataFrame:
        """Hand out the instances that are most worth a label.

        The annotator holds them until the lease of the spec runs out; nobody else gets them until
        then, unless the spec wants several annotators for each instance.

        Parameters
        ----------
        n
            How many, a batch of the spec by default. Fewer come when the budget or the pool ends.
        annotator
            Who will answer.

        Returns
        -------
        polars.DataFrame
            Columns ``id``, what to show, ``arm`` (what is known of the attributes) and ``why``;
            with guessed attributes also ``unsure``, those that are worth a confirmation.
        """
        self._follow_edits()
        count = self.spec.assay.batch if n is None else whole_number(n, "n")
        check_annotator(annotator)
        return self._show(self._asking.ask(count, annotator))

    def end(self, annotator: str = ANYONE) -> str | None:
        """Return why `ask` has nothing more for an annotator, or None where it has.

        The goal of the spec's ``stop`` is reached, the budget is spent, or no instance is left.
        """
        self._follow_edits()
        return self._asking.end(annotator)

    def pending(self, annotator: str = ANYONE) -> pl.DataFrame:
        """Return the instances that an annotator holds and has not answered, as `ask` did."""
        with self._journal.reading() as ledger:
            return self._show(ledger.held(annotator, self._journal.clock()))

    def tell(
        self,
        ids: Iterable[Any] | str,
        labels: Iterable[Any] | str,
        annotator: str = ANYONE,
        *,
        confirmed_attributes: Confirmed = None,
        seconds: Sequence[float | None] = (),
        replace: bool = False,
    ) -> int:
        """Record answers; when this returns they are on disk.

        Parameters
        ----------
        ids, labels
            Instances of the pool, asked for or not, and their labels.
        annotator
            Who answered. Answers of several annotators to one instance are kept and resolved by
            majority.
        confirmed_attributes
            Attribute values that the annotator is sure of: a mapping for each answer, or for each
            attribute a list.
        seconds
            How long each answer took.
        replace
            Whether another answer of the same annotator is replaced.

        Returns
        -------
        int
            Answers that are new; 0 when all of them had been told before.

        Raises
        ------
        ConflictError
            If the annotator has given another answer before and ``replace`` is not set. Then none
            of the answers is recorded.
        """
        self._follow_edits()
        event = told_event(
            self.spec,
            self._rows,
            ids,
            labels,
            annotator,
            confirmed_attributes,
            seconds,
            is_replacing=replace,
        )
        return self._record([event])

    def tell_file(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        annotator: str = ANYONE,
        replace: bool = False,
    ) -> int:
        """Record the answers in a file of a labelling tool: all of them, or none.

        Parameters
        ----------
        path
            The file.
        format
            ``csv``, ``jsonl`` or ``label-studio``; by default the file's ending decides.
        annotator
            Who answered, where the file does not say it.
        replace
            As in `tell`.

        Returns
        -------
        int
            Answers that are new.
        """
        returned = build_labeler(format, Path(path)).read(Path(path))
        events = events_of(self.spec, self._rows, returned, annotator, is_replacing=replace)
        return self._record(events)

    def write_tasks(
        self,
        batch: pl.DataFrame,
        path: str | Path,
        *,
        format: str | None = None,
        show_predictions: bool = False,
        annotator: str | None = None,
    ) -> None:
        """Write what `ask` returned as tasks for a labelling tool.

        The file remembers the ``annotator`` it is made for: `tell_file` takes its answers as
        theirs.

        What the services predicted is left out unless ``show_predictions`` is set: an annotator
        who sees it tends to agree with it.
        """
        predictions = {}
        if show_predictions:
            with self._journal.reading() as ledger:
                predictions = {
                    s.name: self._snapshots.predictions(s, ledger) for s in self.spec.service
                }
        who = None if annotator is None else check_annotator(annotator)
        tasks = tasks_of(self.spec, batch, predictions, who)
        build_labeler(format, Path(path)).write(tasks, self.spec.label.choices, Path(path))

    def skip(self, ids: Iterable[Any] | str, annotator: str = ANYONE, reason: str = "") -> None:
        """Give instances back unanswered; this annotator is not asked for them again."""
        names = check_ids(self._rows, ids)
        who, why = check_annotator(annotator), require_whole(reason, "reason")
        self._journal.append(Skipped(names, who, why))

    def give_back(self, ids: Iterable[Any] | str, annotator: str = ANYONE) -> None:
        """Give instances back unanswered; anybody, this annotator too, may be asked for them."""
        names = check_ids(self._rows, ids)
        if names:
            self._journal.append(Released(names, check_annotator(annotator)))

    def undo(self, annotator: str = ANYONE, count: int = 1) -> tuple[str, ...]:
        """Take back an annotator's last answers, who then holds these instances again."""
        with self._journal.reading() as ledger:
            ids = tuple(ledger.last_told(annotator, count))
            if not ids:
                raise InputError(f"annotator must have told an answer to undo; got {annotator!r}.")
            until = self._journal.clock() + 60.0 * self.spec.assay.lease_minutes
            self._journal.append(Undone(ids, annotator, until))
            return ids

    def pick(self, n: int, besides: Collection[str] = ()) -> Sequence[Pick]:
        """Choose instances that nobody has begun, without giving them to anyone yet.

        `carry_out` gives them. None come once the goal of the spec's ``stop`` is reached or the
        budget is spent; instances in ``besides`` are taken to be on their way.
        """
        self._follow_edits()
        if self._asking.end("") is not None:
            return ()
        return self._asking.pick(n, "", frozenset(besides))

    def carry_out(self, requests: Sequence[Request]) -> list[Outcome]:
        """Carry out requests of several people with one writing; see ``session.requests``."""
        self._follow_edits()
        made = carry_out(self.spec, self._rows, self._journal, self._asking, requests)
        if any(isinstance(r, Tell) and o for r, o in zip(requests, made, strict=True)):
            self._fits.start_due()
        return made

    def settle(
        self, ids: Iterable[Any] | str, labels: Iterable[Any] | str, annotator: str
    ) -> None:
        """Decide what instances are on which annotators disagree; it stands from then on."""
        told = told_event(self.spec, self._rows, ids, labels, annotator)
        if unanswered := [i for i in told.ids if i not in self._answered()]:
            raise InputError(f"instance must have answers to settle; got {unanswered[0]!r}.")
        self._journal.append(Settled(told.ids, told.labels, told.annotator))

    def team(self) -> Team:
        """Return what each annotator has done, how well they agree, and who may come in."""
        with self._journal.reading() as ledger:
            return count_team(ledger, self._journal.clock())

    @property
    def gate(self) -> Gate:
        """Who may work on the page: invitations, sessions, and taking them back."""
        return Gate(self._journal)

    def refresh(self, service: str | None = None) -> AccuracySurface:
        """Return a surface of all labels so far that is fitted from the one before.

        It is there sooner than that of `surface`, and may differ from it in the last digits; the
        next choice of instances is guided by it.
        """
        self._follow_edits()
        return self._fits.refresh(self.spec.find_service(service)).shown

    def latest_surface(self, service: str | None = None) -> AccuracySurface | None:
        """Return the surface of the last fit of this process, however old; None before one."""
        latest = self._fits.latest(self.spec.find_service(service).name)
        return None if latest is None or not latest.made.n_labels else latest.shown

    def surface(self, service: str | None = None) -> AccuracySurface:
        """Return the accuracy surface of a service, fitted to all labels so far.

        It depends on the events alone: whoever replays them gets the same surface.
        """
        self._follow_edits()
        return self._fits.surface(self.spec.find_service(service))

    def measure(
        self, measure: str | None = None, service: str | None = None, *, where: str | None = None
    ) -> AccuracySurface:
        """Return the surface of another measure, such as ``recall:yes``, as in ``estimate``.

        Conditions may name ``truth``, the label, and ``prediction`` beside columns of the pool.
        """
        from accuracy_assay.session.measuring import measure_service

        self._follow_edits()
        section = self.spec.find_service(service)
        with self._journal.reading() as ledger:
            known = self._snapshots.predictions(section, ledger)
        return measure_service(self._snapshots.take(section), known, measure, where)

    def compare(
        self,
        services: Sequence[str] | None = None,
        *,
        where: Mapping[str, object] | None = None,
        mix: Rows | None = None,
        prices: Mapping[str, float] | None = None,
    ) -> Comparison:
        """Return services side by side, row by row, from the labels that scored them all.

        Parameters
        ----------
        services
            Names of two or more; all by default.
        where, mix
            Attribute values, or a client's own mix, as in ``accuracy_assay.compare``.
        prices
            What one answer of each costs; by default the prices in the spec.

        Raises
        ------
        InputError
            If there are fewer than two, or one has not answered a labelled instance.
        """
        # Here and not above: telling an answer loads nothing that only fits need.
        from accuracy_assay.session.comparing import compare_services

        self._follow_edits()
        names = [s.name for s in self.spec.service] if services is None else services
        sections = [self.spec.find_service(name) for name in names]
        return compare_services(self._fits, sections, prices).asked(where, mix)

    def judge_report(self, service: str | None = None) -> JudgeReport | None:
        """Return what the judges of a service are worth and where they are lenient or harsh.

        Judges count once they have judged every row. It is None without any, and without labels.
        """
        from accuracy_assay.session.opinions import judges_of_fit

        self._follow_edits()
        section = self.spec.find_service(service)
        return judges_of_fit(self._fits.cold(section), self._snapshots.take(section))

    def referee_table(self, service: str | None = None) -> pl.DataFrame | None:
        """Return how accurate a service is where its referees agree with it, and where not.

        Returns
        -------
        polars.DataFrame or None
            ``stratum`` (who agrees), ``rows`` of the pool, ``labels`` and ``accuracy``; None where
            there are no referees, or the estimator does not tell.
        """
        from accuracy_assay.session.opinions import referees_of_fit

        self._follow_edits()
        return referees_of_fit(self._fits.cold(self.spec.find_service(service)))

    def propose_attributes(
        self, service: str | None = None, columns: Sequence[str] | None = None
    ) -> Proposals:
        """Return which unused columns of the pool would make good attributes, by the labels."""
        from accuracy_assay.session.columns import propose_columns

        self._follow_edits()
        return propose_columns(self._snapshots.take(self.spec.find_service(service)), columns)

    def contested(self) -> pl.DataFrame:
        """Return the instances without a label on which no two services agree.

        Returns
        -------
        polars.DataFrame
            ``id`` and one column per service with its prediction.
        """
        from accuracy_assay.session.opinions import contested_rows

        self._follow_edits()
        labelled = self._labelled_ids()
        with self._journal.reading() as ledger:
            known = {s.name: self._snapshots.predictions(s, ledger) for s in self.spec.service}
            return contested_rows(self.spec, self._rows, known, labelled)

    def plan(
        self,
        half_width: float | None = None,
        of: PlanFor = "overall",
        *,
        where: Mapping[str, Any] | None = None,
        service: str | None = None,
        cost_per_label: float | None = None,
    ) -> Forecast:
        """Return how many more labels a goal takes, with cost, and how sure that is.

        Parameters
        ----------
        half_width, of, where
            As in ``accuracy_assay.plan``; by default those of the spec's ``stop``.
        service
            Which service, where there are several; a ranking is of all of them.
        cost_per_label
            Price of a label; by default that of the spec's ``[label]``.
        """
        self._follow_edits()
        stop = self.spec.assay.stop
        if half_width is None and of == "overall" and stop is not None:
            half_width, of, where = stop.half_width, stop.of, stop.where
        sections = self.spec.service if of == "ranking" else (self.spec.find_service(service),)
        price = self.spec.label.price if cost_per_label is None else cost_per_label
        return self._asking.plan(sections, half_width, of, where, price)

    def status(self) -> Status:
        """Return where the assay stands."""
        self._follow_edits()
        with self._journal.reading() as ledger:
            now = self._journal.clock()
            return count_status(
                self.name,
                self.spec,
                self._rows,
                self._fits,
                ledger,
                now,
                is_random=self._asking.strategy.is_random,
            )

    def edit(self, changes: Mapping[str, Any] | Spec) -> tuple[str, ...]:
        """Change the spec: budget, batch, leases, choices, methods, how a service is reached.

        The change is an event; every session of the assay follows it from then on.

        Parameters
        ----------
        changes
            Nested like the spec, with only what changes, such as ``{"assay": {"budget": 500}}``;
            services and judges are known by their names, and a new name adds one. Or a whole
            `Spec`.

        Returns
        -------
        tuple of str
            The keys that changed; none where everything was so already.

        Raises
        ------
        InputError
            If the new spec has a mistake, or would change what labels so far mean.
        """
        self._follow_edits()
        with self._journal.reading() as ledger:
            events = edit_events(self.spec, self._rows, self._tables, ledger, changes)
        if events:
            self._journal.append(*events)
            self._follow_edits()
        return events[0].changes if events else ()

    def _follow_edits(self) -> None:
        """Take over a spec that was changed, here or by another session."""
        with self._journal.reading() as ledger:
            edited = ledger.edited
        if edited is not None and edited.spec != self._spec_content:
            spec = read_spec(edited.spec)
            self._set_up(spec, kept_or_read(spec, edited.spec, *self._tables))
            self._spec_content = edited.spec  # as it was written, whatever keys came since

    def agreement(self, service: str | None = None) -> tuple[float | None, int]:
        """Return how well a service agrees with the labels so far, and how many these are.

        This is the plain mean over the labels that people gave, which were not drawn as the pool
        is: `surface` says how accurate the service is. It is None where there are no labels.
        """
        section = self.spec.find_service(service)
        with self._journal.reading() as ledger:
            return raw_agreement(self.spec, section, self._fits, ledger)

    def labels(self) -> pl.DataFrame:
        """Return one row for each labelled instance: id, label, answers, is_disputed, votes."""
        with self._journal.reading() as ledger:
            return labels_frame(ledger)

    def instances(
        self, where: Mapping[str, object] | None = None, *, labelled_only: bool = True
    ) -> list[Instance]:
        """Return the instances behind some arms: labelled ones first, the surest first.

        Parameters
        ----------
        where
            Attribute values as in ``AccuracySurface.at``; all instances by default. Those of
            guessed attributes are listed where they may well be, with their chances.
        labelled_only
            Whether instances without a label are left out. Of these no prediction is told.
        """
        self._follow_edits()
        return list_instances(self._snapshots, where or {}, labelled_only=labelled_only)

    def expected_errors(self, service: str | None = None) -> dict[int, float]:
        """Return what the fits so far expected of their own error, by their numbers of labels.

        The error is the mean squared one over arms, times 100, as in ``status``.
        """
        name = self.spec.find_service(service).name
        with self._journal.reading() as ledger:
            known = ledger.expectations.get(name, {})
            return {n: known[n] for n in sorted(known)}

    def disagreements(self) -> pl.DataFrame:
        """Return the labelled instances on which annotators disagree."""
        return self.labels().filter("is_disputed").drop("is_disputed")

    def predict(
        self,
        service: str | None = None,
        on_progress: OnProgress | None = None,
        *,
        limit: int | None = None,
        labelled_only: bool = False,
        engine: str = "local",
    ) -> int:
        """Let a service predict what it has not predicted yet, and keep its answers.

        Rows are claimed in the store and every answer is stored as it comes: a killed run goes on
        where it stopped, two runs at once share the work, and no call is paid for twice.

        Parameters
        ----------
        service
            Name of the service.
        limit
            Most instances to predict now.
        labelled_only
            Whether only labelled instances are predicted, which is all that a surface needs;
            without the rest there are no free signals.
        on_progress
            Called with (predicted, all, cost so far).
        engine
            Who calls the service: ``local``, this process, or ``ray``, the workers of a cluster.

        Returns
        -------
        int
            Instances that were predicted now.
        """
        section = self.spec.find_service(service)
        if section.column is not None:
            return 0
        if limit is not None and limit < 0:
            raise InputError(f"limit must be at least 0; got {limit}.")
        only = self._labelled_ids() if labelled_only else None
        return predict_missing(
            section, self._rows, self._journal, None, only, limit, on_progress, engine
        )

    def judge(
        self,
        judge: str | None = None,
        service: str | None = None,
        on_progress: OnProgress | None = None,
        *,
        limit: int | None = None,
        labelled_only: bool = False,
        engine: str = "local",
    ) -> int:
        """Let a judge look at the answers of a service that it has not judged yet.

        It is asked as a service is: rows are claimed, and every opinion is stored as it comes.
        Answers that the service has not given yet cannot be judged.

        Parameters
        ----------
        judge, service
            Name of the judge, and of the service; each may be left out where there is one.
        limit, labelled_only, on_progress, engine
            As in `predict`.

        Returns
        -------
        int
            Answers that were judged now.
        """
        section = self._judge_of(judge, service)
        if section is None or section.column is not None:
            return 0
        if limit is not None and limit < 0:
            raise InputError(f"limit must be at least 0; got {limit}.")
        only = self._labelled_ids() if labelled_only else None
        with self._journal.reading() as ledger:
            judged = dict(self._snapshots.predictions(self.spec.find_service(service), ledger))
        return predict_missing(
            section, self._rows, self._journal, judged, only, limit, on_progress, engine
        )

    def n_unjudged(
        self, judge: str | None = None, service: str | None = None, *, labelled_only: bool = False
    ) -> int:
        """Return how many instances a judge has no opinion on; times its price, the cost."""
        section = self._judge_of(judge, service)
        if section is None or section.column is not None:
            return 0
        return self._n_missing(section, labelled_only)

    def _judge_of(self, judge: str | None, service: str | None) -> JudgeSection | None:
        """Return a judge of a service, None where it judges others."""
        wanted = self.spec.find_judge(judge).of(self.spec.find_service(service).name)
        judges = self.spec.judges_of(self.spec.find_service(service))
        return next((known for known in judges if known.name == wanted.name), None)

    def n_unpredicted(self, service: str | None = None, *, labelled_only: bool = False) -> int:
        """Return how many instances a service has not predicted; times its price, the cost."""
        section = self.spec.find_service(service)
        if section.column is not None:
            return 0
        return self._n_missing(section, labelled_only)

    def calibrate(
        self, out: Path | None = None, on_progress: OnSteps | None = None
    ) -> CalibrationReport | None:
        """Learn P(a|x) now instead of at the first question; kept beside the store.

        Parameters
        ----------
        out
            File to write the calibration to as well; see ``docs/calibration.md``.
        on_progress
            Called with (steps done, steps at most, a remark).

        Returns
        -------
        CalibrationReport or None
            What it is worth on held-out rows of the seed set; None where every attribute is exact.
        """
        calibration = self._snapshots.calibrate(on_progress)
        if not isinstance(calibration, KeptCalibration):
            return None
        if out is not None:
            calibration.save(out)
        report: CalibrationReport = calibration.report
        return report

    def show(self, ids: Iterable[Any] | str) -> pl.DataFrame:
        """Return instances as `ask` shows them, whoever holds or answered them."""
        return self._show(check_ids(self._rows, ids))

    def answers_of(self, annotator: str, count: int) -> dict[str, Answer]:
        """Return an annotator's last answers by instance, the latest first."""
        with self._journal.reading() as ledger:
            latest = ledger.last_told(annotator, count)
            return {instance: ledger.answers[instance][annotator] for instance in latest}

    def predictions(self, ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return what services predicted for instances, by instance and service."""
        with self._journal.reading() as ledger:
            known = {s.name: self._snapshots.predictions(s, ledger) for s in self.spec.service}
        return {i: {name: of[i][0] for name, of in known.items() if i in of} for i in ids}

    def n_held(self, annotator: str) -> int:
        """Return how many instances an annotator holds, going by what this process last read."""
        ledger, now = self._journal.glance()
        return sum(annotator in by and by[annotator] > now for by in list(ledger.leases.values()))

    @property
    def n_labels(self) -> int:
        """How many instances have an answer."""
        with self._journal.reading() as ledger:
            return len(ledger.answers)

    @property
    def label_seq(self) -> int:
        """Number of the last event that changed a label; rises with every answer."""
        with self._journal.reading() as ledger:
            return ledger.seen_seq(*ledger.prediction_seq)

    def events(self, from_seq: int = 1) -> Sequence[Recorded]:
        """Return the history from an event on."""
        return self._journal.store.read(self.name, from_seq)

    @property
    def space(self) -> AttributeSpace:
        """The attributes and their values."""
        return self._rows.space

    @property
    def pool(self) -> pl.DataFrame:
        """The rows of the pool."""
        return self._rows.frame[: self._rows.n_pool]

    def close(self) -> None:
        """Wait for a fit in the background to end, and close the store."""
        if self._worker is not None:
            self._worker.shutdown(wait=True, cancel_futures=True)
        self._journal.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _record(self, events: Sequence[Told | Skipped]) -> int:
        n_new = record(self._journal, events)
        if n_new:
            self._fits.start_due()
        return n_new

    def _n_missing(self, section: AnswererSection, labelled_only: bool) -> int:
        only = self._labelled_ids() if labelled_only else None
        with self._journal.reading() as ledger:
            missing = missing_predictions(section, self._rows, ledger)
        return len(missing) if only is None else sum(i in only for i in missing)

    def _answered(self) -> Collection[str]:
        with self._journal.reading() as ledger:
            return ledger.answers.keys()

    def _labelled_ids(self) -> set[str]:
        with self._journal.reading() as ledger:
            return {*ledger.answers, *(self._rows.ids[row] for row in self._rows.seed_labels)}

    def _show(self, ids: Sequence[str]) -> pl.DataFrame:
        reasons = [self._journal.ledger.reasons.get(i, "") for i in ids]
        return batch_frame(self.spec, self._snapshots, ids, reasons)
