"""``propose_attributes``: which unused columns would make good attributes, from the labels so far.

The labelled rows are dealt into folds. The estimator predicts each fold from the others; what a
further column adds to these predictions is also learned from the other folds
(`numerics.value_effects`) and scored on the fold itself. A column is proposed if it raises the
held-out log score and its values, shuffled, seldom do as well: so seldom that the chance of any
false proposal among all columns stays below ``error`` (Holm's rule).

Only a column's own effect, beside the attributes, is seen; one whose effects in different arms
cancel out is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.special import logit

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.agreement import Agreement, check_scores
from accuracy_assay.domain.candidate_columns import CandidateColumn, read_columns
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.missing_answers import MissingPrediction
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind, kind_of
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.numerics.dependence import determined_share
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.numerics.value_effects import chance_of_luck, held_out_gain
from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import EstimatorChoice, build_estimator
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.attributes.offered import OfferedColumns, offer_columns
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.tables import part_unlabelled
from accuracy_assay.study.read.texts import derive_values

__all__ = ["Proposal", "Proposals", "judge_columns", "propose_attributes"]

_FOLDS = 5
"""Folds: each prediction rests on four fifths of the labels."""
_LEAST_LABELS = 20
"""Fewest labels by which columns are judged: four per fold."""
_SURE = 1e-3
"""Predicted rates stay this far from 0 and 1, so that one surprise does not outweigh all else."""
_DETERMINED = 0.95
"""A column is redundant if an attribute or a better column determines this share of its entropy,
as between attributes."""
_SHUFFLES, _SHUFFLES_PER_COLUMN = 1999, 40
"""How often a column's values are shuffled: at least 1,999 times, and often enough that the
smallest possible p-value passes among all columns."""
_REVEALED = 0.999
"""A column gives the scores away if it determines this share of their entropy."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one unused column would add.

    Parameters
    ----------
    column
        Its name.
    as_typed
        The column as an attribute on the command line, with the edges of its bands.
    values
        Number of its values or bands.
    gain, gain_se
        How much it raises the log score of all labels, each predicted without its own fold, in
        nats; and the standard error of that.
    p_value
        How often its values, shuffled, do as well.
    is_proposed
        Whether it passes, given the number of columns.
    determined_by
        The attribute or better column that determines its value; None if there is none.
    """

    column: str
    as_typed: str
    values: int
    gain: float
    gain_se: float
    p_value: float
    is_proposed: bool = False
    determined_by: str | None = None

    @property
    def finding(self) -> str:
        """What that means, in words."""
        if self.determined_by is not None:
            return f"redundant: {self.determined_by} determines it"
        return "proposed" if self.is_proposed else "no sign that it helps"


@dataclass(frozen=True, slots=True)
class Proposals:
    """Unused columns, ordered by what they would add.

    Parameters
    ----------
    columns
        Proposed ones first, then by gain, largest first.
    skipped
        Columns that cannot be an attribute, and why.
    labels
        Labels that they were judged by.
    error
        Chance of any false proposal.
    frames
        What tables are returned as, as in `AccuracySurface`.
    """

    columns: tuple[Proposal, ...]
    skipped: dict[str, str]
    labels: int
    error: float
    frames: FrameKind = "polars"

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def proposed(self) -> tuple[Proposal, ...]:
        """The proposed columns."""
        return tuple(p for p in self.columns if p.is_proposed)

    def to_frame(self) -> Frame:
        """Return one row per column: column, as_typed, values, gain, gain_se, p_value, finding."""
        table = pl.DataFrame(
            [
                (p.column, p.as_typed, p.values, p.gain, p.gain_se, p.p_value, p.finding)
                for p in self.columns
            ],
            schema={
                "column": pl.String,
                "as_typed": pl.String,
                "values": pl.Int64,
                "gain": pl.Float64,
                "gain_se": pl.Float64,
                "p_value": pl.Float64,
                "finding": pl.String,
            },
            orient="row",
        )
        return as_kind(table, self.frames)


def propose_attributes(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    pool: Rows = None,
    columns: Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    cluster_texts: Sequence[str] = (),
    estimator: EstimatorChoice = "anova-gp",
    error: float = 0.05,
    seed: int = 0,
) -> Proposals:
    """Judge unused columns by how much better they predict held-out labels.

    Parameters
    ----------
    rows, attributes, score, y_true, y_pred, agreement, missing_prediction, pool, estimator, seed
        As in ``estimate``; attributes must be exact, and signals play no part.
    columns
        Columns to judge; by default all of both tables except attributes, parts of the score and
        what belongs to other services; and what their texts are like, such as their length.
    leave_out
        Columns not to judge, such as free signals.
    cluster_texts
        Columns of texts whose clusters to judge too, by what the texts mean (extra
        ``embeddings``).
    error
        Chance of any false proposal.

    Returns
    -------
    Proposals

    Raises
    ------
    InputError
        If a column is unknown or labels are fewer than 20.
    """
    asked = Columns.of(
        attributes,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
        missing_prediction=missing_prediction,
    )
    if asked.hidden:
        raise InputError(
            "columns must be judged beside attributes that are known for every row; got guessed "
            f"ones, {list(asked.hidden)}. Leave them out of the attributes."
        )
    kind = kind_of(rows)
    known, rows, pool = derive_values(asked, rows, pool)
    known, rows, pool, *_ = settle_answers(known, rows, pool)
    labelled = read_table(rows)
    everything = None if pool is None else read_table(pool, what="pool")
    scored_by = [c for c in (known.score, known.y_true, known.y_pred) if c is not None]
    require_columns(labelled, [*known.names, *scored_by, *(columns or ())])
    labelled, everything = part_unlabelled(labelled, everything, known.label)
    known.missing_answers(labelled)
    labelled = known.answered(labelled)
    everything = None if everything is None else known.answered(everything)
    scores = known.scores(labelled)
    tables = [labelled] if everything is None else [everything, labelled]
    space = resolve_space(known.attributes, *tables)
    codes = np.concatenate([space.encode(table) for table in tables])
    taken = known.named_in(tables[0].columns) | set(leave_out)
    taken |= set(tables[0].columns) - set(labelled.columns)
    offered = OfferedColumns(tuple(columns or ()))
    if not columns:
        offered = offer_columns(tables[0], taken, asked.attributes)
    offered = offered.with_clusters(tables[0], cluster_texts)
    require_columns(tables[0], offered.names, what="pool")
    whole = offered.read(*tables)
    arms = Arms.exact(space, codes, tables[0].height)
    index = codes.shape[0] - labelled.height + np.arange(labelled.height)
    found = judge_columns(
        arms,
        index,
        scores.to_numpy(),
        whole,
        build_estimator(estimator),
        error=error,
        seed=whole_number(seed, "seed"),
        offered=offered,
    )
    return replace(found, frames=kind)


def judge_columns(
    arms: Arms,
    rows: IntArray,
    scores: FloatArray,
    columns: pl.DataFrame,
    estimator: Estimator,
    *,
    known: IntArray | None = None,
    error: float = 0.05,
    seed: int = 0,
    offered: OfferedColumns | None = None,
) -> Proposals:
    """Judge the columns of a table with one row per row of ``arms``.

    Parameters
    ----------
    arms
        The arms of all rows, the pool first.
    rows, scores
        Labelled rows and their scores, (m,) each.
    columns
        Values of the columns for all rows.
    estimator
        What predicts the folds.
    known
        Codes (m, K) that the labels made certain.
    error, seed
        As in `propose_attributes`.
    offered
        Where the columns come from, if nobody named them.
    """
    if not 0.0 < error < 1.0:
        raise InputError(f"error must lie between 0 and 1; got {error}. Write 5% as 0.05.")
    if rows.size < _LEAST_LABELS:
        raise InputError(
            f"columns must be judged by at least {_LEAST_LABELS} labels; got {rows.size}. Label "
            "more rows first."
        )
    right = check_scores(scores)
    rng = np.random.default_rng(seed)
    fold = rng.permutation(np.arange(rows.size) % _FOLDS)
    found, skipped = read_columns(columns, arms.n_pool)
    of_arms = arms.labelled(rows, known)
    kept = []
    for column in found:
        if _reveals_scores(column.code[rows], right):
            skipped[column.name] = "gives away the score of every labelled row"
        else:
            kept.append(column)
    rate = _predict_folds(arms, rows, right, of_arms, fold, estimator, seed) if kept else right
    offset = logit(np.clip(rate, _SURE, 1.0 - _SURE))
    n_shuffles = max(_SHUFFLES, _SHUFFLES_PER_COLUMN * len(kept))
    judged = [_judge(column, rows, offset, right, fold, n_shuffles, rng) for column in kept]
    ordered = _ordered(judged, error)
    codes = {column.name: column.code[: arms.n_pool] for column in kept}
    marked = _mark_determined(ordered, codes, _attribute_codes(arms))
    typed = {} if offered is None else offered.typed
    named = [replace(p, as_typed=typed.get(p.column, p.as_typed)) for p in marked]
    skipped |= {} if offered is None else offered.skipped
    return Proposals(tuple(named), skipped, rows.size, error)


def _predict_folds(
    arms: Arms,
    rows: IntArray,
    scores: FloatArray,
    of_arms: Affiliation,
    fold: IntArray,
    estimator: Estimator,
    seed: int,
) -> FloatArray:
    """Return the accuracy that other folds predict for each labelled row, (m,)."""
    problem = Problem.build(arms, is_pool=False)
    rate = np.zeros(rows.size)
    for each in range(_FOLDS):
        inside, outside = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        observations = problem.observe(rows[inside], scores[inside], of_arms.take(inside))
        surface = estimator.fit(observations, np.random.default_rng(seed))
        test = of_arms.take(outside)
        at = np.minimum(np.searchsorted(surface.arms, test.indices), surface.arms.size - 1)
        is_listed = surface.arms[at] == test.indices
        accuracy = np.where(is_listed, surface.mean[at], scores[inside].mean())
        rate[outside] = sum_by_group(test.row_index, test.weights * accuracy, outside.size)
    return rate


def _judge(
    column: CandidateColumn,
    rows: IntArray,
    offset: FloatArray,
    scores: FloatArray,
    fold: IntArray,
    n_shuffles: int,
    rng: np.random.Generator,
) -> Proposal:
    code = column.code[rows]
    gain = held_out_gain(offset, scores, code, fold)
    return Proposal(
        column.name,
        column.as_typed,
        column.size,
        float(gain.sum()),
        float(gain.std() * np.sqrt(gain.size)),
        chance_of_luck(offset, scores, code, rng, n_shuffles),
    )


def _ordered(judged: Sequence[Proposal], error: float) -> list[Proposal]:
    """Return the columns, those that pass first, each group by its gain."""
    left = len(judged)
    passing = set()
    for proposal in sorted(judged, key=lambda p: p.p_value):
        if proposal.p_value * left > error:
            break
        passing.add(proposal.column)
        left -= 1
    marked = [replace(p, is_proposed=p.column in passing and p.gain > 0.0) for p in judged]
    return sorted(marked, key=_sort_key)


def _sort_key(proposal: Proposal) -> tuple[bool, float, float]:
    return not proposal.is_proposed, -proposal.gain, proposal.p_value


def _mark_determined(
    ordered: Sequence[Proposal],
    codes: dict[str, IntArray],
    attributes: dict[str, IntArray],
) -> list[Proposal]:
    """Mark the columns that an attribute or a better column determines."""
    before = dict(attributes)
    marked = []
    for proposal in ordered:
        own = codes[proposal.column]
        weight = np.ones(own.size)
        share = {name: determined_share(own, other, weight) for name, other in before.items()}
        best = max(share, key=share.__getitem__)
        if share[best] >= _DETERMINED:
            marked.append(replace(proposal, is_proposed=False, determined_by=best))
            continue
        if proposal.is_proposed:
            before[proposal.column] = own
        marked.append(proposal)
    return sorted(marked, key=_sort_key)


def _attribute_codes(arms: Arms) -> dict[str, IntArray]:
    """Return the likeliest value of every attribute for the rows of the pool."""
    codes = arms.space.codes(arms.candidate.argmax())
    return {name: codes[:, k] for k, name in enumerate(arms.space.names)}


def _reveals_scores(code: IntArray, scores: FloatArray) -> bool:
    """Return whether a column gives the scores away: few values, each with one score."""
    _, score = np.unique(scores, return_inverse=True)
    size = int(code.max()) + 1
    is_short = np.unique(code).size * _FOLDS <= code.size
    weight = np.ones(code.size)
    return bool(size > 1 and score.max() > 0 and is_short) and (
        determined_share(score, code, weight) >= _REVEALED
    )
