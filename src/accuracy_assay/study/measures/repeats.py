"""Repeats of one item as one score: pass@k and pass^k, from n runs of which c are right.

    pass@k = 1 - C(n - c, k) / C(n, k)      one of k runs is right
    pass^k = C(c, k) / C(n, k)              all of k runs are right

These are unbiased for any n of at least k (Chen et al., Evaluating Large Language Models Trained
on Code, 2021). The runs of one item are not independent, so an item has one row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import comb

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.study.fit import fit_surface
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.open_rows import open_rows
from accuracy_assay.study.read.texts import derive_values

__all__ = ["Repeats", "estimate_repeats"]

_NAME = re.compile(r"pass([@^])(\d+)")
_SCORE = "__assay_passed"


@dataclass(frozen=True)
class Repeats:
    """How many runs are looked at, and whether all of them must be right.

    Examples
    --------
    >>> Repeats.named("pass@2").score(4, 1), Repeats.named("pass^2").score(4, 3)
    (0.5, 0.5)
    """

    k: int
    must_all: bool

    @classmethod
    def named(cls, name: object) -> Repeats | None:
        """Return what ``pass@3`` or ``pass^3`` names; None for any other measure."""
        found = _NAME.fullmatch(name) if isinstance(name, str) else None
        if found is None:
            return None
        if not int(found[2]):
            raise InputError(f"measure must look at one run or more; got {name!r}.")
        return cls(int(found[2]), found[1] == "^")

    @property
    def words(self) -> str:
        """Its name."""
        return f"pass{'^' if self.must_all else '@'}{self.k}"

    def score(self, n: int, c: float) -> float:
        """Return the score of an item with n runs, c of them right; c may be broken if k is 1."""
        if self.k == 1:
            return c / n
        right = comb(int(c if self.must_all else n - c), self.k) / comb(n, self.k)
        return right if self.must_all else 1.0 - right


def estimate_repeats(
    measure: Repeats, columns: Columns, rows: Rows, pool: Rows, how: How
) -> AccuracySurface:
    """Estimate pass@k or pass^k over items; ``columns.cluster`` names the item.

    Items with fewer than k runs are left out, and the surface's details count them.

    Raises
    ------
    InputError
        If no column names the item, a run of several is partly right, or no item has k runs.
    """
    rows, columns = open_rows(rows, columns)
    item = columns.cluster
    if item is None:
        raise InputError(
            f"{measure.words} must have a column of the item whose runs belong together; got "
            "none. Name it as cluster."
        )
    if pool is not None:
        raise InputError(f"{measure.words} must be of labelled runs alone; got a pool too.")
    columns, rows, _ = derive_values(columns, rows)
    table = read_table(rows)
    require_columns(table, [*columns.needed, *columns.scored_by])
    table = table.drop_nulls(str(columns.label))
    score = check_scores(columns.scores(table).to_numpy())
    if measure.k > 1 and not bool(np.isin(score, (0.0, 1.0)).all()):
        partly = float(score[~np.isin(score, (0.0, 1.0))][0])
        raise InputError(
            f"{measure.words} must be of runs that are right or wrong; got a score of {partly:g}."
        )
    items, n_short = _items(measure, table.with_columns(pl.Series(_SCORE, score)), item)
    single = replace(columns, score=_SCORE, y_true=None, y_pred=None, cluster=None, id=None)
    said = {"measure": measure.words, "items_with_too_few_runs": n_short}
    return fit_surface(single, items, None, how).with_details(**said)


def _items(measure: Repeats, table: pl.DataFrame, item: str) -> tuple[pl.DataFrame, int]:
    """Return one row per item, its first, with its score, and how many have too few runs."""
    runs = table.group_by(item, maintain_order=True).agg(
        pl.exclude(_SCORE).first(), pl.len().alias("__n"), pl.col(_SCORE).sum()
    )
    enough = runs.filter(pl.col("__n") >= measure.k)
    if not enough.height:
        most = max(runs.get_column("__n").to_list())
        raise InputError(
            f"{measure.words} must have items with {measure.k} runs; got at most {most} of one."
        )
    counts = zip(enough["__n"].to_list(), enough[_SCORE].to_list(), strict=True)
    scores = pl.Series(_SCORE, [measure.score(n, c) for n, c in counts])
    return enough.drop("__n").with_columns(scores), runs.height - enough.height
