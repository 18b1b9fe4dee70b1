"""Another measure than accuracy from the labels of a session.

The columns ``truth`` and ``prediction`` hold the label of a row and the service's prediction; a
condition may name them beside the pool's columns. The strategy chose instances by signals (the
prediction, the confidence), so the estimate must know them, as the estimate of accuracy does.
"""

from __future__ import annotations

import polars as pl

from accuracy_assay.domain.measure import Condition
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.session.service_problem import Predictions
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.study.estimate import estimate

__all__ = ["measure_service"]

_TRUTH, _PREDICTION = "truth", "prediction"


def measure_service(
    seen: Snapshot, predictions: Predictions, measure: str | None, where: str | None
) -> AccuracySurface:
    """Return the surface of a measure.

    Parameters
    ----------
    seen
        The labels, and what the service said of the labelled rows.
    predictions
        What it has said of all rows so far.
    measure, where
        As in ``estimate``.

    Raises
    ------
    InputError
        If an attribute is guessed, revealed by the label or named like one of the two columns, if
        there is no label, or if a condition on the truth meets labels not chosen at random.
    """
    spec, rows = seen.problem.spec, seen.problem.rows
    unsure = [a.name for a in spec.attribute if a.evidence or a.from_label or a.missing == "guess"]
    if unsure:
        raise InputError(
            "a measure must be over attributes that are known for every row; got "
            f"{unsure[0]!r}, which is guessed or revealed by the label."
        )
    taken = {_TRUTH, _PREDICTION} & set(rows.space.names)
    if taken:
        raise InputError(
            f"attributes must not be called truth or prediction; got {taken.pop()!r}."
        )
    labelled = sorted(seen.labels)
    if not labelled:
        raise InputError("a measure must have labels; got none yet.")
    needs_truth = where is not None and _TRUTH in Condition(where).columns
    if needs_truth and spec.assay.strategy_name != "random":
        raise InputError(
            "a condition on the truth must be asked of labels that were chosen at random; got "
            f"{where!r} and the strategy {spec.assay.strategy_name!r}. Name a measure that says "
            "the same, such as recall:CLASS, which knows what the strategy chose by."
        )
    seen.problem.scores(labelled, seen.labels, seen.predictions)  # names what has no prediction
    solved = seen.problem.without_leak(seen.labels, seen.predictions)
    answers = [seen.predictions[rows.ids[row]][0] for row in labelled]
    labels = [seen.labels[row].label for row in labelled]
    pool = rows.frame[: rows.n_pool].drop(_TRUTH, _PREDICTION, strict=False)
    if all(i in predictions for i in rows.ids[: rows.n_pool]):
        said = [predictions[i][0] for i in rows.ids[: rows.n_pool]]
        pool = pool.with_columns(pl.Series(_PREDICTION, said))
    told = rows.frame[labelled].with_columns(
        pl.Series(_TRUTH, labels), pl.Series(_PREDICTION, answers)
    )
    has_signals = not needs_truth and _PREDICTION in pool.columns
    signals = solved.signal_table.columns if has_signals else []
    return estimate(
        told.with_columns(solved.signal_table[labelled].select(signals)),
        rows.space.attributes,
        y_true=_TRUTH,
        y_pred=_PREDICTION,
        agreement=spec.label.agreement,
        measure=measure,
        where=where,
        pool=pool.with_columns(solved.signal_table[: rows.n_pool].select(signals)),
        signals=signals,
        cluster=spec.pool.cluster if has_signals else None,
        estimator=spec.assay.estimator,
        seed=spec.assay.seed,
        target="population" if spec.assay.target == "population" else None,
    )
