"""A session over time: `watch` of the labels that were drawn at random.

Labels that a strategy chose are no sample of the rows: it asks where it expects mistakes. A tenth
of every session's labels is drawn from all free rows alike and marked; the guarantee rests on
those. Weights by the chances of the others have no power: some are twenty times others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.number_text import plural
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.snapshots import Snapshot
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.over_time import fit_over_time, periods_of
from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch

__all__ = ["NoGuaranteeError", "first_answers", "surface_now", "watch_service"]

_TIME, _SCORE = "time of the label", "score of the label"
_LEAST_LABELS = 40
"""Fewest random labels to watch: twenty in the baseline and twenty after it."""
_USUAL_SHARE = 0.1
"""Share of the labels that a session draws at random unless its spec says otherwise."""


class NoGuaranteeError(InputError):
    """Too few labels that were drawn at random: nothing can be promised about an alarm."""


def first_answers(ledger: Ledger) -> dict[str, float]:
    """Return when each labelled instance was answered first, in seconds."""
    return {
        instance: min(ledger.told_at[instance, annotator] for annotator in answers)
        for instance, answers in ledger.answers.items()
    }


def watch_service(
    seen: Snapshot,
    told_at: Mapping[str, float],
    at_random: Collection[str],
    time: str | None = None,
    **options: Any,
) -> Watch:
    """Return the watch of a service of a session.

    Parameters
    ----------
    seen
        The labels, and what the service said of the labelled rows.
    told_at
        When each instance was answered first, in seconds.
    at_random
        Instances that were drawn from all free ones alike.
    time
        Column of the pool that says when a row happened; by default the time of the label counts.
    options
        ``baseline``, ``tolerance``, ``every``, ``false_alarm``, ``order`` of `watch`.

    Raises
    ------
    NoGuaranteeError
        If too few labels were drawn at random.
    InputError
        If an attribute is guessed or revealed by the label.
    """
    spec, rows = seen.problem.spec, seen.problem.rows
    _refuse_guessed(spec, "a watch")
    known = [row for row in sorted(seen.labels) if rows.ids[row] in told_at]
    drawn = [row for row in known if rows.ids[row] in at_random]
    if len(drawn) < _LEAST_LABELS:
        raise NoGuaranteeError(_too_few(len(drawn), len(known), spec.assay.random_share))
    table = seen.problem.rows.take(drawn, [*rows.space.names, *([time] if time else [])])
    moments = [datetime.fromtimestamp(told_at[rows.ids[row]], UTC) for row in drawn]
    table = table.with_columns(
        pl.Series(_SCORE, seen.problem.scores(drawn, seen.labels, seen.predictions)),
        *([] if time else [pl.Series(_TIME, moments).dt.replace_time_zone(None)]),
    )
    columns = Columns(rows.space.attributes, _SCORE)
    found = watch(table, columns, time=time or _TIME, seed=spec.assay.seed, **options)
    said = (
        f"Of {plural(len(known), 'label')} only the {len(drawn):,} that were drawn at random are "
        "watched: the others were chosen for where mistakes are expected."
    )
    return found if len(drawn) == len(known) else replace(found, remarks=(said, *found.remarks))


def surface_now(seen: Snapshot, told_at: Mapping[str, float]) -> AccuracySurface:
    """Return the surface of a service as it is now: earlier labels count as far as data show.

    All labels speak, those of the seed set as the first.

    Parameters
    ----------
    seen, told_at
        As in `watch_service`.
    """
    spec, rows = seen.problem.spec, seen.problem.rows
    _refuse_guessed(spec, "a surface as it is now")
    known = sorted(seen.labels, key=lambda row: told_at.get(rows.ids[row], 0.0))
    if len(known) < _LEAST_LABELS:
        raise InputError(
            f"a surface as it is now must have at least {_LEAST_LABELS} labels; got {len(known)}."
        )
    codes = rows.space.encode(rows.take(known, rows.space.names))
    scores = seen.problem.scores(known, seen.labels, seen.predictions)
    times = pl.Series([told_at.get(rows.ids[row], 0.0) for row in known])
    how = How.of(seed=spec.assay.seed)
    return fit_over_time(rows.space, codes, scores, periods_of(times), how).now


def _refuse_guessed(spec: Spec, what: str) -> None:
    unsure = [a.name for a in spec.attribute if a.evidence or a.from_label or a.missing == "guess"]
    if unsure:
        raise InputError(
            f"{what} must be over attributes that are known for every row; got "
            f"{unsure[0]!r}, which is guessed or revealed by the label."
        )


def _too_few(n_drawn: int, n_known: int, share: float | None) -> str:
    share = _USUAL_SHARE if share is None else share
    more = (
        f"With random_share = {share:g}, {round((_LEAST_LABELS - n_drawn) / share):,} more labels "
        "bring enough."
        if share
        else "Set random_share = 0.1 in the spec: then a tenth of the labels is."
    )
    return (
        f"a watch must have at least {_LEAST_LABELS} labels that were drawn at random; got "
        f"{n_drawn:,} of {n_known:,}. No guarantee holds for labels that were chosen. {more}"
    )
