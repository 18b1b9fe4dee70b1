"""``estimate``: from labelled rows to an accuracy surface, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from accuracy_assay.domain.agreement import Agreement
from accuracy_assay.domain.columns import AnyAttribute, Columns, Picked
from accuracy_assay.domain.missing_answers import MissingPrediction
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import kind_of
from accuracy_assay.files.parquet_rows import OnShare
from accuracy_assay.files.tables import Rows
from accuracy_assay.registry import CalibratorChoice, EstimatorChoice, MeasureChoice
from accuracy_assay.runtime.engine import Engine
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.measures.measure import Measure
from accuracy_assay.study.measures.measured import estimate_measure
from accuracy_assay.study.measures.repeats import Repeats, estimate_repeats
from accuracy_assay.study.read.how import How, Target
from accuracy_assay.study.read.open_rows import open_rows

__all__ = ["estimate", "estimate_columns", "split_options"]


def estimate(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    measure: MeasureChoice | None = None,
    where: str | None = None,
    pool: Rows = None,
    weight: str | None = None,
    signals: Sequence[str] | None = None,
    referees: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    history: Sequence[str] | None = None,
    answer_form: bool = False,
    cluster: str | None = None,
    evidence: Mapping[str, str] | None = None,
    from_label: Sequence[str] = (),
    picked: Picked | None = None,
    estimator: EstimatorChoice = "anova-gp",
    calibration: CalibratorChoice = "full",
    seed: int = 0,
    target: Target | None = None,
    prior_strength: float = 0.1,
    id: str | None = None,
    annotator: str | None = None,
    gold: str | None = None,
    engine: str | Engine = "local",
    on_share: OnShare | None = None,
) -> AccuracySurface:
    """Estimate the accuracy of a service over attribute combinations.

    Parameters
    ----------
    rows
        Labelled rows: a pandas, Polars or PyArrow frame, or a CSV, JSONL or Parquet path. Parquet
        may be a file, a folder of files, a pattern (``rows/*.parquet``) or an address that fsspec
        opens (``s3://bucket/rows``); it is counted in place and need not fit in memory. Evaluation
        logs, by path or as an `EvalLog`, say themselves what their columns mean, except for the
        attributes; of several services, name one by its score column.
    attributes
        Columns that span the surface, by name or as ``Attribute`` values; or ``TextAttribute``
        values, derived from a column of texts. A `Columns` value says what all columns mean, and
        replaces the arguments that name one.
    score
        Column with the agreement of each row, in [0, 1] or boolean. A row without a value here,
        or in ``y_true``, has no label and only says how common its arm is.
    y_true, y_pred, agreement
        Instead of ``score``: columns of truth and prediction and how they are compared
        (``equal``, ``bleu``, ``wer``, ``absolute:LOW:HIGH``, ``module:function`` or a function).
    missing_prediction
        What a row with a truth and without an answer in ``y_pred`` is (null, NaN or a blank text):
        ``"wrong"``, the default; ``"refuse"``, an error; ``"drop"``, left out of rows and pool,
        which makes the service look better than it is. Beside ``score`` the score stands, unless
        such rows are refused or left out. The surface's details count them.
    measure
        Another measure than accuracy, of ``y_true`` and ``y_pred``: ``recall:CLASS``,
        ``precision:CLASS``, ``false-positive-rate:CLASS`` and others of
        ``accuracy_assay.domain.measure``; ``win-rate:SERVICE`` of pairs
        (``accuracy_assay.domain.pair_measure``); ``pass@K`` or ``pass^K`` of repeated runs of the
        items in ``cluster``; or one of your own, ``module:Class`` or a rule.
    where
        SQL condition on columns that rows must meet to count, such as ``"truth == 'yes'"``. If it
        needs the label, the number of pool rows that meet it is estimated too.
    pool
        All rows, including the labelled ones. They define the space, the support of each arm and
        the composition of its signals. By default only ``rows`` are known. If it lacks labelled
        rows, a warning says what is estimated.
    weight
        Column of the pool that says how many rows each row stands for; one by default.
    signals
        Columns known for every pool row without a label, such as the predicted class or the
        confidence of the service. They sharpen the estimate and are averaged out of it.
    referees
        Columns of other services' predictions, known for every pool row with ``y_pred``. Who
        agrees with it, by ``agreement``, is a signal.
    judges
        Columns with a verdict (a text, a boolean) or a score (a number) of the service's answer,
        such as the opinion of a language model. They are signals: the labels show what an opinion
        is worth. A judge may have scored only some rows, at random within each arm as
        ``plan_by_price`` picks them; the others then count as rows like them, and the interval
        says how far that is known.
    history
        Columns of earlier services' scores on the same rows, in [0, 1] or boolean, known for the
        whole pool. What was hard for them is a signal, and the labels show what it is worth to
        this service. Missing scores are left out; a row without any counts as an average one.
    answer_form
        Whether the form of the answers in ``y_pred`` is a signal, for short texts of too many
        classes: declines to answer, yes, no, a number, a recurring answer, else its length.
    cluster
        Column of rows that belong together and are not independent, such as the speaker of a
        sentence. What they share is learned and widens the intervals; with ``target`` population,
        accuracies are means over all clusters that there may be.
    evidence
        For guessed attributes: maps the attribute to a pattern of probability columns, such as
        ``{"accent": "p_accent__*"}``. The attribute's own column is then the gold; it, or some of
        its values, may be missing. Rows with gold teach the calibration.
    from_label
        Attributes that are known once a row is labelled; the pool needs no column for them.
    picked
        How the labelled rows were picked, if such an attribute is the label: ``"label"`` for so
        many of each class, unlike the pool; ``"random"`` by nothing that needs a label.
    estimator, calibration
        A name from the registry, ``module:Class``, a table with ``name`` and settings, or an
        object. The calibration matters only if attributes are guessed.
    seed
        Seed of all randomness.
    target
        What the numbers are about: ``"pool"``, its own rows (the default with ``pool``), or
        ``"population"``, rows like them (the default without).
    prior_strength
        Pseudo-labels that the paper's estimators give to every arm.
    id
        Column that identifies a row; its values must be unique, unless rows are answers.
    annotator
        If each row is one person's answer to an item (``id``): the column of who gave it;
        ``y_true`` is then what people answered. Their answers are a free signal of every item.
    gold
        With ``annotator``: the column of the item's true answer, empty where it is not known. Gold
        answers are the labels. Without any, an item counts by how probable it is that the service
        is right, given all answers, and the surface says that its labels are not verified
        (``surface.label_trust``).
    engine
        Where rows of Parquet are counted: ``"local"``, this process, or ``"ray"``, the workers of
        a cluster; or an engine.
    on_share
        Called from time to time with the share of such rows that is counted.

    Returns
    -------
    AccuracySurface
        Its tables are pandas frames or PyArrow tables if ``rows`` is one, else Polars.

    Raises
    ------
    InputError
        If a column is unknown, a score outside [0, 1], or the space cannot be built.
    """
    how = How.of(
        estimator,
        calibration=calibration,
        seed=seed,
        target=target,
        prior_strength=prior_strength,
        engine=engine,
        on_share=on_share,
        frames=kind_of(rows),
    )
    columns = Columns.of(
        attributes,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
        missing_prediction=missing_prediction,
        weight=weight,
        signals=signals,
        referees=referees,
        judges=judges,
        history=history,
        answer_form=answer_form,
        cluster=cluster,
        evidence=evidence,
        from_label=from_label,
        picked=picked,
        id=id,
        annotator=annotator,
        gold=gold,
    )
    return estimate_columns(columns, rows, pool, how, measure, where)


def estimate_columns(
    columns: Columns,
    rows: Rows,
    pool: Rows,
    how: How,
    measure: MeasureChoice | None = None,
    where: str | None = None,
) -> AccuracySurface:
    """Estimate accuracy, or another measure, given the columns as a value."""
    if measure is None and where is None:
        return fit_surface(columns, rows, pool, how)
    if (repeats := Repeats.named(measure)) is not None:
        if where is not None:
            raise InputError(f"where must be left out of {repeats.words}; got {where!r}.")
        return estimate_repeats(repeats, columns, rows, pool, how)
    rows, columns = open_rows(rows, columns)
    pool, _ = open_rows(pool, columns, what="pool")
    return estimate_measure(Measure.read(measure, where, columns), rows, pool, how)


def split_options(
    attributes: Sequence[AnyAttribute] | Columns, **options: Any
) -> tuple[Columns, How]:
    """Split arguments of ``estimate`` into what the columns mean and how to fit."""
    of_columns = {f.name for f in fields(Columns)} & options.keys()
    unknown = options.keys() - of_columns - {f.name for f in fields(How)}
    if unknown:
        raise TypeError(f"estimate() got an unexpected keyword argument {unknown.pop()!r}")
    columns = Columns.of(attributes, **{name: options.pop(name) for name in of_columns})
    return columns, How.of(**options)
