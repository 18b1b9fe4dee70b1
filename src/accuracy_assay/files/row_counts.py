"""Counts of equal rows of Parquet, and sums of their numbers, in one pass.

On this machine one query goes over all files. On other machines each part is counted separately
and the counts are added up here, with the same result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from accuracy_assay.files.parquet_rows import OnShare, ParquetRows, Part
from accuracy_assay.runtime.engine import LOCAL, Engine, LocalEngine

__all__ = ["count_rows", "merge_counts"]

_WAITING_ROWS = 4_000_000
"""Counts that wait to be added up: as many as the groups of a large table, some 0.5 GB."""
_MANY_SHARES, _MOST_PARTS = 512, 16
"""Up to this many parts, each is a share of its own: enough for some hundred cores. With more,
one worker counts several parts and adds them up, at most eight million rows in a second or two:
receiving counts (half a megabyte for thousands of groups) costs this process 0.01 s each."""


@dataclass(frozen=True)
class _Count:
    """The work on one part: its groups, and the sums in each of them."""

    rows: ParquetRows
    keys: tuple[tuple[str, str], ...]
    sums: tuple[tuple[str, str], ...]
    threads: int | None = None
    on_share: OnShare | None = None

    def __call__(self, part: Part) -> pl.DataFrame:
        terms = (*self.keys, *self.sums)
        found = self.rows.ask(
            [term for _, term in terms],
            "GROUP BY ALL",
            part,
            threads=self.threads,
            on_share=self.on_share,
        )
        return found.rename({f"c{k}": name for k, (name, _) in enumerate(terms)})


@dataclass(frozen=True)
class _Share:
    """Consecutive parts, counted by one worker."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        first, last = self.parts[0], self.parts[-1]
        return str(first) if first == last else f"{first}, to {last}"


@dataclass(frozen=True)
class _CountShare:
    """The work on a share: its parts are added up where they are counted."""

    count: _Count

    def __call__(self, share: _Share) -> pl.DataFrame:
        keys = [name for name, _ in self.count.keys]
        return merge_counts([self.count(part) for part in share.parts], keys)


def _share(parts: list[Part]) -> list[_Share]:
    size = min(max(len(parts) // _MANY_SHARES, 1), _MOST_PARTS)
    return [_Share(tuple(parts[k : k + size])) for k in range(0, len(parts), size)]


def count_rows(
    rows: ParquetRows,
    keys: Mapping[str, str],
    sums: Mapping[str, str],
    engine: Engine = LOCAL,
    on_share: OnShare | None = None,
) -> pl.DataFrame:
    """Return one row per group: its keys, and its sums.

    Parameters
    ----------
    rows
        The rows.
    keys
        By name: an expression that the rows of a group share, such as the name of a column.
    sums
        By name: an aggregate that adds up over parts, such as ``count(*)`` or ``sum(x)``.
    engine
        Where to count.
    on_share
        Called with the progress.
    """
    asked = tuple(keys.items()), tuple(sums.items())
    if isinstance(engine, LocalEngine):
        return _Count(rows, *asked, on_share=on_share)(Part(rows.names))
    shares = _share(rows.parts())
    work = _CountShare(_Count(rows, *asked, threads=1))
    waiting: list[pl.DataFrame] = []
    for done, found in enumerate(engine.map(work, shares), start=1):
        waiting.append(found)
        if sum(part.height for part in waiting) > _WAITING_ROWS:
            waiting = [merge_counts(waiting, list(keys))]
        if on_share is not None:
            on_share(done / len(shares))
    return merge_counts(waiting, list(keys))


def merge_counts(parts: list[pl.DataFrame], keys: list[str]) -> pl.DataFrame:
    """Return the counts of several parts, added up.

    Examples
    --------
    >>> merge_counts([pl.DataFrame({"a": ["x"], "n": [2]})] * 2, ["a"]).rows()
    [('x', 4)]
    """
    if len(parts) == 1:
        return parts[0]
    together = pl.concat(parts, how="vertical_relaxed")
    return together.sum() if not keys else together.group_by(keys).agg(pl.exclude(keys).sum())
