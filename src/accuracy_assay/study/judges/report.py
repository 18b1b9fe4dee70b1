"""``judge_report``: what judges are worth, where they are lenient or harsh, where they mislead.

`accuracy_assay.study.judges.bias` measures the bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.judges import is_outside, lacks_opinion
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table
from accuracy_assay.metrics.opinion import cross_read, preference
from accuracy_assay.reports.judge_report import SLICE_COLUMNS, JudgeReport
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.estimate import split_options
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.judges.bias import Bias, Grouping, find_bias
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.open_rows import open_rows
from accuracy_assay.study.read.tables import part_unlabelled
from accuracy_assay.study.read.texts import derive_values

__all__ = ["Judged", "judge_report", "report_judges"]

_ENOUGH_TO_SORT = 20
"""Fewest labels of a slice to say that a judge cannot tell right from wrong. Chosen by hand: a
judge that prefers the right answer two times in three is blamed with probability 1/10."""

_UNCLEAR = 1e9
"""Taken off the clarity of slices that are not clearly biased, so that they come last."""


@dataclass(frozen=True)
class Judged:
    """Rows of the pool, or labelled ones: codes (n, K), and opinions, one column per judge.

    A judge may lack opinions: null, or a blank text.
    """

    codes: IntArray
    opinions: pl.DataFrame

    def by(self, judge: str) -> tuple[Judged, pl.Series, BoolArray]:
        """Return the rows that a judge has scored, its opinions, and which rows they are."""
        said = self.opinions.get_column(judge)
        has = ~lacks_opinion(said).to_numpy()
        scored = self.opinions.filter(pl.Series(has))
        return Judged(self.codes[has], scored), scored.get_column(judge), has


def judge_report(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    judges: Sequence[str] = (),
    pool: Rows = None,
    **options: Any,
) -> JudgeReport:
    """Say what judges are worth, where they are lenient or harsh, and where not to trust them.

    Parameters
    ----------
    rows, attributes, score, judges, pool, options
        As in ``estimate``, without ``measure`` and ``where``; the attributes must be known for
        every row.

    Returns
    -------
    JudgeReport
        Three tables; printed in words.

    Raises
    ------
    InputError
        If there is no judge, or an attribute is guessed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> logit = rng.normal(1.0, 1.5, 2000)
    >>> length = rng.choice(["long", "short"], 2000, p=[0.3, 0.7])
    >>> pool = pl.DataFrame({"length": length, "judge": logit + 2.0 * (length == "long")})
    >>> right = rng.random(2000) < 1.0 / (1.0 + np.exp(-logit))
    >>> labelled = pool.with_columns(right=pl.Series(right.astype(float)))[:400]
    >>> found = judge_report(labelled, ["length"], "right", pool=pool, judges=["judge"])
    >>> found.values.select("value", "verdict").rows()
    [('long', 'lenient'), ('short', '')]
    """
    if other := options.keys() & {"measure", "where"}:
        raise InputError(
            f"judges must be reported on for accuracy; got {other.pop()}. Leave it out."
        )
    asked, how = split_options(attributes, score=score, judges=judges, **options)
    rows, asked = open_rows(rows, asked)
    if not asked.judges:
        raise InputError("judges must name at least one column to report on; got none.")
    if asked.hidden:
        raise InputError(
            "judges must be reported on over attributes that are known for every row; got guessed "
            f"ones, {list(asked.hidden)}. Leave them out of the attributes."
        )
    columns, rows, pool = derive_values(asked, rows, pool)
    labelled = read_table(rows)
    every = None if pool is None else read_table(pool, what="pool")
    surface = fit_surface(columns, labelled, every, how)
    columns, rows, pool, *_ = settle_answers(columns, labelled, every)
    labelled = read_table(rows)
    every = None if pool is None else read_table(pool, what="pool")
    labelled, every = part_unlabelled(labelled, every, columns.label)
    labelled = columns.answered(labelled)
    every = None if every is None else columns.answered(every)
    scores = columns.scores(labelled)
    whole, seen = (
        Judged(surface.space.encode(table), table.select(columns.judges))
        for table in (labelled if every is None else every, labelled)
    )
    rng = np.random.default_rng([how.seed, 2])
    return report_judges(surface, whole, seen, check_scores(scores.to_numpy()), rng)


def report_judges(
    surface: AccuracySurface,
    pool: Judged,
    labelled: Judged,
    scores: FloatArray,
    rng: np.random.Generator,
) -> JudgeReport:
    """Return the report of all judges in ``opinions``, given the fitted surface of the service.

    ``scores`` are those of the labelled rows, (m,); ``rng`` cuts them into parts.
    """
    if not any(labelled.by(name)[1].len() for name in pool.opinions.columns):
        raise InputError("judges must be reported on with some labels; got none.")
    _refuse_taken_names(surface.space)
    table, values, arms = [], [], []
    for name in pool.opinions.columns:
        (scored, said, _), (seen, known, has) = pool.by(name), labelled.by(name)
        score = scores[has]
        if not score.size:
            continue
        read = cross_read(known, score, rng)
        given = (name, said, known, score, read, surface.level, rng)
        values.append(_slices(_by_value(surface, scored, seen), *given))
        arms.append(_slices([_by_arm(surface, scored, seen)], *given))
        verdicts = arms[-1].get_column("verdict")
        table.append(
            {
                "judge": name,
                "labels": int(score.size),
                "prefers_right": preference(read, score),
                "outside": float(is_outside(said, known).mean()),
                "lenient": int((verdicts == "lenient").sum()),
                "harsh": int((verdicts == "harsh").sum()),
            }
        )
    schema = {
        "judge": pl.String,
        "labels": pl.Int64,
        "prefers_right": pl.Float64,
        "outside": pl.Float64,
    }
    schema |= {"lenient": pl.Int64, "harsh": pl.Int64}
    return JudgeReport(
        pl.DataFrame(table, schema=schema),
        pl.concat(values),
        pl.concat(arms),
        surface.level,
        "" if surface.missing_answers is None else str(surface.missing_answers),
    )


@dataclass(frozen=True)
class _Found:
    """Slices, their names, and what the surface says about them."""

    names: pl.DataFrame
    accuracy: tuple[FloatArray, FloatArray, FloatArray]
    support: FloatArray
    group: Grouping


def _by_arm(surface: AccuracySurface, pool: Judged, labelled: Judged) -> _Found:
    """Return the arms of the pool as slices."""
    own = surface.space.arm_index(pool.codes)
    at = np.flatnonzero(np.isin(surface.arms, own))
    arms = surface.arms[at]
    groups = Grouping(
        _position(arms, own),
        _position(arms, surface.space.arm_index(labelled.codes)),
        arms.size,
    )
    accuracy = (surface.mean[at], surface.lower[at], surface.upper[at])
    return _Found(surface.space.frame(arms), accuracy, surface.support[at], groups)


def _by_value(surface: AccuracySurface, pool: Judged, labelled: Judged) -> list[_Found]:
    """Return the values of each attribute as slices."""
    found = []
    for k, attribute in enumerate(surface.space.attributes):
        frame = averages_by(surface, (attribute.name,), surface.support)
        codes = attribute.encode(frame.get_column(attribute.name))
        is_there = np.isin(codes, pool.codes[:, k])
        frame, codes = frame.filter(pl.Series(is_there)), codes[is_there]
        group = Grouping(
            _position(codes, pool.codes[:, k]), _position(codes, labelled.codes[:, k]), codes.size
        )
        value = pl.col(attribute.name).cast(pl.String).alias("value")
        names = frame.select(pl.lit(attribute.name).alias("attribute"), value)
        mean, lower, upper = (frame.get_column(c).to_numpy() for c in ("mean", "lower", "upper"))
        support = frame.get_column("support").to_numpy()
        found.append(_Found(names, (mean, lower, upper), support, group))
    return found


def _slices(
    found: Sequence[_Found],
    judge: str,
    pool: pl.Series,
    labelled: pl.Series,
    scores: FloatArray,
    read: FloatArray,
    level: float,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Return one row per slice for one judge, the clearest bias first."""
    n_all = sum(part.group.n_slices for part in found)
    frames, clarity = [], []
    for part in found:
        bias = find_bias(pool, labelled, scores, part.group, part.accuracy, level, rng, n_all)
        members = [part.group.labelled == number for number in range(part.group.n_slices)]
        preferred = [
            preference(read[is_in], scores[is_in]) if is_in.sum() >= _ENOUGH_TO_SORT else None
            for is_in in members
        ]
        frames.append(
            part.names.with_columns(
                pl.Series("n", [int(is_in.sum()) for is_in in members], dtype=pl.Float64),
                pl.Series("support", part.support),
                pl.Series("opinion", bias.opinion),
                pl.Series("accuracy", part.accuracy[0]),
                pl.Series("bias", bias.bias),
                pl.Series("lower", bias.lower),
                pl.Series("upper", bias.upper),
                pl.Series("verdict", _verdicts(bias), dtype=pl.String),
                pl.Series("prefers_right", preferred, dtype=pl.Float64),
            )
        )
        clarity.append(np.where(bias.is_clear, bias.clarity, bias.clarity - _UNCLEAR))
    order = np.argsort(-np.concatenate(clarity), kind="stable")
    return pl.concat(frames)[order].select(pl.lit(judge).alias("judge"), pl.all())


def _verdicts(bias: Bias) -> list[str]:
    words = np.where(bias.bias > 0.0, "lenient", "harsh")
    return [str(word) if clear else "" for word, clear in zip(words, bias.is_clear, strict=True)]


def _position(known: IntArray, wanted: IntArray) -> IntArray:
    """Return the position of each wanted number among the known ones, -1 if it is not there."""
    order = np.argsort(known)
    found = order[np.minimum(np.searchsorted(known, wanted, sorter=order), known.size - 1)]
    return np.where(known[found] == wanted, found, -1).astype(np.int64)


def _refuse_taken_names(space: AttributeSpace) -> None:
    for name in space.names:
        if name in ("judge", *SLICE_COLUMNS):
            raise InputError(
                "attribute names must differ from the columns of a judge's report "
                f"{['judge', *SLICE_COLUMNS]}; got {name!r}. Rename that column."
            )
