"""``Assay``: a session with people. Ask for labels, tell them, read the surface.

Everything that happened is an event in the store, and any number of processes may read and write
it at once. `tell` writes one event and fits nothing; `ask` fits once a round of new labels has
come in. `Session` does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.protocols import KeptCalibration, OnSteps, Store
from accuracy_assay.registry import build_labeler
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.session.admission import Admission
from accuracy_assay.session.answers import Confirmed, check_annotator, check_ids, several
from accuracy_assay.session.exchange import requests_of, tasks_of
from accuracy_assay.session.frames import labels_frame
from accuracy_assay.session.predicting import OnProgress, Run, judge_of, predict_missing
from accuracy_assay.session.requests import GiveBack, Settle, Skip, Tell, Undo
from accuracy_assay.session.session import Session, create_session, open_session
from accuracy_assay.session.status import Status, count_status
from accuracy_assay.session.team import Team, count_team
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.read import SpecSource

if TYPE_CHECKING:
    from accuracy_assay.calibration.report import CalibrationReport
    from accuracy_assay.reports.certificate import Certificate
    from accuracy_assay.reports.checks import Gate
    from accuracy_assay.session.watching import History
    from accuracy_assay.spec.model import ServiceSection
    from accuracy_assay.study.attributes.propose import Proposals
    from accuracy_assay.study.compare.comparison import Comparison
    from accuracy_assay.study.gate.check import LabelsFor
    from accuracy_assay.study.plan.by_price import PriceGoal, PricePlan
    from accuracy_assay.study.plan.forecast import Forecast, PlanFor
    from accuracy_assay.study.watch.watched import Watch

__all__ = ["ANYONE", "Assay"]

ANYONE = "anyone"
"""The annotator of calls that name none."""


class Assay:
    """An assay that people work on; made by `create` and `open`.

    Annotators call `ask`, `pending`, `tell`, `tell_file`, `write_tasks`, `skip`, `give_back`,
    `undo` and `end`. Evaluators call `status`, `labels`, `surface`, `measure`, `compare`, `check`,
    `plan`, `plan_by_price`, `certify`, `judged_rows` and `propose_attributes`. Admins call `edit`,
    `predict`, `judge`, `calibrate`, `settle`, `team` and `admission`. Every call goes by the spec
    as it now is, whoever edited it. What only the page and the commands need is in ``session``,
    which may change from version to version.

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

    def __init__(self, session: Session) -> None:
        self.session = session

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
        advance = on_progress or (lambda *_: None)
        tables = (pool, seed_set)
        return cls(create_session(store, spec, tables, clock, use_background_fits, advance))

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
        agree, tables = check or (lambda _: None), (pool, seed_set)
        return cls(open_session(store, name, tables, clock, use_background_fits, accept, agree))

    @property
    def name(self) -> str:
        """Name of the assay."""
        return self.session.name

    @property
    def spec(self) -> Spec:
        """The spec as it now is."""
        return self.session.parts().spec

    @property
    def space(self) -> AttributeSpace:
        """The attributes and their values."""
        return self.session.parts().rows.space

    @property
    def pool(self) -> pl.DataFrame:
        """The rows of the pool."""
        rows = self.session.parts().rows
        return rows.frame[: rows.n_pool]

    def close(self) -> None:
        """Wait for a fit in the background to end, and close the store."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # For annotators.

    def ask(
        self,
        n: int | None = None,
        *,
        annotator: str = ANYONE,
        among: Iterable[Any] | str | None = None,
    ) -> pl.DataFrame:
        """Hand out the instances that are most worth a label.

        The annotator holds them until the lease of the spec runs out; nobody else gets them until
        then, unless the spec wants several annotators for each instance.

        Parameters
        ----------
        n
            How many, a batch of the spec by default. Fewer come when the budget or the pool ends.
        annotator
            Who will answer.
        among
            The instances to choose among, such as those that `plan_by_price` gives to people; all
            by default.

        Returns
        -------
        polars.DataFrame
            Columns ``id``, what to show, ``arm`` (what is known of the attributes) and ``why``;
            with guessed attributes also ``unsure``, those that are worth a confirmation.
        """
        count = self.spec.assay.batch if n is None else whole_number(n, "n")
        return self.session.batch(
            self.session.ask(count, check_annotator(annotator), self._among(among))
        )

    def pending(self, annotator: str = ANYONE) -> pl.DataFrame:
        """Return the instances that an annotator holds and has not answered, as `ask` did."""
        journal = self.session.journal
        with journal.reading() as ledger:
            held = ledger.leases.held_by(annotator, journal.clock())
        return self.session.batch(held)

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
            Who answered. Answers of several annotators to one instance are kept; the majority is
            the label, and how sure it is decides what it counts.
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
        known, took = confirmed_attributes, tuple(seconds)
        request = Tell(annotator, several(ids), several(labels), known, took, replace)
        (new,) = self.session.insist(request)
        return len(new)

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
        requests = requests_of(self.session.parts().rules, returned, annotator, replace=replace)
        made = zip(requests, self.session.insist(*requests), strict=True)
        return sum(len(new) for request, new in made if isinstance(request, Tell))

    def write_tasks(
        self,
        batch: pl.DataFrame,
        path: str | Path,
        *,
        format: str | None = None,
        show_predictions: bool = False,
        annotator: str | None = None,
    ) -> None:
        """Write what `ask` returned as tasks for a labelling tool, for `tell_file` to read back.

        Parameters
        ----------
        batch, path, format
            What was asked for, and the file as in `tell_file`.
        show_predictions
            Whether what the services predicted is shown; an annotator who sees it tends to agree.
        annotator
            Whom the file is made for: `tell_file` takes its answers as theirs.
        """
        parts = self.session.parts()
        predictions = parts.snapshots.by_service() if show_predictions else {}
        who = None if annotator is None else check_annotator(annotator)
        tasks = tasks_of(parts.spec, batch, predictions, who)
        build_labeler(format, Path(path)).write(tasks, parts.spec.label.choices, Path(path))

    def skip(self, ids: Iterable[Any] | str, annotator: str = ANYONE, reason: str = "") -> None:
        """Give instances back unanswered; this annotator is not asked for them again."""
        self.session.insist(Skip(annotator, several(ids), reason))

    def give_back(self, ids: Iterable[Any] | str, annotator: str = ANYONE) -> None:
        """Give instances back unanswered; anybody, this annotator too, may be asked for them."""
        self.session.insist(GiveBack(annotator, several(ids)))

    def undo(self, annotator: str = ANYONE, count: int = 1) -> tuple[str, ...]:
        """Take back an annotator's last answers, who then holds these instances again."""
        (undone,) = self.session.insist(Undo(annotator, count))
        return undone

    def end(self, annotator: str = ANYONE) -> str | None:
        """Return why `ask` has nothing more for an annotator, or None where it has.

        The goal of the spec's ``stop`` is reached, the budget is spent, or no instance is left.
        """
        return self.session.parts().asking.end(annotator)

    def _among(self, ids: Iterable[Any] | str | None) -> frozenset[str] | None:
        return None if ids is None else frozenset(check_ids(self.session.parts().rules, ids))

    # For evaluators.

    def status(self) -> Status:
        """Return labels, budget, annotators and services in a few numbers; nothing is fitted."""
        return count_status(self.session)

    def labels(self) -> pl.DataFrame:
        """Return one row for each labelled instance: id, label, answers, is_disputed, votes.

        Then ``chance`` (with which it was picked, null where nobody asked for it) and
        ``at_random``: whether it was drawn from all free instances alike.
        """
        with self.session.journal.reading() as ledger:
            return labels_frame(ledger, self.session.last_parts.snapshots.told(ledger))

    def surface(self, service: str | None = None, *, now: bool = False) -> AccuracySurface:
        """Return the accuracy surface of a service, fitted to all labels so far.

        It depends on the events alone: whoever replays them gets the same surface.

        Parameters
        ----------
        service
            Which service; the first by default.
        now
            Whether labels count less the older they are, at a rate that they show themselves (as
            in ``Watch.surface``). Attributes must then be known for every row.
        """
        parts = self.session.parts()
        section = parts.spec.find_service(service)
        if not now:
            return parts.fits.surface(section)
        return self._history(section).surface()

    def measure(
        self, measure: str | None = None, service: str | None = None, *, where: str | None = None
    ) -> AccuracySurface:
        """Return the surface of another measure, such as ``recall:yes``, as in ``estimate``.

        Conditions may name ``truth``, the label, and ``prediction`` beside columns of the pool.
        """
        # Here and not above: telling an answer loads nothing that only estimates need.
        from accuracy_assay.session.measuring import measure_service

        parts = self.session.parts()
        section = parts.spec.find_service(service)
        predictions = parts.snapshots.by_service()[section.name]
        return measure_service(parts.snapshots.take(section), predictions, measure, where)

    def compare(
        self,
        services: Sequence[str] | None = None,
        *,
        where: Mapping[str, object] | None = None,
        mix: Rows | None = None,
        prices: Mapping[str, float] | None = None,
        on_service: Callable[[int, int], None] | None = None,
    ) -> Comparison:
        """Return services side by side, from their surfaces and the labels that they share.

        Parameters
        ----------
        services
            Names of two or more; all by default.
        where, mix
            Attribute values, or a client's own mix, as in ``accuracy_assay.compare``.
        prices
            What one answer of each costs; by default the prices in the spec.
        on_service
            Called with the number of services that have their surface, and of all.

        Raises
        ------
        InputError
            If there are fewer than two, or one has not answered a labelled instance.
        """
        from accuracy_assay.session.comparing import compare_services

        parts = self.session.parts()
        names = [s.name for s in parts.spec.service] if services is None else services
        sections = [parts.spec.find_service(name) for name in names]
        return compare_services(parts.fits, sections, prices, on_service).asked(where, mix)

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
            As in ``accuracy_assay.plan``; by default those of the spec's ``stop``, if it has any.
        service
            Which service, where there are several; a ranking is of all of them.
        cost_per_label
            Price of a label; by default that of the spec's ``[label]``.
        """
        parts = self.session.parts()
        spec, stop = parts.spec, parts.spec.assay.stop
        if half_width is None and of == "overall" and stop is not None:
            half_width, of, where = stop.half_width, stop.of, stop.where
        sections = spec.service if of == "ranking" else (spec.find_service(service),)
        price = spec.label.price if cost_per_label is None else cost_per_label
        return parts.asking.plan(sections, half_width, of, where, price)

    def plan_by_price(
        self,
        half_width: float,
        of: PriceGoal = "overall",
        *,
        service: str | None = None,
        prices: Mapping[str, float] | None = None,
        **options: Any,
    ) -> PricePlan:
        """Return which instances go to people and which to judges for the least money.

        `ask` and `judge` take what ``rows()`` of the plan names as ``among``.

        Parameters
        ----------
        half_width, of
            As in ``accuracy_assay.plan_by_price``.
        service
            Which service, where there are several.
        prices
            What a label of ``"people"`` and an opinion of each judge costs, if not as the spec
            says.
        options
            ``judges`` and ``passes``, as there.
        """
        from accuracy_assay.session.judged import plan_judges

        return plan_judges(self.session, half_width, of, service, prices, **options)

    def judged_rows(self, service: str | None = None) -> pl.DataFrame:
        """Return the pool with the score of people, ``people``, and the opinion of each judge.

        Null where nobody said anything: what ``accuracy_assay.estimate`` takes where judges
        scored only some rows.
        """
        from accuracy_assay.session.judged import judged_rows

        found = judged_rows(self.session, service)
        return found.table[: found.n_pool]

    def certify(
        self, judge: str | None = None, service: str | None = None, **options: Any
    ) -> Certificate:
        """Return where a judge of a service may decide in place of people, by the labels so far.

        Parameters
        ----------
        judge, service
            Each may be left out where there is one.
        options
            ``tolerance``, ``statement``, ``settings`` and so on, as in
            ``accuracy_assay.certify``.
        """
        from accuracy_assay.session.judged import certify_judge

        return certify_judge(self.session, service, judge, **options)

    def check(
        self,
        service: str | None = None,
        *,
        not_worse_than: str | AccuracySurface | Comparison | None = None,
        **asked: Any,
    ) -> Gate:
        """Check whether a service holds what a release asks for.

        Parameters
        ----------
        service
            Which service, where there are several.
        not_worse_than
            Another service of the assay, which is then compared row by row; or as in
            ``accuracy_assay.check``.
        **asked
            As in ``accuracy_assay.check``.
        """
        from accuracy_assay.study.gate.check import check

        own = self.spec.find_service(service).name
        old = not_worse_than
        if isinstance(old, str):
            old = self.compare([own, self.spec.find_service(old).name])
        surface = self.surface(own)
        return check(surface, not_worse_than=old, forecast=self.labels_for(own), **asked)

    def watch(
        self,
        service: str | None = None,
        *,
        time: str | None = None,
        version: str | None = None,
        baseline: object = None,
        tolerance: float = 0.02,
        every: int | None = None,
        false_alarm: float = 0.05,
        order: int = 2,
    ) -> Watch:
        """Watch a service over time, as ``accuracy_assay.watch`` does, by its random labels.

        Parameters
        ----------
        service
            Which service; the first by default.
        time
            Column of the pool that says when a row happened; by default ``time`` of the spec's
            ``[pool]``, or else the time of its first answer.
        version
            Column of the pool with the version of the service; by default the ``version`` that
            the spec had when the label came.
        baseline, tolerance, every, false_alarm, order
            As in ``accuracy_assay.watch``.

        Raises
        ------
        NoGuaranteeError
            If too few labels were drawn at random.
        InputError
            If an attribute is guessed.
        """
        return self._history(self.session.parts().spec.find_service(service)).watch(
            time,
            version,
            baseline=baseline,
            tolerance=tolerance,
            every=every,
            false_alarm=false_alarm,
            order=order,
        )

    def _history(self, service: ServiceSection) -> History:
        """Return the labels of a service with their times."""
        from accuracy_assay.session.watching import History

        seen = self.session.parts().snapshots.take(service)
        with self.session.journal.reading() as ledger:
            return History.of(seen, ledger)

    def labels_for(self, service: str | None = None) -> LabelsFor:
        """Return a function from a half-width and attribute values to the labels they take.

        It is that of a gate: None stands for a number that nobody can tell.
        """

        def labels(half_width: float, where: Mapping[str, object] | None) -> int | None:
            of: PlanFor = "slice" if where else "overall"
            try:
                found = self.plan(half_width, of, where=where, service=service)
            except InputError:
                return None  # a pool that is too large to plan for can still be checked
            return found.labels if found.is_within_pool else None

        return labels

    def propose_attributes(
        self, service: str | None = None, columns: Sequence[str] | None = None
    ) -> Proposals:
        """Return which unused columns of the pool would make good attributes, by the labels."""
        from accuracy_assay.session.proposing import propose_columns

        parts = self.session.parts()
        return propose_columns(parts.snapshots.take(parts.spec.find_service(service)), columns)

    # For admins.

    def edit(self, changes: Mapping[str, Any] | Spec) -> tuple[str, ...]:
        """Change the spec: budget, batch, leases, choices, methods, how a service is reached.

        The change is an event, which every session of the assay follows.

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
        return self.session.edit(changes)

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
        run = Run(limit, labelled_only, engine, on_progress or (lambda *_: None))
        return predict_missing(self.session, self.spec.find_service(service), run)

    def judge(
        self,
        judge: str | None = None,
        service: str | None = None,
        on_progress: OnProgress | None = None,
        *,
        limit: int | None = None,
        labelled_only: bool = False,
        among: Iterable[Any] | str | None = None,
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
        among
            Instances whose answers are judged, such as those that `plan_by_price` gives to
            judges; all by default.

        Returns
        -------
        int
            Answers that were judged now.
        """
        show = on_progress or (lambda *_: None)
        run = Run(limit, labelled_only, engine, show, self._among(among))
        parts = self.session.parts()
        section = judge_of(parts.spec, judge, service)
        judged = parts.snapshots.by_service()[parts.spec.find_service(service).name]
        return predict_missing(self.session, section, run, dict(judged))

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
        calibration = self.session.parts().snapshots.calibrate(on_progress)
        if not isinstance(calibration, KeptCalibration):
            return None
        if out is not None:
            calibration.save(out)
        report: CalibrationReport = calibration.report
        return report

    def settle(
        self, ids: Iterable[Any] | str, labels: Iterable[Any] | str, annotator: str
    ) -> None:
        """Decide the labels of disputed instances, whatever the answers say."""
        self.session.insist(Settle(annotator, several(ids), several(labels)))

    def team(self) -> Team:
        """Return what each annotator has done, how reliable they are, and who is invited."""
        journal, snapshots = self.session.journal, self.session.parts().snapshots
        with journal.reading() as ledger:
            return count_team(ledger, journal.clock(), snapshots.crowd(ledger))

    @property
    def admission(self) -> Admission:
        """Who may work on the page: invites people, signs them in, and revokes both."""
        return Admission(self.session.journal)
