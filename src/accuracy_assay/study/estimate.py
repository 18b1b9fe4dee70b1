"""``estimate``: from labelled rows to an accuracy surface, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, check_scores, score_column
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.judges import warn_of_outside
from accuracy_assay.domain.measure import Measure
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.strata import stratify
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns, require_unique
from accuracy_assay.protocols import Calibration, Calibrator
from accuracy_assay.registry import (
    CalibratorChoice,
    EstimatorChoice,
    build_calibrator,
    build_estimator,
)
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.runtime.version import own_version
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.arms import Arms, learn_calibration
from accuracy_assay.study.embedding_start import start_embedding
from accuracy_assay.study.free_signals import FreeSignals
from accuracy_assay.study.measured import Scoring, estimate_measure
from accuracy_assay.study.prepare import (
    Target,
    attribute_names,
    check_target,
    check_weight,
    cluster_column,
    cluster_name,
    guessed_space,
    known_codes,
    part_unlabelled,
    resolve_space,
    warn_of_blurred_signals,
)
from accuracy_assay.study.problem import Problem
from accuracy_assay.study.text_tables import AnyAttribute, derive_texts

__all__ = ["estimate"]

_N, _SUM, _SUM_SQ = "__assay_n", "__assay_score", "__assay_score_sq"


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
) -> AccuracySurface:
    """Estimate the accuracy of a service over attribute combinations.

    Parameters
    ----------
    rows
        Labelled rows: a pandas, Polars or PyArrow frame, or a CSV, JSONL or Parquet path.
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
    labelled = read_table(made.rows)
    everything = None if pool is None else read_table(made.pool, what="pool")
    scored_by = (y_true, y_pred) if score is None else (score,)
    wanted = [*exact, *unsure, *from_label, *belonging]
    wanted += [c for c in (*scored_by, id) if c is not None]
    require_columns(labelled, wanted)
    free.require(labelled)
    if everything is not None:
        known = [*exact, *unsure, *belonging, *([] if id is None else [id])]
        require_columns(everything, known, what="pool")
        free.require(everything, "pool")
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
    tables = _Tables(labelled, everything, made.attributes, free.names, belonging, scores, weight)
    is_pool = (everything is not None) if target is None else target == "pool"
    if not hidden:
        observations = tables.observe_exact(is_pool, prior_strength)
        surface = fitted_by.fit(observations, np.random.default_rng(seed))
        return surface.with_details(provenance=_provenance(y_pred, seed))
    warn_of_blurred_signals(free.asked_for, list(hidden))
    calibrator = build_calibrator(calibration)
    problem = tables.guessed(evidence, from_label, calibrator, is_pool, seed)
    labels = problem.arms.evidence.n_rows - labelled.height + np.arange(labelled.height)
    problem = problem.condensed(labels, scores.to_numpy())
    observations = problem.observe(labels, scores.to_numpy(), prior_strength=prior_strength)
    started = start_embedding(fitted_by, problem.arms.calibration)
    surface = started.fit(observations, np.random.default_rng(seed))
    return surface.with_details(provenance=_provenance(y_pred, seed))


def _provenance(service: str | None, seed: int) -> dict[str, Any]:
    """Return what is known of a surface that its counts do not tell."""
    known = {"made": datetime.now(UTC).date().isoformat(), "seed": seed, "version": own_version()}
    return known if service is None else {"service": service, **known}


@dataclass(frozen=True)
class _Tables:
    """The labelled rows and the pool, None where the labelled rows are all there is."""

    labelled: pl.DataFrame
    pool: pl.DataFrame | None
    attributes: Sequence[str | Attribute]
    signals: list[str]
    cluster: list[str]
    scores: pl.Series
    weight: str | None = None

    def observe_exact(self, is_pool: bool, prior_strength: float) -> Observations:
        """Return the observations of exact attributes.

        Equal rows are merged first, in one pass over each table; all later work is per group.
        """
        columns = [*attribute_names(self.attributes), *self.signals, *self.cluster]
        groups = _group(self.labelled.select(columns), self.scores)
        parts = [(groups, self.labelled)]
        if self.pool is not None:
            size = pl.len() if self.weight is None else pl.col(self.weight).sum()
            sizes = self.pool.group_by(columns).agg(size.alias(_N))
            parts.insert(0, (sizes, self.pool))
        space = resolve_space(self.attributes, *(part for part, _ in parts))
        clusters = cluster_column(self.cluster, *(whole for _, whole in parts))
        strata = stratify(parts[0][1], self.signals, clusters)
        codes = np.concatenate([_encode(space, part, whole) for part, whole in parts])
        pool = parts[0][0]
        problem = Problem.build(
            Arms.exact(space, codes, pool.height),
            strata,
            None
            if strata is None
            else np.concatenate([_stratum(strata, part, whole) for part, whole in parts]),
            count=pool.get_column(_N).to_numpy().astype(np.float64),
            is_pool=is_pool,
        )
        rows = np.arange(codes.shape[0] - groups.height, codes.shape[0])
        n, total, squares = (groups.get_column(c).to_numpy() for c in (_N, _SUM, _SUM_SQ))
        return problem.condensed(rows, total, n).observe_sums(
            rows, n, total, squares, prior_strength=prior_strength
        )

    def guessed(
        self,
        evidence: Mapping[str, str],
        from_label: Sequence[str],
        calibrator: Calibrator,
        is_pool: bool,
        seed: int,
    ) -> Problem:
        """Return the problem where attributes are guessed; the labelled rows come last."""
        tables = [self.labelled] if self.pool is None else [self.pool, self.labelled]
        space = guessed_space(self.attributes, tables, evidence)
        every = Evidence.concatenate(
            [Evidence.from_frame(t, space, evidence, from_label=from_label) for t in tables]
        )
        n_pool = tables[0].height
        gold = np.full((every.n_rows, len(space.attributes)), -1, dtype=np.int64)
        gold[every.n_rows - self.labelled.height :] = known_codes(space, self.labelled)
        seed_rows = np.flatnonzero((gold >= 0).all(axis=1))

        def calibrate() -> Calibration:
            rng = np.random.default_rng([seed, 1])
            return learn_calibration(calibrator, every, gold, n_pool, seed_rows, rng)

        strata = stratify(tables[0], self.signals, cluster_column(self.cluster, *tables))
        stratum = None
        if strata is not None:
            stratum = np.concatenate([_stratum(strata, t, t) for t in tables])
        arms = Arms.read(every, gold, n_pool, calibrate)
        return Problem.build(arms, strata, stratum, is_pool=is_pool)


def _group(frame: pl.DataFrame, scores: pl.Series) -> pl.DataFrame:
    """Sum the scores of equal rows: one pass over the table, all later work is per group."""
    value = check_scores(scores.to_numpy())
    summed = frame.with_columns(scores.alias(_SUM))
    total = pl.col(_SUM).sum()
    if bool(np.all(value * value == value)):
        # Scores of 0 and 1 are their own squares.
        totals = summed.group_by(frame.columns).agg(pl.len().alias(_N), total)
        return totals.with_columns(pl.col(_SUM).alias(_SUM_SQ))
    squares = (pl.col(_SUM) * pl.col(_SUM)).sum().alias(_SUM_SQ)
    return summed.group_by(frame.columns).agg(pl.len().alias(_N), total, squares)


def _encode(space: AttributeSpace, groups: pl.DataFrame, whole: pl.DataFrame) -> IntArray:
    """Return the codes of the groups; an error names the row of the whole table at fault."""
    try:
        return space.encode(groups)
    except InputError:
        space.encode(whole)
        raise


def _stratum(strata: AttributeSpace, groups: pl.DataFrame, whole: pl.DataFrame) -> IntArray:
    return strata.arm_index(_encode(strata, groups, whole))
