"""How often a judge's certificate is right: on real judges, and in made worlds.

Real: the automatic metrics of ``frank`` as judges of its summaries, the systems as services,
random labels, against the labels of all rows. Printed for each number of labels: of what is
certified (everything, everything else and slices) how much is wrong, of slices that differ by more
than 25 points how many are refused, how often everything is certified where that is true, and the
share of 90% intervals that hold.

Made: a judge that is right on average and wrong by 30 points in two slices; and an honest one.

    python benchmarks/judge_certificates.py --data ../shared/data --draws 5
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa

_NOT_JUDGES = {"document", "model_name", "dataset", "split", "human_factuality", "label"}
TOLERANCE = 0.1
FAR = 0.25
BIAS = 0.3


def real(data: Path, draws: int, sizes: list[int]) -> None:
    """Print the counts for frank."""
    table = pl.read_parquet(data / "frank" / "pool.parquet")
    judges = [name for name in table.columns if name not in _NOT_JUDGES]
    judges = [n for n in judges if table[n].min() >= 0.0 and table[n].max() <= 1.0]
    for size in sizes:
        counts = np.zeros(10)
        for judge in judges:
            rows = table.drop_nulls(judge)
            for seed in range(draws):
                counts += _one(rows, judge, size, seed)
        certified, wrong, far, refused, true, whole, held, asked, unjust, n_refused = counts
        print(
            f"frank {size:5} labels, {len(judges)} judges x {draws}: wrong "
            f"{wrong:.0f} of {certified:.0f} certified ({_share(wrong, certified)}); refused "
            f"{refused:.0f} of {far:.0f} that differ by more than 25 points ("
            f"{_share(refused, far)}); everything certified {whole:.0f} of {true:.0f} ("
            f"{_share(whole, true)}); refused though within {unjust:.0f} of {n_refused:.0f}; "
            f"intervals {_share(held, asked)}",
            flush=True,
        )


def _one(rows: pl.DataFrame, judge: str, size: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, size])
    is_labelled = np.isin(np.arange(rows.height), rng.permutation(rows.height)[:size])
    known = rows.with_columns(
        label=pl.when(pl.Series(is_labelled)).then(pl.col("human_factuality"))
    )
    found = aa.certify(
        known,
        ["dataset"],
        "label",
        judge=judge,
        service="model_name",
        cluster="document",
        tolerance=TOLERANCE,
        seed=seed,
    )
    gap = rows.select((pl.col(judge) - pl.col("human_factuality")).alias("gap")).to_series()
    counts = np.zeros(10)
    for each in found.slices:
        truth = float(gap.filter(_members(rows, found, each)).mean())
        may, may_not = each.verdict == "may decide", each.verdict == "may not"
        is_part = not each.name
        is_far = is_part and abs(truth) > FAR
        is_beyond = abs(truth) > TOLERANCE
        whole = each.name == "everything"
        counts += [
            may,
            may and is_beyond,
            is_far,
            is_far and may_not,
            whole and not is_beyond,
            whole and may and not is_beyond,
            each.lower <= truth <= each.upper,
            1,
            is_part and may_not and not is_beyond,
            is_part and may_not,
        ]
    return counts


def _members(rows: pl.DataFrame, found: aa.Certificate, each: object) -> pl.Series:
    if each.name == "everything":
        return pl.Series(np.ones(rows.height, dtype=bool))
    if each.name:
        inside = [_members(rows, found, other) for other in found.refused]
        return ~pl.DataFrame(inside).select(pl.any_horizontal(pl.all())).to_series()
    where = dict(each.where)
    if each.service is not None:
        where["model_name"] = each.service
    parts = [pl.col(name) == value for name, value in where.items()]
    return rows.select(pl.all_horizontal(parts)).to_series().alias(each.place)


def made(draws: int, labels: int, tolerance: float, noise: float) -> None:
    """Print how often both slices are refused, and how many of an honest judge's are."""
    for shape, at in (((8,), 1), ((4, 3), 1), ((4, 3), 2), ((5, 4), 1), ((12,), 1)):
        both = unjust = parts = alone = refused = certified = 0
        for seed in range(draws):
            rows, bad = world(seed, shape, at, labels, noise)
            names = [f"a{k}" for k in range(len(shape))]
            options = {"judge": "judge", "tolerance": tolerance, "seed": seed}
            found = aa.certify(rows, names, "right", **options)
            said = [each.slice for each in found.refused]
            both += set(bad) <= set(said)
            alone += sum(not _touches(each, bad) for each in said)
            refused += len(said)
            honest = aa.certify(
                world(seed, shape, at, labels, noise, bias=0.0)[0], names, "right", **options
            )
            unjust += len(honest.refused)
            parts += sum(not each.name for each in honest.slices)
            certified += honest.verdict == "may decide"
        print(
            f"made {'x'.join(map(str, shape)):4} {'values' if at == 1 else 'arms':6} {labels} "
            f"labels, tolerance {tolerance:g}, noise {noise:g}: both refused "
            f"{_share(both, draws)}; {alone} of {refused} refused are honest; honest judge: "
            f"{_share(unjust, parts)} of its slices refused, everything certified "
            f"{_share(certified, draws)}",
            flush=True,
        )


def world(
    seed: int, shape: tuple[int, ...], at: int, labels: int, noise: float, bias: float = BIAS
) -> tuple[pl.DataFrame, list[str]]:
    """Return 6,000 rows, some with a label, and the names of the two slices.

    People pass 60% of the answers. The judge repeats them but for a share ``noise``, drawn anew,
    and is lenient in one slice and as harsh in the other, by flipping what it says.
    """
    rng = np.random.default_rng([seed, 17])
    n = 6_000
    codes = np.stack([rng.integers(0, size, n) for size in shape], axis=1)
    names = [f"a{k}" for k in range(len(shape))]
    right = rng.random(n) < 0.6
    judge = np.where(rng.random(n) < noise, rng.random(n) < 0.6, right)
    bad = []
    for sign, value in ((1, 0), (-1, 1)):
        inside = (codes[:, :at] == value).all(axis=1)
        flipped = (
            inside & (judge == (sign < 0)) & (rng.random(n) < bias / (0.4 if sign > 0 else 0.6))
        )
        judge = np.where(flipped, sign > 0, judge)
        bad.append(" and ".join(f"{name} = v{value}" for name in names[:at]))
    table = pl.DataFrame({name: [f"v{c}" for c in codes[:, k]] for k, name in enumerate(names)})
    label = pl.Series([float(r) if i < labels else None for i, r in enumerate(right)])
    return table.with_columns(judge=pl.Series(judge), right=label), bad


def _touches(said: str, bad: list[str]) -> bool:
    return any(set(said.split(" and ")) & set(each.split(" and ")) for each in bad)


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--labels", type=int, nargs="+", default=[200, 600, 1000])
    parser.add_argument("--made-labels", type=int, default=400)
    parser.add_argument("--tolerance", type=float, nargs="*", default=[0.03, 0.1])
    parser.add_argument("--noise", type=float, nargs="+", default=[0.15, 0.5])
    given = parser.parse_args()
    if given.data is not None:
        real(given.data, given.draws, given.labels)
    for tolerance in given.tolerance:
        for noise in given.noise:
            made(given.draws, given.made_labels, tolerance, noise)


if __name__ == "__main__":
    main()
