"""Answers of several people to each item, condensed to one row per item.

Gold answers are the labels; what people answered is a free signal of every item: the log-odds that
the service's answer is the true one, given who answered what (`accuracy_assay.numerics.crowd`). It
is made without looking at gold, so labels can say what it is worth. Without gold, an item counts
by how probable it is that the service is right about it (`accuracy_assay.study.read.unverified`),
and the surface says that nothing verifies it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.strata import CROWD
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns, require_unique
from accuracy_assay.numerics.crowd import standing
from accuracy_assay.study.read.crowd import Crowd, items_of
from accuracy_assay.study.read.unverified import Unverified

__all__ = [
    "CROWD",
    "Items",
    "condense_answers",
    "settle_answers",
    "settle_services",
    "signal_about",
]

_VOTE = "what most annotators answered"
"""Name of the label that they make without gold."""


class Items(NamedTuple):
    """Tables with one row per item, what their columns mean, and what is known of the answers.

    ``unverified`` are the items of which a service's answers count by how probable they are.
    """

    columns: Columns
    rows: Rows
    pool: Rows
    trust: LabelTrust | None
    unverified: Unverified | None = None


class AboutServices(NamedTuple):
    """What people's answers say about each service, by the column of its answers."""

    trust: Mapping[str, LabelTrust]
    unverified: Mapping[str, Unverified]


def settle_answers(columns: Columns, rows: Rows, pool: Rows = None) -> Items:
    """Return tables of items with their labels: gold, or what most people answered.

    For questions that are not about the one service of ``y_pred``; otherwise as
    `condense_answers`.
    """
    return settle_services(columns, rows, pool, ())[0]


def settle_services(
    columns: Columns, rows: Rows, pool: Rows, services: Collection[str]
) -> tuple[Items, AboutServices]:
    """Return what `settle_answers` does, and what is known of the answers about each service.

    ``services`` are columns of answers of several. Where there is gold, each has a column
    `signal_about` it, what people's answers say of its own.
    """
    if columns.annotator is None:
        return Items(columns, rows, pool, None), AboutServices({}, {})
    crowd = Crowd.read(columns, read_table(rows), services).judged
    everything = _read_pool(columns, pool)
    settled = _settled(crowd, everything)
    if crowd.gold is None:
        said = {name: Unverified.about(crowd, name) for name in services}
        return settled, AboutServices({}, {n: each for n, each in said.items() if each})
    if crowd.is_settled(everything):
        return settled, AboutServices({}, {})
    own, trust = crowd.items, {}
    for service in (each for each in services if each in crowd.items.columns):
        known = crowd.signal(crowd.items, service)
        s = standing(known, known)
        trust[service] = crowd.trust_about(settled.trust, service, s)
        own = own.with_columns(pl.Series(signal_about(service), s))
        if everything is not None and service in everything.columns:
            of_pool = standing(crowd.signal(everything, service), known)
            everything = everything.with_columns(pl.Series(signal_about(service), of_pool))
    return settled._replace(rows=own, pool=everything), AboutServices(trust, {})


def signal_about(service: str) -> str:
    """Return the name of the column that says what people's answers make of a service's."""
    return f"{CROWD} about {service}"


def condense_answers(
    columns: Columns, rows: Rows, pool: Rows = None, *, is_replay: bool = False
) -> Items:
    """Return tables of items, given rows that are answers; unchanged without annotators.

    Parameters
    ----------
    columns
        What the columns mean; `Columns.annotator` says whose answer a row is.
    rows
        One row per answer; everything but answer and annotator must be the same in all rows of an
        item.
    pool
        All items, by the same ``id``; those that nobody answered are typical ones.
    is_replay
        Whether gold is known for every item but shown one by one, so that answers say something
        about the others.

    Raises
    ------
    InputError
        If rows of one item contradict each other, or an answer has no annotator.
    """
    if columns.annotator is None:
        return Items(columns, rows, pool, None)
    if columns.y_pred is None:
        raise InputError(
            "annotator must go with y_pred, what the service said; got none. Name its column."
        )
    crowd = Crowd.read(columns, read_table(rows)).judged
    everything = _read_pool(columns, pool)
    gold = crowd.gold
    if gold is None:
        if is_replay:
            raise InputError(
                "a replay must have gold, the true answer of every item; got none. Name its "
                "column as gold."
            )
        said = None if columns.from_label else Unverified.about(crowd, columns.y_pred)
        return _settled(crowd, everything)._replace(unverified=said)
    if not is_replay and crowd.is_settled(everything):
        return _settled(crowd, everything)
    known = crowd.signal(crowd.items, columns.y_pred)
    own = standing(known, known)
    if everything is not None:
        of_pool = standing(crowd.signal(everything, columns.y_pred), known)
        everything = everything.with_columns(pl.Series(CROWD, of_pool))
    settled = _settled(crowd, everything)
    return Items(
        replace(settled.columns, signals=(*settled.columns.signals, CROWD)),
        crowd.items.with_columns(pl.Series(CROWD, own)),
        everything,
        crowd.trust_about(settled.trust, columns.y_pred, own),
    )


def _settled(crowd: Crowd, pool: Rows) -> Items:
    """Return the items with their labels: gold where there is any, else the majority."""
    plain, gold = replace(crowd.columns, annotator=None, gold=None), crowd.gold
    if gold is None:
        voted = crowd.items.with_columns(crowd.vote.alias(_VOTE))
        return Items(replace(plain, y_true=_VOTE), voted, pool, crowd.trust(None))
    return Items(replace(plain, y_true=gold.name), crowd.items, pool, crowd.trust(gold))


def _read_pool(columns: Columns, pool: Rows) -> pl.DataFrame | None:
    """Return the items of a pool.

    Raises
    ------
    InputError
        If an id comes twice in a pool that is not of answers.
    """
    if pool is None:
        return None
    table = read_table(pool, what="pool")
    require_columns(table, [str(columns.id)], what="pool")
    if columns.annotator not in table.columns:
        require_unique(table.get_column(str(columns.id)), what="pool")
    return items_of(columns, table)
