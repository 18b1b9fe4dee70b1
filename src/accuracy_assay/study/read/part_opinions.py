"""Judges that scored only a part of the rows: the others get the opinion of a row like them.

A judge that costs money scores some rows, at random within each arm (`study.plan.by_price` says
which). A row without its opinion is given that of another: of the same arm, with the same other
signals and, if it has a label, with the same score. So the pool's composition is an estimate. What
it could be otherwise is drawn by the Bayesian bootstrap (Rubin, 1981), in which the rows to copy
from have random weights; the surface carries it as it carries other calibrations of guesses.

Notation: n rows; a donor is a row with an opinion. Keys (n,) say which rows are alike, the
coarsest first; all donors of a coarser key count as `_COARSE` donors of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.judges import lacks_opinion
from accuracy_assay.domain.part_judged import PartJudged
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Filled", "PartOpinions", "fill_opinions", "part_judges", "why_too_few"]

_REDRAWN = 24
"""Compositions that are drawn: the deviation of so many has an error of a seventh."""
_COARSE = 2.0
"""Donors that a coarser key is worth beside those of a finer one. Chosen by hand: an arm with two
judged rows is half what they say, half what all others do."""
_CLASSES = 4
"""Classes of a fractional score, or of a signal of many numbers, whose rows are alike."""
_LEAST_SHARE = 0.25
"""Share of the labelled rows that a judge must have scored. What its opinion is worth is learned
from these alone: in made worlds with 300 labels estimates with a quarter of them were as good as
without the judge, and with a tenth worse, with intervals that held too rarely."""
_STREAM = 61
"""Seed of the draws: the same rows have the same surface."""


@dataclass(frozen=True, eq=False)
class Filled:
    """Tables in which every row has an opinion of every judge.

    Parameters
    ----------
    labelled, pool
        The tables; the pool is None if there are only labelled rows.
    redrawn
        The pool, or else the labelled rows, with other opinions filled in.
    judged
        Which judges scored how many rows.
    """

    labelled: pl.DataFrame
    pool: pl.DataFrame | None
    redrawn: tuple[pl.DataFrame, ...]
    judged: PartJudged


def part_judges(columns: Columns, tables: Sequence[pl.DataFrame]) -> list[str]:
    """Return the judges that scored some rows of the tables but not all.

    Raises
    ------
    InputError
        If rows without an opinion cannot be compared with others, or those with one are too few.
    """
    found = [
        name
        for name in columns.judges
        if any(lacks_opinion(table.get_column(name)).any() for table in tables)
    ]
    if not found:
        return found
    known = {
        "guessed attributes": columns.hidden,
        "an attribute that the label reveals": columns.from_label,
        "a cluster": columns.cluster,
        "a weight": columns.weight,
    }
    if clash := [what for what, given in known.items() if given]:
        raise InputError(
            f"judge {found[0]!r} must have an opinion on every row where there is {clash[0]}; got "
            "rows without one. Let it judge these too, or leave it out."
        )
    for name in found:
        pool, labelled = (~lacks_opinion(tables[k].get_column(name)) for k in (0, -1))
        if why := why_too_few(int(pool.sum()), int(labelled.sum()), labelled.len(), pool.len()):
            raise InputError(f"judge {name!r} must {why}. Let it judge more, or leave it out.")
    return found


def why_too_few(n_scored: int, n_both: int, n_labels: int, n_rows: int) -> str | None:
    """Return what a judge must have scored to count; None if it has.

    Parameters
    ----------
    n_scored, n_rows
        Rows of the pool that it has scored, and all.
    n_both, n_labels
        Labelled rows that it has scored, and all.

    Examples
    --------
    >>> why_too_few(1_000, 300, 300, 6_000)
    >>> why_too_few(1_000, 60, 300, 6_000)
    'have scored a quarter of the labelled rows; got 60 of 300'
    >>> why_too_few(300, 300, 300, 6_000)
    'have scored more rows than have labels; got 300 and 300'
    """
    if n_both < max(_LEAST_SHARE * n_labels, 1.0):
        return f"have scored a quarter of the labelled rows; got {n_both} of {n_labels}"
    if n_scored <= n_labels < n_rows:  # two-phase sampling is of no use then
        return f"have scored more rows than have labels; got {n_scored} and {n_labels}"
    return None


def fill_opinions(
    columns: Columns,
    partly: Sequence[str],
    labelled: pl.DataFrame,
    pool: pl.DataFrame | None,
    scores: pl.Series,
    space: AttributeSpace,
    *,
    is_own: bool,
) -> Filled:
    """Return the tables with every opinion filled in.

    Parameters
    ----------
    columns, partly, space
        What the columns mean, the judges that lack opinions, and the attributes.
    labelled, pool, scores
        The tables, and the score of each labelled row.
    is_own
        Whether the labelled rows are those of the pool with a value in the label's column.
    """
    names = [*columns.names, *columns.signal_columns]
    base = labelled if pool is None else pool
    place = _places(columns, labelled, pool, is_own=is_own)
    parts = [base.select(names)]
    if place is None:
        place = np.arange(base.height, base.height + labelled.height)
        parts.append(labelled.select(names))
    whole = pl.concat(parts, how="vertical_relaxed")
    score = np.full(whole.height, np.nan)
    score[place] = scores.cast(pl.Float64).to_numpy()
    free = [name for name in columns.signal_columns if name not in partly]
    arm = space.arm_index(space.encode(whole))
    rows = PartOpinions(whole, arm, score, base.height, tuple(free), tuple(partly))
    filled = rows.filled()
    return Filled(
        labelled.with_columns(filled[place].get_columns()),
        None if pool is None else pool.with_columns(filled[: base.height].get_columns()),
        tuple(base.with_columns(each.get_columns()) for each in rows.redrawn()),
        rows.judged,
    )


def _places(
    columns: Columns, labelled: pl.DataFrame, pool: pl.DataFrame | None, *, is_own: bool
) -> IntArray | None:
    """Return where the labelled rows are among those of the pool, (m,); None if nobody knows."""
    if pool is None:
        return np.arange(labelled.height)
    if is_own:
        return np.flatnonzero(pool.get_column(str(columns.label)).is_not_null().to_numpy())
    if columns.id is None or columns.id not in pool.columns:
        return None
    key = pl.col(columns.id).cast(pl.String)
    at = labelled.select(key).join(
        pool.select(key, at=pl.int_range(pl.len())),
        on=columns.id,
        how="left",
        maintain_order="left",
    )
    found = at.get_column("at")
    return None if found.null_count() else found.to_numpy().astype(np.int64)


@dataclass(frozen=True, eq=False)
class PartOpinions:
    """The pool's rows, then labelled ones that are not known to be among them.

    Parameters
    ----------
    table
        What judges and other signals say, null where a judge said nothing.
    arm, score
        Of each row, (n,); the score is NaN without a label.
    n_pool
        Rows of the pool.
    free, partly
        Signals that every row has, and judges that lack opinions.
    """

    table: pl.DataFrame
    arm: IntArray
    score: FloatArray
    n_pool: int
    free: tuple[str, ...]
    partly: tuple[str, ...]

    @cached_property
    def judged(self) -> PartJudged:
        """How many rows of the pool each judge scored."""
        pool = self.table[: self.n_pool]
        n_scored = [self.n_pool - int(lacks_opinion(pool[name]).sum()) for name in self.partly]
        return PartJudged(dict(zip(self.partly, n_scored, strict=True)), self.n_pool)

    def filled(self, rng: np.random.Generator | None = None) -> pl.DataFrame:
        """Return the columns of the judges without gaps; drawn if there is a generator."""
        known = [_classes(self.table.get_column(name)) for name in self.free]
        made = []
        for name in sorted(self.partly, key=lambda name: -self.judged.scored[name]):
            column = self.table.get_column(name)
            source = self._sources(~lacks_opinion(column).to_numpy(), known, rng)
            column = column.gather(source)
            made.append(column)
            known.append(_classes(column))
        return pl.DataFrame(made)

    def redrawn(self) -> list[pl.DataFrame]:
        """Return what the pool's columns may be otherwise."""
        rng = np.random.default_rng(_STREAM)
        return [self.filled(rng)[: self.n_pool] for _ in range(_REDRAWN)]

    @cached_property
    def _is_labelled(self) -> BoolArray:
        return np.isfinite(self.score)

    @cached_property
    def _score_class(self) -> IntArray:
        return np.round(np.nan_to_num(self.score) * _CLASSES).astype(np.int64)

    def _sources(
        self, has: BoolArray, known: Sequence[IntArray], rng: np.random.Generator | None
    ) -> IntArray:
        """Return the row whose opinion each row gets, (n,): its own if it has one."""
        source = np.arange(has.size)
        nothing = np.zeros(has.size, dtype=np.int64)
        told = has & self._is_labelled
        if told.any():
            keys = [nothing, self._score_class, _crossed([self.arm, self._score_class])]
            to = np.flatnonzero(~has & self._is_labelled)
            source[to] = _copied(to, np.flatnonzero(told), keys, rng)
        donors = has | (self._is_labelled & told.any())
        own = donors & (np.arange(has.size) < self.n_pool)
        at = np.flatnonzero(own if own.any() else donors)
        keys = [nothing, self.arm, _crossed([self.arm, *known])][: 2 + bool(known)]
        to = np.flatnonzero(~donors)
        source[to] = source[_copied(to, at, keys, rng)]
        return source


def _copied(
    to: IntArray, donors: IntArray, keys: Sequence[IntArray], rng: np.random.Generator | None
) -> IntArray:
    """Return a donor for each of some rows, (k,): evenly, or with random weights."""
    found = np.zeros(to.size, dtype=np.int64)
    for k, key in enumerate(keys):
        order, wanted = (at[np.argsort(key[at], kind="stable")] for at in (donors, to))
        place, ordered, asked = np.argsort(key[to], kind="stable"), key[order], key[wanted]
        for value in np.unique(asked).tolist():
            alike = order[slice(*np.searchsorted(ordered, [value, value + 1]))]
            if not alike.size:
                continue
            own = place[slice(*np.searchsorted(asked, [value, value + 1]))]
            coarse = _COARSE if k else 0.0
            if rng is None:
                n_own = round(own.size * alike.size / (alike.size + coarse))
                # Every second, third, ... row keeps the opinion of the coarser key.
                own = own[np.linspace(0, own.size, n_own, endpoint=False).astype(np.int64)]
                found[own] = alike[np.arange(own.size) % alike.size]
                continue
            weight = rng.standard_exponential(alike.size)
            share = weight.sum() / (weight.sum() + (rng.gamma(coarse) if coarse else 0.0))
            own = own[rng.random(own.size) < share]
            found[own] = rng.choice(alike, own.size, p=weight / weight.sum())
    return found


def _classes(column: pl.Series) -> IntArray:
    """Return the class of each row by one signal, (n,)."""
    if column.dtype.is_numeric() and column.n_unique() > _CLASSES:
        rank = column.cast(pl.Float64).rank("average").to_numpy() / max(column.len(), 1)
        return np.minimum((rank * _CLASSES).astype(np.int64), _CLASSES - 1)
    return column.cast(pl.String).fill_null("").rank("dense").to_numpy().astype(np.int64)


def _crossed(keys: Sequence[IntArray]) -> IntArray:
    """Return the number of each combination of keys, (n,)."""
    return np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
