"""From a table and column names to the space, the signals and their codes; where input is checked.

The forgiving front: attributes may be named by a column or declared as ``Attribute`` values, and
whatever cannot work is refused here with the offending value.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import equal_columns
from accuracy_assay.domain.arm_values import refuse_taken_names
from accuracy_assay.domain.evidence import columns_by_value
from accuracy_assay.domain.referees import referee_names
from accuracy_assay.domain.space import KINDS, Attribute, AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.files.texts import normal_column, normal_text
from accuracy_assay.runtime.arrays import IntArray

__all__ = [
    "SignalWarning",
    "Target",
    "attribute_names",
    "can_leak",
    "check_target",
    "check_weight",
    "cluster_column",
    "cluster_name",
    "guessed_space",
    "known_codes",
    "leak_refusal",
    "part_unlabelled",
    "referee_columns",
    "refuse_leak",
    "resolve_space",
    "signal_names",
    "tells_score",
    "warn_of_blurred_signals",
]

Target = Literal["pool", "population"]


class SignalWarning(UserWarning):
    """Free signals that may do harm."""


# Rows from which on an attribute and a signal that tell every score are taken for a leak: with a
# service that is right half of the time, chance does it once in a million.
_ENOUGH_ROWS_TO_SEE_A_LEAK = 20


def resolve_space(
    attributes: Sequence[str | Attribute], frame: pl.DataFrame, *others: pl.DataFrame
) -> AttributeSpace:
    """Return the space of the named or declared attributes, with values read off the frames."""
    names = attribute_names(attributes)
    for table in (frame, *others):
        require_columns(table, names)
    space = AttributeSpace(
        tuple(
            Attribute.infer(frame.get_column(a), extra=[o.get_column(a) for o in others])
            if isinstance(a, str)
            else a
            for a in attributes
        )
    )
    refuse_taken_names(space)
    return space


def guessed_space(
    attributes: Sequence[str | Attribute],
    tables: Sequence[pl.DataFrame],
    evidence: Mapping[str, str],
) -> AttributeSpace:
    """Return the space where some attributes are guessed and need no column of their own.

    Values of a guessed attribute that is not declared are those that its probability columns
    name, as the column of its gold writes and orders them where there is one.
    """
    declared = []
    for attribute in attributes:
        if isinstance(attribute, Attribute):
            declared.append(attribute)
            continue
        gold = [t.get_column(attribute) for t in tables if attribute in t.columns]
        if attribute in evidence:
            found = columns_by_value(evidence[attribute], tables[0].columns)
            declared.append(_guessed_attribute(attribute, sorted(found), gold))
        elif gold:
            declared.append(Attribute.infer(gold[0], extra=gold[1:]))
        else:
            require_columns(tables[0], [attribute])
    space = AttributeSpace(tuple(declared))
    for name in evidence:
        space.attribute(name)
    refuse_taken_names(space)
    return space


def _guessed_attribute(name: str, values: list[str], gold: Sequence[pl.Series]) -> Attribute:
    seen = [column for column in gold if column.drop_nulls().n_unique() > 1]
    if seen:
        written = Attribute.infer(seen[0], extra=seen[1:])
        if set(map(normal_text, written.values)) == set(map(normal_text, values)):
            return written
    return Attribute(name, tuple(values))


def known_codes(space: AttributeSpace, frame: pl.DataFrame) -> IntArray:
    """Return the codes (n, K) that a table knows: -1 where a column or a value is missing."""
    codes = np.full((frame.height, len(space.attributes)), -1, dtype=np.int64)
    for k, attribute in enumerate(space.attributes):
        if attribute.name in frame.columns:
            column = frame.get_column(attribute.name)
            is_known = column.is_not_null().to_numpy() | attribute.has_missing
            codes[is_known, k] = attribute.encode(column.filter(is_known))
    return codes


def part_unlabelled(
    rows: pl.DataFrame, pool: pl.DataFrame | None, truth: str | None
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the rows with a label, and the pool; without one, all rows are the pool."""
    if truth is None:
        return rows, pool
    missing = rows.get_column(truth).is_null()
    if not missing.any():
        return rows, pool
    if missing.all():
        raise InputError(
            f"column {truth!r} must have a value in some row; got {rows.height} rows without one."
        )
    return rows.filter(~missing), rows if pool is None else pool


def attribute_names(attributes: Sequence[str | Attribute]) -> list[str]:
    """Return the columns of the attributes, each named once."""
    if isinstance(attributes, str | Attribute):
        raise InputError(f"attributes must be a list of columns; got {attributes!r} alone.")
    for a in attributes:
        if not isinstance(a, str | Attribute):
            raise InputError(f"attributes must be column names or Attribute values; got {a!r}.")
        if isinstance(a, Attribute) and a.kind == "cluster":
            raise InputError(
                f"attribute {a.name!r} must be of kind {', '.join(KINDS)}; got 'cluster'. Rows "
                f"that belong together are named beside the attributes: cluster={a.name!r}."
            )
    if not attributes:
        raise InputError("attributes must name at least one column; got none.")
    return _different([a if isinstance(a, str) else a.name for a in attributes], "attributes")


def signal_names(
    signals: Sequence[str] | None, attributes: Sequence[str], score: str | None
) -> list[str]:
    """Return the columns of the signals; attributes and the score itself are none."""
    if isinstance(signals, str):
        raise InputError(f"signals must be a list of columns; got the text {signals!r}.")
    names = _different(list(signals or ()), "signals")
    for name in names:
        if name in attributes or name == score:
            part = "the score" if name == score else "an attribute"
            raise InputError(
                f"signals must be other columns than the attributes and the score; got {name!r}, "
                f"which is {part}."
            )
    return names


def referee_columns(
    referees: Sequence[str] | None,
    attributes: Sequence[str],
    y_pred: str | None,
    *,
    score: str | None = None,
    y_true: str | None = None,
) -> list[str]:
    """Return the columns of the referees; attributes, the score and the truth are none."""
    taken = dict.fromkeys(attributes, "an attribute")
    taken |= {name: part for name, part in ((score, "the score"), (y_true, "the truth")) if name}
    return referee_names(referees, y_pred, taken)


def cluster_name(
    cluster: str | None, attributes: Sequence[str], signals: Sequence[str], *scored: str | None
) -> list[str]:
    """Return the column of the clusters in a list, empty where rows are independent."""
    if cluster is None:
        return []
    if not isinstance(cluster, str):
        raise InputError(f"cluster must be the name of one column; got {cluster!r}.")
    taken = dict.fromkeys(signals, "a signal") | dict.fromkeys(attributes, "an attribute")
    taken |= {name: "the score, the truth or the prediction" for name in scored if name}
    if cluster in taken:
        raise InputError(
            "cluster must be another column than the attributes, the signals and the score; got "
            f"{cluster!r}, which is {taken[cluster]}."
        )
    return [cluster]


def cluster_column(cluster: Sequence[str], *tables: pl.DataFrame) -> pl.Series | None:
    """Return the clusters of all rows of the tables, None without any."""
    if not cluster:
        return None
    columns = [table.get_column(cluster[0]) for table in tables]
    if len({column.dtype for column in columns}) > 1:
        columns = [normal_column(column) for column in columns]
    return pl.concat(columns)


def check_target(target: str) -> None:
    """Raise an error unless ``target`` is one of the two that there are."""
    if target not in get_args(Target):
        raise UnknownNameError("target", target, get_args(Target))


def check_weight(weight: str | None, pool: pl.DataFrame | None, guessed: Sequence[str]) -> None:
    """Raise an error unless a pool says in a column how many rows each of its rows stands for."""
    if weight is None:
        return
    if pool is None or guessed:
        without = "no pool" if pool is None else f"guessed attributes {list(guessed)}"
        raise InputError(
            f"weight must go with a pool whose attributes are known; got {without}. Leave it out."
        )
    require_columns(pool, [weight], what="pool")
    column = pool.get_column(weight)
    if not column.dtype.is_numeric() or column.null_count():
        raise InputError(f"weight {weight!r} must hold a number in every row of the pool.")
    numbers = column.cast(pl.Float64).to_numpy()
    if not (np.isfinite(numbers).all() and (numbers > 0.0).all()):
        raise InputError(
            f"weight {weight!r} must be finite and more than 0; got {numbers.min()} to "
            f"{numbers.max()}. Drop rows that stand for none."
        )


def _different(names: list[str], what: str) -> list[str]:
    if len(set(names)) < len(names):
        raise InputError(f"{what} must name different columns; got {names!r}.")
    return names


def warn_of_blurred_signals(signals: Sequence[str], guessed: Sequence[str]) -> None:
    """Warn where signals meet attributes that are only guessed.

    The accuracy of an arm is then the average over a mix of strata that nobody knows: that of the
    guesses is blurred, and surfaces with signals came out worse than without.
    """
    if signals and guessed:
        warnings.warn(
            f"signals {list(signals)} with guessed attributes {list(guessed)}: which signals an "
            "arm has is then only guessed, and estimates are usually worse than without signals. "
            "Leave the signals out, or compare both.",
            SignalWarning,
            stacklevel=4,
        )


def refuse_leak(
    frame: pl.DataFrame,
    scores: pl.Series,
    attributes: Sequence[str],
    signals: Sequence[str],
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
) -> None:
    """Raise an error where an attribute and a signal together give the answer away.

    An attribute that is the label, next to the predicted class as a signal, tells correctness
    without any label; the estimate would look perfect and mean nothing.
    """
    for attribute in attributes:
        for signal in signals:
            if (attribute, signal) == (y_true, y_pred) or (
                can_leak(scores.len(), scores.n_unique())
                and tells_score(frame, scores, attribute, signal)
            ):
                raise leak_refusal(attribute, signal)


def leak_refusal(attribute: str, signal: str) -> InputError:
    """Return the error of a signal that gives the answer away."""
    return InputError(
        f"signal {signal!r} must not reveal the score; got attribute {attribute!r}, "
        "which is the label, beside it: where they are equal the service is right. "
        "Drop that signal, or keep the label out of the attributes."
    )


def can_leak(n_rows: int, n_scores: int) -> bool:
    """Return whether rows are enough, of two distinct scores, for chance not to look like one."""
    return n_rows >= _ENOUGH_ROWS_TO_SEE_A_LEAK and n_scores == 2


def tells_score(frame: pl.DataFrame, scores: pl.Series, attribute: str, signal: str) -> bool:
    """Return whether each row has the score of whether an attribute equals a signal."""
    same = equal_columns(frame.get_column(attribute), frame.get_column(signal))
    return bool((same.cast(pl.Float64) == scores).all())
