"""How often a gate is wrong, and whether what it says with a probability happens that often.

Each run makes a world, fits surfaces from labels drawn at random, and asks gates whose bars lie at
even distances from the truth, on both sides. So each answer can be judged: a gate that fails what
holds is a wrong fail, one that passes what does not is a wrong pass, and of the answers with a
probability near p a share of p should hold. That is also counted of probabilities which the gate
does not say, because they are not calibrated.

- ``whole``, ``value``: ``min`` over the pool, and for a random value of the first attribute
- ``two values``, ``values``: ``max_gap`` between two values of it, and between all
- ``slices``: ``no_slice_below``
- ``loss``: ``not_worse_than`` with ``by``; ``between`` the values of the first attribute in
  ``loss of values``; ``own``: each service has labels of its own, ``paired``: they share them

Half of the runs have a new service with the accuracy of the old one in every arm, asked with
``by`` at 0 and 0.02. In the others the two differ by up to 0.3 in the most frequent value of the
first attribute, and by a share of that elsewhere; in half of these the new one is the better.
``level`` has the same rate everywhere and ``weak`` one weak arm; their truth is these rates, and
the bars of ``level`` lie on the rate itself, so that every slice is at the bar. The truth of the
other worlds is the accuracy of their rows.

With ``--spreads`` it is counted instead how far the truth lies from what surfaces say of the whole
pool and of each value of each attribute, in standard deviations: the root mean square, which is to
be 1. With ``--places`` it is counted whether the labels that would settle a place do: how far its
bound then is from its mean, as a share of the distance that was to be reached. With ``--chosen``
the labels of the new service are chosen by the default strategy.

Runs are kept in ``--out``, one line each, and not made again.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.cli.console import steps
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.intervals.simultaneous import reach_above, spread_above
from accuracy_assay.study.gate.margins import margins_of
from accuracy_assay.study.gate.requirement import Requirement
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.synthetic import synthetic

MADE = {"rows": 8_000, "attributes": 3, "values": 6}
"""216 arms of 37 rows on average; every run makes a world of its own."""
KNOWN = {"level": 0.85, "weak": 0.72}
"""Worlds with known rates: that of one arm, the others have 0.85."""
DISTANCES = np.arange(-0.11, 0.12, 0.02)
"""How far what is asked for is from the truth; positive: it does not hold. Evenly spaced, so that
nothing about a bar tells on which side of the truth it is."""
NO_LOSS = (0.0, 0.02)
MOST_LOST = 0.3
BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


@dataclass(frozen=True)
class World:
    """Rows with the scores of an old and a new service, and the true rates of both by row."""

    rows: pl.DataFrame
    attributes: list[Attribute]
    target: str
    old: np.ndarray
    new: np.ndarray


def main() -> None:
    """Run what has not been run, and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", nargs="+", default=["made", "level", "weak", "bbq", "adult5"])
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--spreads", action="store_true", help="count deviations, not gates")
    parser.add_argument("--places", action="store_true", help="try labels that would settle")
    parser.add_argument("--chosen", action="store_true", help="labels chosen, not at random")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("out/gate_errors.jsonl"))
    args = parser.parse_args()
    if args.spreads:
        for name in args.world:
            for labels in args.labels:
                show_spreads(name, labels, args.runs, args.data)
        return
    if args.places:
        for name in args.world:
            show_places(name, args.runs, args.data)
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    kept = read_kept(args.out)
    wanted = [
        (name, labels, args.chosen, seed)
        for seed in range(args.runs)
        for name in args.world
        for labels in args.labels
    ]
    missing = [key for key in wanted if key not in kept]
    with steps("gates") as advance, args.out.open("a", encoding="utf-8") as file:
        for done, key in enumerate(missing):
            advance(done, len(missing), " ".join(map(str, key)))
            kept[key] = list(answers(*key, args.data))
            file.write(json.dumps({"key": key, "found": kept[key]}) + "\n")
            file.flush()
        advance(len(missing), len(missing), "")
    show([(key, found) for key in wanted for found in kept[key]])


def read_kept(path: Path) -> dict[tuple[object, ...], list[dict[str, Any]]]:
    """Return the runs of an earlier call."""
    if not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {tuple(line["key"]): line["found"] for line in lines}


def changed_world(name: str, seed: int, lost: float, data: Path) -> World:
    """Return a world whose new service has lost, or won, in one value of the first attribute."""
    if lost >= 0.0:
        return make_world(name, seed, lost, data)
    world = make_world(name, seed, -lost, data)
    rows = world.rows.rename({"old": "new", "new": "old"})
    return replace(world, rows=rows, old=world.new, new=world.old)


def make_world(name: str, seed: int, lost: float, data: Path) -> World:
    """Return a world whose new service has lost accuracy in one value of the first attribute."""
    rng = np.random.default_rng([seed, len(name)])
    elsewhere = float(rng.random())
    if name in KNOWN:
        sizes = {"a1": 6, "a2": 5, "a3": 4}
        codes = {key: rng.integers(0, size, 6_000) for key, size in sizes.items()}
        frame = pl.DataFrame({key: [f"v{c}" for c in code] for key, code in codes.items()})
        attributes = [Attribute(k, tuple(f"v{c}" for c in range(n))) for k, n in sizes.items()]
        is_weak = np.all([code == 0 for code in codes.values()], axis=0)
        old = np.where(is_weak, KNOWN[name], KNOWN["level"])
        is_most = codes["a1"] == np.bincount(codes["a1"]).argmax()
        new = old - lost * np.where(is_most, 1.0, elsewhere)
        scores = {"old": rng.random(6_000) < old, "new": rng.random(6_000) < new}
        rows = frame.with_columns(pl.Series(k, v.astype(float)) for k, v in scores.items())
        return World(rows, attributes, "population", old, new)
    task = synthetic(**MADE, seed=seed) if name == "made" else load_task(name, data)
    attributes = list(task.columns.attributes)
    space = AttributeSpace(tuple(attributes))
    codes = space.encode(task.rows)
    old = task.rows.get_column(task.score).cast(pl.Float64).to_numpy()
    is_most = codes[:, 0] == np.bincount(codes[:, 0]).argmax()
    new = shuffle(old, space.arm_index(codes), rng)
    new = lower(lower(new, is_most, lost, rng), ~is_most, lost * elsewhere, rng)
    rows = task.rows.select(task.attributes).with_columns(old=pl.Series(old), new=pl.Series(new))
    return World(rows, attributes, "pool", old, new)


def shuffle(scores: np.ndarray, arm: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the scores with those of each arm in another order."""
    order = np.argsort(arm, kind="stable")
    other = np.lexsort((rng.random(arm.size), arm))
    shuffled = np.empty_like(scores)
    shuffled[order] = scores[other]
    return shuffled


def lower(
    scores: np.ndarray, is_lower: np.ndarray, fall: float, rng: np.random.Generator
) -> np.ndarray:
    """Return scores of which some are lower by ``fall`` on average."""
    inside = np.flatnonzero(is_lower)
    right = rng.permutation(inside[scores[inside] > 0.0])
    lowered = scores.copy()
    lost = np.cumsum(scores[right]) <= fall * inside.size
    lowered[right[lost]] = 0.0
    return lowered


def answers(
    name: str, labels: int, is_chosen: bool, seed: int, data: Path
) -> Iterator[dict[str, Any]]:
    """Return what each gate of one run answered, and the truth."""
    rng = np.random.default_rng([seed, labels])
    lost = float(rng.uniform(0.0, MOST_LOST)) * (0.0, 1.0, 0.0, -1.0)[seed % 4]
    world = changed_world(name, seed, lost, data)
    at = rng.permutation(world.rows.height)
    asked = {"pool": world.rows, "target": world.target}
    attributes, first = world.attributes, world.attributes[0].name
    before = aa.estimate(world.rows[at[labels : 2 * labels]], attributes, "old", **asked)
    after = aa.estimate(world.rows[at[:labels]], attributes, "new", **asked)
    if is_chosen:
        after = chosen(world, labels, seed)
    paired = aa.compare(
        world.rows[at[:labels]], attributes, scores=["new", "old"], **asked, seed=seed
    )
    arm_old, arm_new = (by_arm(after, world, rate) for rate in (world.old, world.new))
    some = rng.permutation(world.rows.get_column(first).unique().sort().to_list()).tolist()
    values = {first: some[0]}
    plain: list[tuple[str, Requirement]] = [
        ("whole", Requirement("min", 0.5)),
        ("value", Requirement("min", 0.5, where=values)),
        ("two values", Requirement("max_gap", 0.5, between=first, where={first: some[:2]})),
        ("values", Requirement("max_gap", 0.5, between=first)),
        ("slices", Requirement("no_slice_below", 0.5)),
    ]
    distances = (0.0,) if name == "level" else DISTANCES
    for gate, at_half in plain:
        for distance in distances:
            found = answer(gate, after, at_half, arm_new, float(distance))
            if found is not None:
                yield found
    losses = [("own", before), *([] if is_chosen else [("paired", paired)])]
    for method, old in losses:
        for which, between in (("loss", None), ("loss of values", first)):
            at_half = Requirement("not_worse_than", 0.5, old=old, between=between)
            changed = arm_new - arm_old
            if lost:
                for distance in DISTANCES:
                    found = answer(f"{which}, {method}", after, at_half, changed, float(distance))
                    if found is not None:
                        yield found
            else:
                for by in NO_LOSS:
                    yield judged(f"no {which} {by:g}, {method}", after, at_half, changed, by, 0.0)


def chosen(world: World, labels: int, seed: int) -> AccuracySurface:
    """Return the new service's surface from labels that the default strategy chose."""
    return aa.simulate(
        world.rows,
        attributes=world.attributes,
        score="new",
        seed_size=0,
        budget=labels,
        batch=max(labels // 20, 12),
        target=world.target,
        seed=seed,
    ).surface


def by_arm(surface: AccuracySurface, world: World, rate: np.ndarray) -> np.ndarray:
    """Return the true accuracy of each listed arm, (A,)."""
    arm = surface.space.arm_index(surface.space.encode(world.rows))
    at = np.searchsorted(surface.arms, arm)
    rows = np.bincount(at, minlength=surface.arms.size)
    return np.bincount(at, rate, surface.arms.size) / np.maximum(rows, 1)


def answer(
    gate: str, surface: AccuracySurface, at_half: Requirement, truth: np.ndarray, distance: float
) -> dict[str, Any] | None:
    """Return the answer of a gate at a distance from the truth; None if there is no such bar."""
    worst = true_margins(surface, at_half, truth)[1].min()
    towards = 1.0 if at_half.bar in ("min", "no_slice_below") else -1.0
    limit = 0.5 + towards * (worst + distance)
    return judged(gate, surface, at_half, truth, limit, distance) if 0.0 <= limit <= 1.0 else None


def true_margins(
    surface: AccuracySurface, asked: Requirement, truth: np.ndarray
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the names of all slices, the true margins of those to be shown, and of all."""
    found = margins_of(surface, asked)
    value = np.asarray(found.slices.weight @ truth)
    sign = -1.0 if asked.bar == "max_gap" else 1.0
    shift = asked.limit if asked.bar in ("max_gap", "not_worse_than") else -asked.limit
    margin = sign * value + shift
    return list(found.slices.names), margin[found.is_shown], margin


def judged(
    gate: str,
    surface: AccuracySurface,
    at_half: Requirement,
    truth: np.ndarray,
    limit: float,
    distance: float,
) -> dict[str, Any]:
    """Return the answer of a gate, and whether it is right."""
    bars = {at_half.bar: limit} if at_half.old is None else {"not_worse_than": at_half.old}
    options = {} if at_half.old is None else {"by": limit}
    if at_half.between:
        options["between"] = at_half.between
    if at_half.where:
        options["where"] = dict(at_half.where)
    (check,) = aa.check(surface, **bars, **options)
    asked = Requirement(
        at_half.bar, limit, old=at_half.old, between=at_half.between, where=at_half.where
    )
    found = margins_of(surface, asked)
    names, shown, margin = true_margins(surface, asked, truth)
    slack = 1e-9  # a bar on the truth itself holds
    number = dict(zip(names, as_number(asked, margin), strict=True))
    return {
        "gate": gate,
        "distance": round(distance, 3),
        "holds": bool((shown >= -slack).all()),
        "all_hold": bool((margin >= -slack).all()),
        "verdict": check.verdict,
        "chance": float((found.judged[:, found.is_shown] >= 0.0).all(axis=1).mean()),
        "is_said": check.chance is not None,
        "named": [bool(f.lower <= number[f.place] <= f.upper) for f in check.findings],
        "better": [bool(number[f.place] > 0.0) for f in check.better],
    }


def as_number(asked: Requirement, margin: np.ndarray) -> np.ndarray:
    """Return margins as what people read."""
    if asked.bar == "max_gap":
        return asked.limit - margin
    return margin - asked.limit if asked.bar == "not_worse_than" else margin + asked.limit


def show(runs: list[tuple[tuple[object, ...], dict[str, Any]]]) -> None:
    """Print errors by gate, and by world and labels; then the reliability of what is said."""
    print("the share of what holds that fails, with all bars and with the nearest; of what does ")
    print("not hold that passes; decided at all; named intervals that hold; a gain listed wrongly")
    for keys in ((), (0,), (0, 1)):
        groups: dict[tuple[object, ...], list[dict[str, Any]]] = {}
        for key, found in runs:
            if keys or key[0] != "level":
                groups.setdefault((found["gate"], *(key[k] for k in keys)), []).append(found)
        for name, found in sorted(groups.items(), key=str):
            print(f"{', '.join(map(str, name)):42}{errors(found)}")
        print()
    show_reliability(runs)


def errors(found: list[dict[str, Any]]) -> str:
    """Return how often a gate was wrong."""
    bad = [f for f in found if not f["holds"]]
    good = [f for f in found if f["all_hold"]]
    near = [f for f in good if f["distance"] >= -0.02]
    named = [held for f in found if f["verdict"] != "fail" for held in f["named"]]
    decided = np.mean([f["verdict"] != "not enough labels" for f in found])
    wrongly_better = np.mean([not all(f["better"]) for f in found])
    return (
        f"{len(found):6}  fails {share(good, 'fail')}, {share(near, 'fail')}  passes "
        f"{share(bad, 'pass')}  decided {100 * decided:3.0f}%  named "
        f"{100 * np.mean(named) if named else np.nan:3.0f}%  gains {100 * wrongly_better:4.1f}%"
    )


def share(found: list[dict[str, Any]], verdict: str) -> str:
    """Return the share of a verdict with its standard error, in percent."""
    if not found:
        return "   -      "
    p = np.mean([f["verdict"] == verdict for f in found])
    return f"{100 * p:4.1f}% ±{100 * np.sqrt(p * (1 - p) / len(found)):3.1f}"


def show_reliability(runs: list[tuple[tuple[object, ...], dict[str, Any]]]) -> None:
    """Print how often what has a probability holds, by gate, whether it is said or not."""
    said: dict[str, list[tuple[float, bool]]] = {}
    for (name, *_), found in runs:
        if name != "level" and not found["gate"].startswith("no "):
            gate = found["gate"] + ("" if found["is_said"] else " (not said)")
            said.setdefault(gate, []).append((found["chance"], found["holds"]))
    print("posterior probability: its mean, share that held, answers")
    for gate, pairs in sorted(said.items()):
        chance, holds = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
        which = np.clip(np.searchsorted(BINS, chance, side="right") - 1, 0, len(BINS) - 2)
        print(f"{gate:36}", end="")
        for k in range(len(BINS) - 1):
            if (of := which == k).any():
                print(f" {chance[of].mean():.2f} {holds[of].mean():.2f} ({of.sum()})", end=" |")
        print()


def show_spreads(name: str, labels: int, runs: int, data: Path) -> None:
    """Print how many standard deviations the truth lies from what surfaces say."""
    off = []
    with steps(f"{name} {labels}") as advance:
        for seed in range(runs):
            advance(seed, runs, "")
            world = make_world(name, seed, 0.0, data)
            at = np.random.default_rng([seed, labels]).permutation(world.rows.height)[:labels]
            surface = aa.estimate(
                world.rows[at], world.attributes, "old", pool=world.rows, target=world.target
            )
            truth = by_arm(surface, world, world.old)
            conditions = [
                {attribute.name: value}
                for attribute in world.attributes
                for value in attribute.values
                if surface.space.matches(surface.arms, {attribute.name: value}).any()
            ]
            for where in ({}, *conditions):
                found, weight = surface.average(w := surface.weights(where)), w
                off.append((found.mean - float(weight @ truth)) / max(found.sd, 1e-9))
        advance(runs, runs, "")
    print(f"{name}, {labels} labels: the truth is {np.sqrt(np.mean(np.square(off))):.2f} off")


def show_places(name: str, runs: int, data: Path) -> None:
    """Print what became of places once they had the labels that would settle them."""
    reached, settled = [], []
    with steps(name) as advance:
        for seed in range(runs):
            advance(seed, runs, "")
            world = make_world(name, seed, 0.0, data)
            at = np.random.default_rng(seed).permutation(world.rows.height)
            surface = fitted(world, at[:300])
            bar = round(surface.overall.mean - 0.15, 2)
            (check,) = aa.check(surface, no_slice_below=bar, order=2)
            for place in (*check.findings[:1], *check.findings[3:4]):
                inside = is_inside(world.rows, place.place)[at[300:]]
                more = at[300:][inside][: place.labels_to_settle or 0]
                if place.bound is not None or more.size != place.labels_to_settle:
                    continue
                asked = Requirement("no_slice_below", bar, order=2)
                margin, reach = reach_of(fitted(world, [*at[:300], *more]), asked, place.place)
                reached.append(reach / abs(place.mean - bar))
                settled.append(reach < abs(margin))
        advance(runs, runs, "")
    print(f"{name}: {len(settled)} places, {100 * np.mean(settled):.0f}% settled")
    print(f"  shares reached: {', '.join(f'{share:.2f}' for share in sorted(reached))}")


def fitted(world: World, labelled: Sequence[int]) -> AccuracySurface:
    """Return the surface of the old service from the labels of some rows."""
    options = {"pool": world.rows, "target": world.target}
    return aa.estimate(world.rows[list(labelled)], world.attributes, "old", **options)


def is_inside(rows: pl.DataFrame, place: str) -> np.ndarray:
    """Return which rows are in a place."""
    named = (part.split(" = ") for part in place.split(" and "))
    parts = [(rows.get_column(name).cast(pl.String) == value).to_numpy() for name, value in named]
    return np.all(parts, axis=0)


def reach_of(surface: AccuracySurface, asked: Requirement, place: str) -> tuple[float, float]:
    """Return the margin of a place, and how far it may lie towards the bar and beyond."""
    found = margins_of(surface, asked)
    q = list(found.slices.names).index(place)
    side = -1.0 if found.mean[q] >= 0.0 else 1.0
    of = np.ones(len(found.slices), dtype=bool) if side < 0.0 else found.family == found.family[q]
    n_families = np.unique(found.family).size if side > 0.0 else 1
    draws, mean = side * found.judged[:, of], side * found.mean[of]
    reach = reach_above(draws, mean, 1.0 - 0.05 / n_families) * spread_above(draws, mean)
    return float(found.mean[q]), float(reach[np.count_nonzero(of[:q])])


if __name__ == "__main__":
    main()
