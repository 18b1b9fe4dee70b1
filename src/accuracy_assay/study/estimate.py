"""``estimate``: from labelled rows to an accuracy surface, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, score_column
from accuracy_assay.domain.judges import warn_of_outside
from accuracy_assay.domain.measure import Measure
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.files.parquet_rows import OnShare
from accuracy_assay.files.tables import Rows, read_columns, require_columns, require_unique
from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import (
    CalibratorChoice,
    EstimatorChoice,
    build_calibrator,
    build_estimator,
)
from accuracy_assay.runtime.engine import Engine
from accuracy_assay.runtime.engine import engine as find_engine
from accuracy_assay.runtime.version import __version__
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.measures.measured import Scoring, estimate_measure
from accuracy_assay.study.read.embedding_start import start_embedding
from accuracy_assay.study.read.exact_tables import ExactTables
from accuracy_assay.study.read.free_signals import FreeSignals
from accuracy_assay.study.read.guessed_files import GuessedFiles
from accuracy_assay.study.read.guessed_tables import GuessedTables
from accuracy_assay.study.read.prepare import (
    Target,
    attribute_names,
    check_target,
    check_weight,
    cluster_name,
    part_unlabelled,
    warn_of_blurred_signals,
)
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.streamed_scores import StreamedScores
from accuracy_assay.study.read.streamed_tables import StreamedTables, check_streamed, open_tables
from accuracy_assay.study.read.text_tables import AnyAttribute, derive_texts

__all__ = ["estimate"]


def estimate(
    rows: Rows,
    attributes: Sequence[AnyAttribute],
    score: str | None = None,
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    measure: str | None = None,
    where: str | None = None,
    pool: Rows = None,
    weight: str | None = None,
    signals: Sequence[str] | None = None,
    referees: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    answer_form: bool = False,
    cluster: str | None = None,
    evidence: Mapping[str, str] | None = None,
    from_label: Sequence[str] = (),
    estimator: EstimatorChoice = "anova-gp",
    calibration: CalibratorChoice = "full",
    seed: int = 0,
    target: Target | None = None,
    prior_strength: float = 0.1,
    id: str | None = None,
    engine: str | Engine = "local",
    on_share: OnShare | None = None,
) -> AccuracySurface:
    """Estimate the accuracy of a service over attribute combinations.

    Parameters
    ----------
    rows
        Labelled rows: a pandas, Polars or PyArrow frame, or a CSV, JSONL or Parquet path. Parquet
        may be a file, a folder of files, a pattern (``rows/*.parquet``) or an address that fsspec
        opens (``s3://bucket/rows``); it is counted where it lies and need not fit in memory.
    attributes
        Columns that span the surface, by name or as ``Attribute`` values; or ``TextAttribute``
        values, which are derived from a column of texts.
    score
        Column with the agreement of each row, in [0, 1] or boolean. A row without a value, or
        without one of ``y_true``, has no label: it is a row of the pool and nothing else.
    y_true, y_pred, agreement
        Instead of ``score``: columns of truth and prediction and how they are compared
        (``equal``, ``bleu``, ``wer``, ``absolute:LOW:HIGH``, ``module:function`` or a function).
    measure
        Another measure than accuracy, of ``y_true`` and ``y_pred``: ``recall:CLASS``,
        ``precision:CLASS``, ``false-positive-rate:CLASS`` and others of
        ``accuracy_assay.domain.measure``.
    where
        SQL condition on columns that rows must meet to count, such as ``"truth == 'yes'"``.
        Where it needs the label, the pool's rows that meet it are estimated too.
    pool
        All rows, labelled ones among them, that define the space, the support of each arm and
        the composition of its signals. By default the labelled rows are all that is known. A
        cell with more labels than pool rows is taken to have as many rows as labels.
    weight
        Column of the pool that says how many rows each of its rows stands for; one by default.
    signals
        Columns that are known for every pool row without a label, such as the predicted class or
        the confidence of the service. They sharpen the estimate and are averaged out of it.
    referees
        Columns of other services' predictions, known for every pool row beside ``y_pred``: who
        agrees with it, by ``agreement``, is one more signal.
    judges
        Columns with a verdict (a text, a boolean) or a score (a number) of the service's answer,
        known for every pool row, such as the opinion of a language model. They are signals:
        what an opinion is worth is learned from the labels.
    answer_form
        Whether the form of the answers in ``y_pred`` is a signal, where they are short texts of
        too many classes: declines to answer, yes, no, a number, an answer that recurs, else its
        length.
    cluster
        Column of rows that belong together and are not independent, such as the speaker of a
        sentence. What they share is learned and widens the intervals; under ``target``
        population accuracies are those of a new cluster.
    evidence
        For attributes that are only guessed: attribute name to a pattern of probability columns,
        such as ``{"accent": "p_accent__*"}``. The attribute's own column is then the gold; it may
        be missing, or missing in some rows. Rows with gold teach the calibration.
    from_label
        Attributes that are known once a row is labelled; the pool needs no column for them.
    estimator, calibration
        A name from the registry, ``module:Class``, a table with ``name`` and settings, or an
        object. The calibration matters only where attributes are guessed.
    seed
        Seed of all randomness.
    target
        ``"pool"`` for the accuracy of the pool's own rows (the default where a pool is given),
        ``"population"`` for the rate behind them.
    prior_strength
        Pseudo-labels that the paper's estimators give to every arm.
    id
        Column that identifies a row; a value that occurs twice is refused.
    engine
        Where rows of Parquet are counted: ``"local"``, this process, or ``"ray"``, the workers of
        a cluster; or an engine.
    on_share
        Called from time to time with the share of such rows that is counted.

    Returns
    -------
    AccuracySurface

    Raises
    ------
    InputError
        If a column is unknown, a score outside [0, 1], or the space cannot be built.
    """
    fitted_by = build_estimator(estimator)
    if target is not None:
        check_target(target)
    working = find_engine(engine) if isinstance(engine, str) else engine
    if measure is not None or where is not None:
        options = {
            "y_pred": y_pred,
            "agreement": agreement,
            "weight": weight,
            "signals": signals,
            "referees": referees,
            "judges": judges,
            "answer_form": answer_form,
            "cluster": cluster,
            "evidence": evidence,
            "from_label": from_label,
            "estimator": fitted_by,
            "calibration": calibration,
            "seed": seed,
            "target": target,
            "prior_strength": prior_strength,
            "id": id,
            "engine": working,
            "on_share": on_share,
        }
        asked = Measure.read(measure, where, y_true=y_true, y_pred=y_pred)
        scoring = Scoring(score, y_true, y_pred, agreement)
        return estimate_measure(asked, rows, attributes, pool, scoring, estimate, options)
    made = derive_texts(attributes, rows, pool)
    evidence = {**made.evidence, **(evidence or {})}
    names = attribute_names(made.attributes)
    seed = whole_number(seed, "seed")
    free = FreeSignals.check(
        names,
        signals=signals,
        referees=referees,
        judges=judges,
        answer_form=answer_form,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
    )
    belonging = cluster_name(cluster, names, free.columns, score, y_true, y_pred)
    unsure = [a.name for a in made.attributes if isinstance(a, Attribute) and a.missing == "guess"]
    hidden = dict.fromkeys([*from_label, *evidence, *unsure])
    exact = [name for name in names if name not in hidden]
    scored_by = (y_true, y_pred) if score is None else (score,)
    ids = [] if id is None else [id]
    needed = _Needed(
        rows=[*exact, *unsure, *from_label, *belonging, *(c for c in scored_by if c), *ids],
        pool=[*exact, *unsure, *belonging, *ids],
        free=free,
    )
    if not hidden and free.is_columns:
        with open_tables(made.rows, made.pool) as files:
            if files is not None:
                needed.require(*(None if table is None else table.head for table in files))
                check_streamed(*files, weight=weight, id=id)
                streamed = StreamedTables(
                    StreamedScores(files[0], score, y_true, y_pred, agreement),
                    files[1],
                    made.attributes,
                    free.names,
                    belonging,
                    weight,
                    working,
                    on_share,
                )
                observations = streamed.observe(target, prior_strength)
                if on_share is not None:
                    on_share(1.0)
                surface = fitted_by.fit(observations, np.random.default_rng(seed))
                return surface.with_details(provenance=_provenance(y_pred, seed))
    if hidden and free.is_columns:
        large = GuessedFiles.find(made.rows, made.pool, score or y_true)
        if large is not None:
            labelled = large.labelled
            needed.require(labelled, large.pool.head)
            check_weight(weight, large.pool.head, list(hidden))
            large.require_unique(id)
            scores = score_column(
                labelled, score=score, y_true=y_true, y_pred=y_pred, agree=agreement
            )
            known = [*exact, *(name for name in hidden if name in labelled.columns)]
            free.refuse_leak(labelled, scores, known, y_true)
            warn_of_blurred_signals(free.asked_for, list(hidden))
            problem = large.tables(
                made.attributes,
                free.names,
                belonging,
                scores,
                evidence,
                from_label,
                working,
                on_share,
            ).problem(build_calibrator(calibration), target != "population", seed)
            surface = _fit_guessed(fitted_by, problem, scores, prior_strength, seed)
            return surface.with_details(provenance=_provenance(y_pred, seed))
    others = [*free.asked_for, *names, *(c for c in (y_pred, weight) if c), *evidence.values()]
    labelled = read_columns(made.rows, needed.rows, others)
    everything = None
    if pool is not None:
        everything = read_columns(made.pool, needed.pool, others, what="pool")
    needed.require(labelled, everything)
    check_weight(weight, everything, list(hidden))
    if id is not None:
        require_unique(labelled.get_column(id))
        if everything is not None:
            require_unique(everything.get_column(id), what="pool")
    labelled, everything = part_unlabelled(labelled, everything, score or y_true)
    scores = score_column(labelled, score=score, y_true=y_true, y_pred=y_pred, agree=agreement)
    known = [*exact, *(name for name in hidden if name in labelled.columns)]
    free.refuse_leak(labelled, scores, known, y_true)
    parts = [labelled] if everything is None else [everything, labelled]
    warn_of_outside(parts[0], labelled, free.judges)
    *whole, labelled = free.add(parts)
    everything = whole[0] if whole else None
    is_pool = (everything is not None) if target is None else target == "pool"
    tables = (labelled, everything, made.attributes, free.names, belonging, scores)
    if not hidden:
        observations = ExactTables(*tables, weight).observe(is_pool, prior_strength)
        surface = fitted_by.fit(observations, np.random.default_rng(seed))
        return surface.with_details(provenance=_provenance(y_pred, seed))
    warn_of_blurred_signals(free.asked_for, list(hidden))
    calibrator = build_calibrator(calibration)
    guessed = GuessedTables(*tables)
    problem = guessed.problem(evidence, from_label, calibrator, is_pool, seed, working)
    surface = _fit_guessed(fitted_by, problem, scores, prior_strength, seed)
    return surface.with_details(provenance=_provenance(y_pred, seed))


def _fit_guessed(
    estimator: Estimator, problem: Problem, scores: pl.Series, prior_strength: float, seed: int
) -> AccuracySurface:
    """Return the surface of the labelled rows, which are the last rows of the problem."""
    score = scores.to_numpy()
    labels = problem.arms.evidence.n_rows - score.size + np.arange(score.size)
    condensed = problem.condensed(labels, score)
    observations = condensed.observe(labels, score, prior_strength=prior_strength)
    started = start_embedding(estimator, problem.arms.calibration)
    return started.fit(observations, np.random.default_rng(seed))


class _Needed(NamedTuple):
    """The columns that each table must have."""

    rows: Sequence[str]
    pool: Sequence[str]
    free: FreeSignals

    def require(self, rows: pl.DataFrame | None, pool: pl.DataFrame | None) -> None:
        """Raise an error that names the first column that a table lacks."""
        assert rows is not None
        require_columns(rows, self.rows)
        self.free.require(rows)
        if pool is not None:
            require_columns(pool, self.pool, what="pool")
            self.free.require(pool, "pool")


def _provenance(service: str | None, seed: int) -> dict[str, Any]:
    """Return what is known of a surface that its counts do not tell."""
    known = {"made": datetime.now(UTC).date().isoformat(), "seed": seed, "version": __version__}
    return known if service is None else {"service": service, **known}
