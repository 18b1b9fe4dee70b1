"""``watch``: whether a service is still as good as it was, and where it got worse.

Decision 0018 has the mathematics; `numerics.watching` the bets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.missing_answers import MissingPrediction
from accuracy_assay.domain.slices import slice_name
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import FrameKind, kind_of
from accuracy_assay.files.tables import Rows
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.number_text import plural
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.alarms import find_alarms
from accuracy_assay.study.watch.looks import Looks, Side
from accuracy_assay.study.watch.mix import Kinds
from accuracy_assay.study.watch.slices import WatchedSlice, slice_weights, watched_slices
from accuracy_assay.study.watch.stream import Stream, read_stream
from accuracy_assay.study.watch.time_bins import count_bins
from accuracy_assay.study.watch.times import time_text
from accuracy_assay.study.watch.unlabelled import find_shifts
from accuracy_assay.study.watch.watched import Watch, WatchVerdict

__all__ = ["watch", "watch_stream"]

_LEAST_LABELS = 20
"""Fewest labels on each side for a verdict: even if all of them were right before and wrong after,
fewer could hardly ring an alarm."""
_SHOWN = 5
"""Slices that a remark names."""
_MANY_SLICES = 100
"""From so many slices on it is said that they share one allowance."""


def watch(
    rows: Rows,
    attributes: Sequence[AnyAttribute] | Columns,
    score: str | None = None,
    *,
    time: str,
    baseline: object = None,
    tolerance: float = 0.02,
    every: int | None = None,
    false_alarm: float = 0.05,
    order: int = 2,
    pool: Rows = None,
    signals: Sequence[str] | None = None,
    referees: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    y_true: str | None = None,
    y_pred: str | None = None,
    agreement: str | Agreement = "equal",
    missing_prediction: MissingPrediction = "wrong",
    id: str | None = None,
    annotator: str | None = None,
    gold: str | None = None,
    cluster: str | None = None,
    version: str | None = None,
    seed: int = 0,
) -> Watch:
    """Watch a service over time, whether any slice lost accuracy since the baseline, and which.

    One may look after every label, and stop or go on as one likes: if nothing lost more than
    ``tolerance``, the probability that any look ever raises an alarm is at most ``false_alarm``.
    Nothing is assumed about how accuracy changes, and the error of the baseline counts. What is
    assumed: within each slice, the labelled rows are a random sample of the rows of their time.

    Parameters
    ----------
    rows
        Labelled rows as in ``estimate``; rows without a label count for ``shifts`` alone.
    attributes, score, y_true, y_pred, agreement, missing_prediction, id, annotator, gold
        As in ``estimate``; every attribute must be known.
    time
        The column that orders the rows: dates, numbers, texts that are dates, or names such as
        versions, whose digits count as numbers. Rows of the same time are taken in random order;
        labels without a time are left out.
    baseline
        The last time of the reference, such as ``"2026-06-30"``, ``"2026-06"`` for all of that
        month, or a share of the labels such as ``"30%"``; by default the first third of them.
    tolerance
        Loss of accuracy that is no alarm.
    every
        Labels between two looks; by default each of the first 256 labels is looked at, then 128
        times while their number doubles.
    false_alarm
        Probability of an alarm, ever, if nothing lost more than is tolerated. Gains have the same
        for themselves.
    order
        Most attributes that a slice names, 1 or 2. The fewer slices, the sooner is a loss found.
    pool
        Every row with its time, labelled or not, if ``rows`` are not all.
    signals, referees, judges
        As in ``estimate``: what is known of every row without a label. It says before any label
        does where accuracy may be changing (``shifts``), and has no part in the guarantee.
    cluster
        Column of rows that belong together, such as a conversation: each counts as one label, the
        mean of its rows, at the time of the last. What is watched is then the mean over clusters.
        Those that began in the baseline belong to it; their later rows are left out.
    version
        Column that says which version of the service answered. A new one is an event: bets begin
        with it, the model of time may jump there, and pictures draw a line.
    seed
        Seed of all randomness, such as the order of rows of the same time.

    Returns
    -------
    Watch
        ``alarms``, ``gains`` and ``slices`` are frames; ``timeline`` and ``picture`` show the
        accuracy over time.

    Raises
    ------
    InputError
        If an argument is out of range, or the baseline has all labels or none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> day, sex = np.arange(3000) // 100, rng.choice(["F", "M"], 3000)
    >>> rate = np.where((day >= 20) & (sex == "F"), 0.5, 0.8)
    >>> rows = pl.DataFrame({"day": day, "sex": sex, "right": rng.random(3000) < rate})
    >>> found = watch(rows, ["sex"], "right", time="day", baseline=9)
    >>> found.alarms["slice"].to_list(), found.alarms["time"][0] < 23
    (['sex = F', 'overall'], True)
    """
    if not 0.0 <= tolerance < 1.0:
        raise InputError(f"tolerance must lie in [0, 1); got {tolerance}. Write 2 points as 0.02.")
    if not 0.0 < false_alarm < 1.0:
        raise InputError(f"false_alarm must lie between 0 and 1; got {false_alarm}.")
    if order not in (1, 2):
        raise InputError(f"order must be 1 or 2 attributes; got {order}.")
    if every is not None and whole_number(every, "every") < 1:
        raise InputError(f"every must be at least 1 label; got {every}.")
    seed = whole_number(seed, "seed")
    columns = Columns.of(
        attributes,
        score=score,
        y_true=y_true,
        y_pred=y_pred,
        agreement=agreement,
        missing_prediction=missing_prediction,
        signals=signals,
        referees=referees,
        judges=judges,
        id=id,
        annotator=annotator,
        gold=gold,
        cluster=cluster,
    )
    stream = read_stream(columns, rows, time, baseline, seed, pool, version)
    return watch_stream(
        stream,
        tolerance=tolerance,
        every=every,
        false_alarm=false_alarm,
        order=order,
        seed=seed,
        frames=kind_of(rows),
    )


def watch_stream(
    stream: Stream,
    *,
    tolerance: float,
    every: int | None,
    false_alarm: float,
    order: int,
    seed: int,
    frames: FrameKind = "polars",
) -> Watch:
    """Return the watch of labels that are in the order of time."""
    n = stream.n_baseline
    slices, thin = watched_slices(stream.space, stream.codes[:n], order)
    weights = slice_weights(slices, stream.codes[:n])
    looks = Looks.every(stream, every)
    how = How.of(seed=seed)
    kinds = cache(lambda: Kinds.of_baseline(stream, how))
    losses, gains = (
        _hear(looks, slices, weights, tolerance, false_alarm, kinds, gain=gain)
        for gain in (False, True)
    )
    rng = np.random.default_rng([seed, 1])
    lost, gained = (
        find_alarms(looks, slices, side, false_alarm, rng, gain=gain)
        for (side, _), gain in ((losses, False), (gains, True))
    )
    counts = [looks.rights(each) for each in slices]
    before = np.array([baseline for baseline, _ in counts])
    after = np.array([blocks.sum(axis=0) for _, blocks in counts])
    watched = pl.DataFrame(
        {
            "slice": [each.name for each in slices],
            "weight": weights,
            "before": before[:, 0] / before.sum(axis=1),
            "labels_before": before.sum(axis=1),
            "after": after[:, 0] / np.maximum(after.sum(axis=1), 1.0),
            "labels": after.sum(axis=1),
            "e_value": losses[0].named[:, -1],
            "e_value_gain": gains[0].named[:, -1],
        }
    ).with_columns(pl.when(pl.col("labels") > 0).then("after"))
    size = (n, stream.n_later)
    verdict: WatchVerdict = "alarm" if lost.height else "no alarm"
    if min(size) < _LEAST_LABELS and not lost.height:
        verdict = "not enough labels"
    return Watch(
        verdict=verdict,
        found=lost,
        found_gains=gained,
        found_shifts=find_shifts(stream, slices, tolerance, how),
        watched=watched.with_columns(pl.col("labels", "labels_before").cast(pl.Int64)),
        counts=count_bins(stream),
        found_versions=_versions(stream),
        space=stream.space,
        tolerance=tolerance,
        false_alarm=false_alarm,
        every=looks.step,
        baseline=time_text(stream.times[n - 1]),
        labels=size,
        last=time_text(stream.times[-1]),
        remarks=(
            *_by_mix(losses[1], "lost"),
            *_by_mix(gains[1], "gained"),
            *_remarks(stream, len(slices), thin, false_alarm),
        ),
        conditions=tuple(each.where for each in slices),
        stream=stream,
        seed=seed,
        frames=frames,
    )


def _versions(stream: Stream) -> pl.DataFrame:
    """Return version, time of its first label, and how many labels it has."""
    names = [name for name, _ in stream.began]
    counts = {} if stream.versions is None else dict(stream.versions.value_counts().iter_rows())
    firsts = stream.times[[at for _, at in stream.began]]
    labels = pl.Series([counts[name] for name in names], dtype=pl.Int64)
    return pl.DataFrame(
        [
            pl.Series("version", names, dtype=pl.String),
            firsts.alias("since"),
            labels.alias("labels"),
        ]
    )


def _hear(
    looks: Looks,
    slices: tuple[WatchedSlice, ...],
    weights: FloatArray,
    tolerance: float,
    false_alarm: float,
    kinds: Callable[[], Kinds],
    *,
    gain: bool,
) -> tuple[Side, list[str]]:
    """Return the evidence of losses or gains, and slices that only a changed mix would name.

    Evidence with the mix held fixed is needed where something rings without it, and only there.
    """
    logs = looks.log_evidence(slices, tolerance, gain=gain)
    alone = Side.of(logs, weights)
    bar = 1.0 / false_alarm
    if alone.evidence.max() < bar:
        return alone, []
    apart = looks.log_evidence(slices, tolerance, gain=gain, kinds=kinds())
    both = Side.of(np.minimum(logs, apart), weights)
    names = [slices[i].name for i in np.flatnonzero((alone.named >= bar).any(axis=1))]
    named = [slices[i].name for i in np.flatnonzero((both.named >= bar).any(axis=1))]
    return both, [name for name in names if name not in named]


def _by_mix(names: list[str], verb: str) -> list[str]:
    """Return what to know about slices that ring only with their mix of rows."""
    if not names:
        return []
    return [
        f"No alarm: {_some(names)} {verb}, but another mix of rows may be all there is to it. "
        "Rows of each kind are not shown to have changed."
    ]


def _unseen(stream: Stream) -> list[str]:
    """Return which values came after the baseline alone: nothing says what they were before."""
    old, new = stream.codes[: stream.n_baseline], stream.codes[stream.n_baseline :]
    names = [
        slice_name({attribute.name: attribute.values[code]})
        for k, attribute in enumerate(stream.space.attributes)
        for code in np.setdiff1d(new[:, k], old[:, k]).tolist()
    ]
    return [f"Not watched: {_some(names)}, which the baseline has no label of."] if names else []


def _some(names: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN)
    return ", ".join(names[:_SHOWN]) + more


def _remarks(stream: Stream, n_slices: int, thin: int, false_alarm: float) -> tuple[str, ...]:
    """Return what to know about the rows and the guarantee."""
    said = [
        f"Guarantee: if nothing lost more than is tolerated, at most {false_alarm:.0%} of such "
        "watches ever raise an alarm, however often one looks. It takes labelled rows that were "
        "picked at random within each slice."
    ]
    if thin:
        said.append(f"Not watched: {plural(thin, 'slice')} with too few labels in the baseline.")
    said += _unseen(stream)
    if n_slices >= _MANY_SLICES:
        said.append(
            f"{n_slices} slices share one allowance of false alarms: the smallest have little "
            "power. Fewer attributes, or order=1, find a loss sooner."
        )
    if stream.n_untimed:
        said.append(f"Left out: {plural(stream.n_untimed, 'label')} without a time.")
    if stream.clusters is not None:
        said.append(str(stream.clusters))
    if stream.trust is not None:
        said.append(f"{stream.trust}.")
    if stream.missing is not None and stream.missing.rows:
        text = str(stream.missing)
        said.append(f"{text[:1].upper()}{text[1:]}.")
    return tuple(said)
