"""``certify``: where an automatic judge may decide in place of people, from blind labels.

The judge's figure may be right on the whole because its errors cancel out. So everything is
certified first; then slices that clearly differ withdraw the right to decide there, and everything
else is certified again without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.space import Value
from accuracy_assay.domain.subcubes import sub_cubes
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.frame_kind import kind_of
from accuracy_assay.files.tables import Rows
from accuracy_assay.reports.certificate import (
    EVERYTHING,
    MAY_NOT,
    REST,
    STATEMENTS,
    UNSURE,
    Certificate,
    CertifiedSlice,
    Decision,
    Statement,
    Support,
)
from accuracy_assay.reports.certificate_file import settings_of
from accuracy_assay.runtime.arrays import BoolArray, FloatArray
from accuracy_assay.runtime.version import __version__
from accuracy_assay.study.judges.decide import (
    chance_within,
    labels_needed,
    verdict_alone,
    verdicts_together,
)
from accuracy_assay.study.judges.judged_rows import JudgedRows, read_judged
from accuracy_assay.study.judges.slice_differences import SliceDifferences
from accuracy_assay.study.read.open_rows import open_rows

__all__ = ["certify"]

_LEVEL = 0.9
"""Probability of the intervals, as everywhere."""
_LEAST_LABELS = 10
"""Fewest blind labels of a certificate: the normal approximation of a mean needs some."""


def certify(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    judge: str,
    tolerance: float = 0.03,
    statement: Statement = "level",
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: Any = "equal",
    service: str | None = None,
    cluster: str | None = None,
    blind: str | None = None,
    pool: Rows = None,
    id: str | None = None,
    annotator: str | None = None,
    gold: str | None = None,
    passes: Sequence[str] = (),
    threshold: float = 0.5,
    confidence: float = 0.95,
    order: int = 2,
    least_rows: float = 20.0,
    settings: Mapping[str, object] | None = None,
    made: date | str | None = None,
    signed_off_by: str | None = None,
    seed: int = 0,
) -> Certificate:
    """Say where an automatic judge may decide in place of people.

    Parameters
    ----------
    rows, attributes, score, y_true, y_pred, agreement, cluster, pool, id, annotator, gold
        As in ``estimate``: the score, or truth and prediction, are those of people. Rows without
        one have no label. The attributes must be known for every row.
    judge
        Column with the judge's score of each answer, in [0, 1], boolean, or a text.
    tolerance
        The most that judge and people may differ.
    statement
        What is certified: ``"level"``, the judge's figure is within ``tolerance`` of that of
        people; or ``"decisions"``, single answers are passed and failed as people would, but for a
        share of ``tolerance``.
    service
        Column of the service that gave each answer, if they are of several.
    blind
        Column that is true where a label was given without seeing the judge's verdict. Other
        labels are left out and counted.
    passes
        The judge's verdicts that pass an answer, where they are texts.
    threshold
        Score from which on an answer passes, for the judge as for people.
    confidence
        Probability that decides.
    order, least_rows
        Slices are all combinations of up to so many attributes that have so many rows.
    settings
        What the judge is: its version, its prompt, the model, the temperature. The certificate
        expires when they change. Of long texts only the digest is kept.
    made
        Date of the certificate; today by default.
    signed_off_by
        Who takes responsibility for it.
    seed
        Seed of the draws that the posterior is integrated by.

    Returns
    -------
    Certificate
        ``to_frame()``, ``rows_to_label(n)``, ``save(path)``; printed in words.

    Raises
    ------
    InputError
        If a column is unknown, labels are too few, or an argument is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(2_000) < 0.7
    >>> kind = rng.choice(["long", "short"], 2_000)
    >>> llm = np.where(rng.random(2_000) < 0.95, right, ~right)
    >>> label = pl.Series(right).cast(pl.Float64).scatter(list(range(800, 2_000)), None)
    >>> rows = pl.DataFrame({"kind": kind, "llm": llm, "right": label})
    >>> found = certify(rows, ["kind"], "right", judge="llm", tolerance=0.05)
    >>> found.verdict, found.labels
    ('may decide', 800)
    """
    _check(tolerance, confidence, threshold, statement)
    asked = Columns.of(
        attributes,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
        cluster=cluster,
        id=id,
        annotator=annotator,
        gold=gold,
    )
    source, asked = open_rows(rows, asked)
    asked = _as_asked(asked, judge, service)
    judged = read_judged(asked, source, pool, judge, service, blind, passes)
    if judged.people.size < _LEAST_LABELS:
        raise InputError(
            f"a certificate must have at least {_LEAST_LABELS} blind labels of people; got "
            f"{judged.people.size}."
        )
    d = judged.judge - judged.people
    if statement == "decisions":
        d = ((judged.judge >= threshold) != (judged.people >= threshold)).astype(np.float64)
    found = _Slices(
        SliceDifferences(judged, d, np.random.default_rng([seed, 33])),
        service,
        tolerance,
        confidence,
        order,
        least_rows,
    )
    slices = found.certified()
    unlabelled = found.unlabelled()
    return Certificate(
        judge,
        statement,
        tolerance,
        confidence,
        slices,
        judged.space,
        service if service in judged.space.names else None,
        judged.services,
        unlabelled,
        _support(judged),
        threshold,
        int(judged.people.size),
        judged.left_out,
        blind is not None,
        int(found.differences.n_rows.sum()),
        "of these rows" if judged.is_pool else "of rows like these",
        settings_of(settings),
        tuple(passes),
        str(datetime.now(UTC).date() if made is None else made),
        __version__,
        signed_off_by,
        kind_of(rows),
        found.to_label(slices, judge, asked.id),
    )


def _check(tolerance: float, confidence: float, threshold: float, statement: str) -> None:
    if not 0.0 < tolerance < 1.0:
        hint = f" Write {tolerance:g} points as {tolerance / 100:g}." if tolerance >= 1.0 else ""
        raise InputError(f"tolerance must be between 0 and 1; got {tolerance!r}.{hint}")
    if not 0.5 < confidence < 1.0:
        raise InputError(f"confidence must be between 0.5 and 1; got {confidence!r}.")
    if not 0.0 < threshold <= 1.0:
        raise InputError(f"threshold must be more than 0 and at most 1; got {threshold!r}.")
    if statement not in STATEMENTS:
        raise UnknownNameError("statement", statement, STATEMENTS)


def _as_asked(asked: Columns, judge: str, service: str | None) -> Columns:
    """Return the columns with the service as an attribute, and without free signals."""
    if asked.label is None:
        raise InputError(
            "a certificate must have labels of people; got none. Name them: score='right', or "
            "y_true and y_pred."
        )
    taken = (*asked.names, asked.score, asked.y_true, asked.y_pred)
    if judge in taken:
        raise InputError(
            f"judge must be a column of its own; got {judge!r}, which is an attribute, the label "
            "or the prediction."
        )
    named = asked.attributes
    if service is not None and service not in asked.names:
        named = (*named, service)
    kept = {"signals": (), "referees": (), "judges": (), "history": (), "answer_form": False}
    return replace(asked, attributes=named, **kept)  # type: ignore[arg-type]


def _support(judged: JudgedRows) -> Support:
    known = Support(float(judged.judge.min()), float(judged.judge.max()))
    return replace(known, outside=float(known.is_beyond(pl.Series(judged.pool_judge)).mean()))


@dataclass(frozen=True, eq=False)
class _Slices:
    """The slices of a certificate: which there are, and what is certified of each."""

    differences: SliceDifferences
    service: str | None
    tolerance: float
    confidence: float
    order: int
    least_rows: float

    def certified(self) -> tuple[CertifiedSlice, ...]:
        """Return everything, everything else, and all slices, the refused ones first."""
        found = self.differences
        cubes = sub_cubes(found.rows.space, found.arms, found.n_rows, self.order, self.least_rows)
        everything = np.ones((1, found.arms.size), dtype=bool)
        members = cubes.matrix.toarray().astype(bool)
        is_part = ~members.all(axis=1)
        members, wheres = members[is_part], [cubes.where(int(i)) for i in np.flatnonzero(is_part)]
        whole = self._slices(everything, [{}], EVERYTHING)
        parts = self._slices(members, wheres) if len(wheres) else []
        refused = [k for k, each in enumerate(parts) if each.verdict == MAY_NOT]
        if refused:
            left = ~members[refused].any(axis=0, keepdims=True)
            whole += self._slices(left, [{}], REST) if left.any() else []
        rank = {MAY_NOT: 0, UNSURE: 2}
        order = sorted(
            range(len(parts)),
            key=lambda k: (rank.get(parts[k].verdict, 1), -abs(parts[k].difference)),
        )
        return (*whole, *(parts[k] for k in order))

    def _slices(
        self, members: BoolArray, wheres: Sequence[Mapping[str, Value]], name: str = ""
    ) -> list[CertifiedSlice]:
        """Return what is certified of slices; those with a name are judged alone."""
        found = self.differences
        posterior = found.posterior(members)
        within = chance_within(posterior, self.tolerance)
        inside = members.astype(np.float64)
        labels, rows = inside @ found.n_labels, inside @ found.n_rows
        verdicts: list[Decision] = (
            [verdict_alone(float(within[0]), self.confidence)]
            if name
            else verdicts_together(within, self.confidence)
        )
        needed = labels_needed(
            posterior.mean,
            self.tolerance,
            self.confidence,
            found.effects.noise_variance * self._inflation,
            labels,
            rows if found.rows.is_pool else None,
        )
        mean, judge = posterior.mean, (inside @ (found.n_rows * found.judge_mean)) / rows
        low, high = (posterior.quantile(p) for p in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
        people = self._people(inside, judge, mean)
        return [
            self._slice(
                dict(where),
                verdict=verdict if labels[q] else UNSURE,
                difference=float(mean[q]),
                lower=float(low[q]),
                upper=float(high[q]),
                chance=float(within[q]),
                judge=float(judge[q]),
                people=float(people[q]),
                labels=int(labels[q]),
                rows=int(rows[q]),
                labels_needed=needed[q] if verdict == UNSURE or not labels[q] else 0,
                name=name,
            )
            for q, (where, verdict) in enumerate(zip(wheres, verdicts, strict=True))
        ]

    def _people(self, inside: FloatArray, judge: FloatArray, mean: FloatArray) -> FloatArray:
        """Return what people's figure is: the judge's less the difference, or that of labels."""
        found = self.differences
        if np.array_equal(found.d, found.rows.judge - found.rows.people):
            return np.clip(judge - mean, 0.0, 1.0)
        total = inside @ found._labelled(found.rows.people)
        return np.asarray(total / np.maximum(inside @ found.n_labels, 1.0))

    def _slice(self, where: dict[str, Value], **others: Any) -> CertifiedSlice:
        own = where.pop(self.service, None) if self.service is not None else None
        return CertifiedSlice(where, None if own is None else str(own), **others)

    @property
    def _inflation(self) -> float:
        """How much less a label is worth because rows of one cluster go together."""
        cluster = self.differences.rows.cluster
        if cluster is None:
            return 1.0
        size = np.unique(cluster, return_counts=True)[1].astype(np.float64)
        return 1.0 + self.differences.effects.correlation * (float(size @ size / size.sum()) - 1.0)

    def unlabelled(self) -> tuple[str, ...]:
        """Return the values of attributes that no label has, in words."""
        rows = self.differences.rows
        names = []
        for k, attribute in enumerate(rows.space.attributes):
            seen = set(rows.codes[:, k].tolist())
            names += [
                f"{attribute.name} = {value}"
                for code, value in enumerate(attribute.values)
                if code not in seen
            ]
        return tuple(names)

    def to_label(
        self, slices: Sequence[CertifiedSlice], judge: str, id_column: str | None
    ) -> Callable[[int], pl.DataFrame]:
        """Return the function behind ``rows_to_label``."""
        rows = self.differences.rows

        def pick(n: int) -> pl.DataFrame:
            if rows.is_candidate is None:
                raise InputError(
                    "rows to label must be told apart from labelled ones; got a pool without an "
                    "id. Name its column: id='id'."
                )
            left = np.flatnonzero(rows.is_candidate)
            left = np.random.default_rng(0).permutation(left)
            if not left.size:
                raise InputError("rows to label must be rows without a label; got none.")
            chosen = _picks(rows, self.service, slices, left, n)
            at = [i for i, _ in chosen]
            names = [id_column] if id_column else []
            known = dict.fromkeys([*names, *rows.space.names, judge])
            table = rows.pool[at].select(list(known))
            if not names:
                table = table.with_columns(pl.Series("row", at)).select("row", *table.columns)
            return table.with_columns(pl.Series("settles", [why for _, why in chosen]))

        return pick


_FIRST_LOOK = 10
"""Labels asked for of a value that has none: as few as a certificate takes at all."""


def _picks(
    rows: JudgedRows,
    service: str | None,
    slices: Sequence[CertifiedSlice],
    left: Any,
    n: int,
) -> list[tuple[int, str]]:
    """Return rows and what each is for: values without a label, then the cheapest slices."""
    wanted: list[tuple[str, BoolArray, int]] = []
    for k, attribute in enumerate(rows.space.attributes):
        seen = set(rows.codes[:, k].tolist())
        for code, value in enumerate(attribute.values):
            if code not in seen:
                is_in = rows.pool_codes[left, k] == code
                wanted.append((f"{attribute.name} = {value}", is_in, _FIRST_LOOK))
    unsure = [s for s in slices if s.verdict == UNSURE and s.labels_needed]
    for each in sorted(unsure, key=lambda s: (not s.name, s.labels_needed or 0)):
        where = dict(each.where)
        if each.service is not None and service is not None:
            where[service] = each.service
        is_in = np.ones(left.size, dtype=bool)
        for k, attribute in enumerate(rows.space.attributes):
            if attribute.name in where:
                is_in &= rows.pool_codes[left, k] == attribute.code(where[attribute.name])
        wanted.append((each.place, is_in, each.labels_needed or 0))
    chosen: dict[int, str] = {}
    for why, is_in, count in wanted:
        free = [int(i) for i in left[is_in] if int(i) not in chosen]
        have = int(is_in.sum()) - len(free)
        for i in free[: max(min(count - have, n - len(chosen)), 0)]:
            chosen[i] = why
    return list(chosen.items())
