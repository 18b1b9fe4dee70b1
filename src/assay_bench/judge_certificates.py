"""How often a judge's certificate is right: on real judges, and in made worlds.

Real: the automatic metrics of ``frank`` as judges of its summaries, the systems as services,
random labels, against the labels of all rows. A metric's level is its own, so few are right on the
whole; as *verdicts*, each passes as large a share of all answers as people do, and errs by slice.

Made: 6,000 rows, of which people pass 60%. The judge repeats them but for a share of rows (noise)
drawn anew. It is honest, or 30 points lenient in one slice and 30 points harsh in another: right
on average. *Decisions* are single answers passed and failed alike. *In fours*, rows come in fours
that are all alike, and the certificate knows it or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from accuracy_assay import Certificate, certify
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.study import Advance, Study

__all__ = ["JUDGE_CERTIFICATES", "PEOPLE", "SERVICE", "frank_judges"]

Statement: TypeAlias = Literal["level", "decisions"]
_NOT_JUDGES = {"document", "model_name", "dataset", "split", "human_factuality", "label"}
SERVICE, PEOPLE = "model_name", "human_factuality"
_TOLERANCE, _TOLERANCES = 0.1, (0.03, 0.1)
_FAR, _BIAS = 0.25, 0.3
_PASSED = 0.6
_N_ROWS, _MADE_LABELS = 6_000, 400
_NOISES = (0.15, 0.5)
_SHAPES = (((8,), 1), ((12,), 1), ((4, 3), 1), ((4, 3), 2), ((5, 4), 1), ((5, 4), 2))
"""Values of each attribute, and how many attributes name a slice that is off."""


@dataclass(frozen=True)
class _World:
    """A judge of some rows: their attributes, and the slices that are off, if somebody knows."""

    name: str
    rows: pl.DataFrame
    attributes: list[str]
    tolerance: float
    bad: tuple[str, ...] = ()
    cluster: str | None = None
    service: str | None = None
    statement: Statement = "level"


@dataclass(frozen=True, slots=True)
class Draw:
    """What one certificate said of all slices, against the labels of all rows.

    ``certified`` counts everything, everything else and slices; ``far`` are slices that differ by
    more than 25 points, ``unjust`` refused ones that are within the tolerance. ``named`` is
    whether both slices that are off in a made world were refused.
    """

    world: str
    tolerance: float
    labels: int
    seed: int
    slices: int
    certified: int
    wrong: int
    far: int
    far_refused: int
    refused: int
    unjust: int
    is_true: bool
    is_certified: bool
    intervals: int
    held: int
    named: bool | None


def frank_judges(data: Path) -> tuple[pl.DataFrame, list[str]]:
    """Return the table of ``frank``, and its metrics that lie in [0, 1]."""
    table = pl.read_parquet(data / "frank" / "pool.parquet")
    names = [name for name in table.columns if name not in _NOT_JUDGES]
    return table, [n for n in names if _is_share(table.get_column(n))]


def _draws(
    data: Path | None, n_draws: int, labels: tuple[int, ...], advance: Advance | None = None
) -> pl.DataFrame:
    real = list(_real_worlds(data)) if data is not None else []
    n_made = sum(1 for _ in _made_worlds(0))
    total = n_draws * (len(real) * len(labels) + n_made)
    found: list[dict[str, Any]] = []

    def add(world: _World, size: int, seed: int, is_first: bool) -> None:
        if advance is not None:
            advance(len(found), total, world.name)
        found.append(asdict(_certified(world, size, seed, is_first=is_first)))

    for seed in range(n_draws):
        for world in real:
            for size in labels:
                add(world, size, seed, is_first=False)
        for world in _made_worlds(seed):
            add(world, _MADE_LABELS, seed, is_first=True)
    if advance is not None:
        advance(total, total, "")
    return pl.DataFrame(found, infer_schema_length=None)


def _summary(draws: pl.DataFrame) -> dict[str, pl.DataFrame]:
    def share(part: str, whole: str) -> pl.Expr:
        return (100.0 * pl.col(part).sum() / pl.col(whole).sum()).fill_nan(None).round(1)

    is_both = pl.col("is_true") & pl.col("is_certified")
    table = (
        draws.with_columns(is_both.alias("is_both"))
        .group_by("world", "tolerance", "labels", maintain_order=True)
        .agg(
            pl.len().alias("draws"),
            pl.col("certified").sum(),
            share("wrong", "certified").alias("wrong, %"),
            pl.col("far").sum().alias("far off"),
            share("far_refused", "far").alias("refused, %"),
            share("refused", "slices").alias("slices refused, %"),
            share("unjust", "refused").alias("of these within, %"),
            pl.col("is_true").sum().alias("right as a whole"),
            share("is_both", "is_true").alias("certified as a whole, %"),
            share("held", "intervals").alias("intervals held, %"),
            (100.0 * pl.col("named").mean()).round(1).alias("both named, %"),
        )
    )
    return {
        "Certificates against the labels of all rows": table.sort("world", maintain_order=True)
    }


def _real_worlds(data: Path) -> Iterator[_World]:
    table, names = frank_judges(data)
    for name in names:
        rows = table.drop_nulls(name)
        own = rows.select("document", SERVICE, "dataset", right=PEOPLE, judge=name)
        options: Any = {"cluster": "document", "service": SERVICE}
        yield _World("frank, metrics", own, ["dataset"], _TOLERANCE, **options)
        n_passed = round(float(own.get_column("right").sum()))
        rank = pl.col("judge").rank("ordinal", descending=True)
        verdicts = own.with_columns(judge=(rank <= n_passed).cast(pl.Float64))
        yield _World("frank, verdicts", verdicts, ["dataset"], _TOLERANCE, **options)


def _made_worlds(seed: int) -> Iterator[_World]:
    for tolerance in _TOLERANCES:
        for shape, at in _SHAPES:
            for noise in _NOISES:
                for bias in (_BIAS, 0.0):
                    yield _made(seed, shape, at, noise, bias, tolerance)
    for shape, at in _SHAPES[::2]:
        for bias in (_BIAS, 0.0):
            level = _made(seed, shape, at, _NOISES[0], bias, _TOLERANCE)
            yield replace(level, name=f"{level.name}, decisions", statement="decisions")
    fours = _made(seed, (8,), 1, 0.5, 0.0, _TOLERANCE)
    rows = fours.rows[np.repeat(np.arange(_N_ROWS // 4), 4)]
    rows = rows.with_columns(four=pl.Series(np.repeat(np.arange(_N_ROWS // 4), 4)))
    for name, cluster in (("in fours, known", "four"), ("in fours, not known", None)):
        yield _World(f"made {name}", rows, fours.attributes, _TOLERANCE, cluster=cluster)


def _made(
    seed: int, shape: tuple[int, ...], at: int, noise: float, bias: float, tolerance: float
) -> _World:
    """Return a world in which flipped verdicts make the judge lenient in one slice, harsh in one.

    The slices are the first and the second value of ``at`` attributes.
    """
    rng = np.random.default_rng([seed, 17])
    codes = np.stack([rng.integers(0, size, _N_ROWS) for size in shape], axis=1)
    names = [f"a{k}" for k in range(len(shape))]
    right = rng.random(_N_ROWS) < _PASSED
    drawn = rng.random(_N_ROWS) < _PASSED
    judge = np.where(rng.random(_N_ROWS) < noise, drawn, right)
    bad = []
    for passes, value, share in ((True, 0, 1.0 - _PASSED), (False, 1, _PASSED)):
        inside = (codes[:, :at] == value).all(axis=1)
        flipped = inside & (judge != passes) & (rng.random(_N_ROWS) < bias / share)
        judge = np.where(flipped, passes, judge)
        bad.append(" and ".join(f"{name} = v{value}" for name in names[:at]))
    table = pl.DataFrame({name: [f"v{c}" for c in codes[:, k]] for k, name in enumerate(names)})
    rows = table.with_columns(judge=judge.astype(float), right=right.astype(float))
    kind = f"made {'x'.join(map(str, shape))} {'values' if at == 1 else 'arms'}, noise {noise:.0%}"
    name = f"{kind}, {'two off' if bias else 'honest'}"
    return _World(name, rows, names, tolerance, tuple(bad) if bias else ())


def _certified(world: _World, size: int, seed: int, *, is_first: bool) -> Draw:
    """Return a draw; rows of a made world come in random order already."""
    n = world.rows.height
    order = np.arange(n) if is_first else np.random.default_rng([seed, size]).permutation(n)
    is_known = pl.Series(np.isin(np.arange(n), order[:size]))
    found: Certificate = certify(
        world.rows.with_columns(right=pl.when(is_known).then("right")),
        world.attributes,
        "right",
        judge="judge",
        tolerance=world.tolerance,
        service=world.service,
        cluster=world.cluster,
        statement=world.statement,
        seed=seed,
    )
    gap = (world.rows.get_column("judge") - world.rows.get_column("right")).to_numpy()
    if world.statement == "decisions":
        gap = np.abs(gap)
    truth = _truths(world.rows, found, gap)
    may = np.array([s.verdict == "may decide" for s in found.slices])
    may_not = np.array([s.verdict == "may not" for s in found.slices])
    is_part = np.array([not s.name for s in found.slices])
    is_off, is_far = np.abs(truth) > world.tolerance, is_part & (np.abs(truth) > _FAR)
    held = [s.lower <= t <= s.upper for s, t in zip(found.slices, truth.tolist(), strict=True)]
    named = {s.slice for s in found.refused}
    return Draw(
        world.name,
        world.tolerance,
        size,
        seed,
        int(is_part.sum()),
        int(may.sum()),
        int((may & is_off).sum()),
        int(is_far.sum()),
        int((is_far & may_not).sum()),
        int((is_part & may_not).sum()),
        int((is_part & may_not & ~is_off).sum()),
        bool(not is_off[0]),
        bool(may[0]),
        len(held),
        sum(held),
        named >= set(world.bad) if world.bad else None,
    )


def _truths(rows: pl.DataFrame, found: Certificate, gap: FloatArray) -> FloatArray:
    """Return judge minus people in each slice of a certificate, over all rows."""
    inside = [found.members(rows, each) for each in found.slices]
    if found.rest is not None and found.rest is not found.whole:
        at = next(k for k, each in enumerate(found.slices) if each is found.rest)
        inside[at] = ~np.any([found.members(rows, each) for each in found.refused], axis=0)
    return np.array([float(gap[each].mean()) for each in inside])


def _is_share(column: pl.Series) -> bool:
    known = column.drop_nulls()
    return bool(((known >= 0.0) & (known <= 1.0)).all())


JUDGE_CERTIFICATES = Study(
    "A judge's certificate against the labels of all rows",
    _draws,
    _summary,
    n_draws=20,
    labels=(200, 600, 1_000),
)
