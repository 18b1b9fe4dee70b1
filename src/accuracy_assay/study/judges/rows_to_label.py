"""Which rows to label so that a certificate says more: the cheapest verdicts first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.reports.certificate import UNSURE, CertifiedSlice
from accuracy_assay.runtime.arrays import BoolArray, IntArray
from accuracy_assay.study.judges.judged_rows import JudgedRows

__all__ = ["rows_to_label"]

_FIRST_LOOK = 10
"""Labels asked for of a value that has none: as few as a certificate takes at all."""


def rows_to_label(
    rows: JudgedRows,
    slices: Sequence[CertifiedSlice],
    judge: str,
    service: str | None,
    id_column: str | None,
) -> Callable[[int], pl.DataFrame]:
    """Return the function behind ``Certificate.rows_to_label``.

    Rows of values without a label come first, then those of everything, then those of the slices
    that need the fewest; within each, at random.
    """

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
        chosen = _picks(rows, service, slices, left, n)
        at = [i for i, _ in chosen]
        names = [id_column] if id_column else []
        known = dict.fromkeys([*names, *rows.space.names, judge])
        table = rows.pool[at].select(list(known))
        if not names:
            table = table.with_columns(pl.Series("row", at)).select("row", *table.columns)
        return table.with_columns(pl.Series("settles", [why for _, why in chosen]))

    return pick


def _picks(
    rows: JudgedRows,
    service: str | None,
    slices: Sequence[CertifiedSlice],
    left: IntArray,
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
