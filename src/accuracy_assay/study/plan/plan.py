"""``plan``: how many more labels a goal takes, from a table with the labels so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, check_scores
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.missing_answers import MissingPrediction
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns, require_unique
from accuracy_assay.registry import (
    EstimatorChoice,
    StrategyChoice,
    build_estimator,
    build_strategy,
)
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.plan.forecast import Forecast, PlanFor, forecast
from accuracy_assay.study.read.annotations import condense_answers
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.how import Target, check_target
from accuracy_assay.study.read.open_rows import open_rows
from accuracy_assay.study.read.problem import LabelledProblem, LabelledRows, Problem
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.tables import (
    cluster_column,
    divide,
    require_signals,
    with_signals,
)
from accuracy_assay.study.read.texts import derive_values

__all__ = ["plan"]


def plan(
    pool: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | Sequence[str] | None = None,
    *,
    half_width: float | None = None,
    of: PlanFor = "overall",
    where: Mapping[str, object] | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    signals: Sequence[str] | None = None,
    referees: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    history: Sequence[str] | None = None,
    answer_form: bool = False,
    cluster: str | None = None,
    estimator: EstimatorChoice = "anova-gp",
    strategy: StrategyChoice = "variance-reduction",
    target: Target = "pool",
    cost_per_label: float = 0.0,
    seed: int = 0,
    y_true: str | None = None,
    id: str | None = None,
    annotator: str | None = None,
    gold: str | None = None,
) -> Forecast:
    """Return how many more labels a goal takes, from the labels so far or from none.

    Parameters
    ----------
    pool, attributes, y_pred, agreement, missing_prediction, estimator, target
        As in ``estimate``; the attributes must be known for every row.
    signals, history, cluster
        As in ``estimate``.
    referees, judges, answer_form
        As in ``estimate``; they are about one service, so not for a ranking.
    score
        Column of the scores, null for rows without a label; none if nothing is labelled yet; one
        column per service for ``of="ranking"``.
    half_width
        How narrow the interval should be: 0.05 is five percentage points to either side; by
        default half as wide as the labels so far make it. For a ranking, the difference that does
        not matter, if any.
    of
        ``overall``, ``worst``, ``every-arm``, ``slice`` (with ``where``) or ``ranking``.
    where
        Attribute values of a slice, as in ``AccuracySurface.at``.
    strategy
        What chooses the labels.
    cost_per_label
        Price of a label.
    seed
        Seed of all randomness.
    y_true, id, annotator, gold
        As in ``estimate``, instead of ``score``.

    Returns
    -------
    Forecast

    Examples
    --------
    >>> import polars as pl
    >>> right = [1, 1, 0, 1, 1] * 20 + [None] * 900
    >>> pool = pl.DataFrame({"sex": ["F", "M"] * 500, "right": right})
    >>> found = plan(pool, ["sex"], "right", half_width=0.03, strategy="random")
    >>> found.lower < found.labels < found.upper
    True
    """
    check_target(target)
    columns = Columns.of(
        attributes,
        y_pred=y_pred,
        y_true=y_true,
        agreement=agreement,
        missing_prediction=missing_prediction,
        signals=signals,
        referees=referees,
        judges=judges,
        history=history,
        answer_form=answer_form,
        cluster=cluster,
        id=id,
        annotator=annotator,
        gold=gold,
    )
    columns.refuse("a plan", "evidence", "from_label", "weight")
    if columns.score and score is not None:
        raise InputError(f"score must be given once; got {columns.score!r} and {score!r}.")
    if score is None:
        pool, columns = open_rows(pool, columns, what="pool")  # a log has a score of its own
    asked = columns.score if score is None else score
    scores = [asked] if asked is None or isinstance(asked, str) else list(asked)
    for what in ("referees", "judges", "answer_form"):
        if getattr(columns, what) and len(scores) > 1:
            raise InputError(
                f"{what} must be about the prediction of one service; got a ranking of "
                f"{len(scores)}. Leave them out."
            )
    columns, pool, _ = derive_values(replace(columns, score=scores[0]), pool)
    columns, pool, _, _, unverified = condense_answers(columns, pool)
    frame = read_table(pool, what="pool")
    if columns.label in frame.columns:
        labelled = frame.filter(pl.col(str(columns.label)).is_not_null())
        columns.missing_answers(labelled)
    frame = columns.answered(frame)
    problem, frame = _read_pool(columns, frame, [s for s in scores if s is not None], target)
    fitted_by, chosen_by = build_estimator(estimator), build_strategy(strategy)
    rng = np.random.default_rng(whole_number(seed, "seed"))
    surfaces: dict[str, AccuracySurface] = {}
    problems: list[Problem] = []
    is_free = np.ones(frame.height, dtype=bool)
    for name in scores:
        known, values = _labels(replace(columns, score=name), frame)
        is_free[known] = False
        problems.append(problem.condensed(known, values))
        found = LabelledProblem(problems[-1], LabelledRows(known, values))
        if unverified is not None:
            found = unverified.count(found, frame[known])
        surfaces[str(name)] = fitted_by.fit(found.observe(), rng)
    candidates = [each.candidates(np.flatnonzero(is_free)) for each in problems]
    return forecast(
        surfaces,
        problems,
        candidates,
        chosen_by,
        rng,
        half_width=half_width,
        of=of,
        where=where,
        cost_per_label=cost_per_label,
    )


def _labels(columns: Columns, frame: pl.DataFrame) -> tuple[IntArray, FloatArray]:
    """Return the labelled rows and their scores, (m,) each."""
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    if columns.label is None:
        return nothing
    is_known = frame.get_column(columns.label).is_not_null()
    if not is_known.any():
        return nothing
    found = columns.scores(frame.filter(is_known)).to_numpy()
    scores = check_scores(found, what=f"column {columns.label!r}")
    return np.flatnonzero(is_known.to_numpy()), scores


def _read_pool(
    columns: Columns, frame: pl.DataFrame, scores: Sequence[str], target: Target
) -> tuple[Problem, pl.DataFrame]:
    """Return the problem of a pool before any label, and the pool with a column per signal."""
    space = resolve_space(columns.attributes, frame)
    require_columns(frame, [*scores, *columns.scored_by, *columns.needed])
    if columns.id is not None:
        require_unique(frame.get_column(columns.id), what="pool")
    require_signals(columns, frame, "pool")
    (frame,) = with_signals(columns, [frame])
    arms = Arms.exact(space, space.encode(frame), frame.height)
    clusters = cluster_column(columns.cluster, frame)
    strata, stratum = divide([frame], columns.signal_columns, clusters)
    return Problem.build(arms, strata, stratum, is_pool=target == "pool"), frame
