"""Every estimator fitted to 500 labels of each task, three rounds of every strategy, a session."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import accuracy_assay as aa
from number_cases.kept import Case, Kept, of_surface
from number_cases.worlds import load

__all__ = ["cases"]

EXACT = ("digits-exact", "adult5", "am2g", "whisper-text")
GUESSED = ("digits", "am1n")
SHIPPED = ("digits-exact", "digits")
"""Tasks that need no folder of data."""
ESTIMATORS = (
    "constant",
    "beta-independent",
    "bern-gp",
    "beta-gp",
    "beta-gp-ab",
    "beta-gp-sl",
    "beta-gp-slp",
    "structured-regression",
    "shrinkage",
    "eb-regression",
    "metric-frame",
    "anova-gp",
)
STRATEGIES = ("random", "largest-variance", "variance-reduction")
_QUICK = ("digits-exact/",)
"""The quick set has every estimator and strategy on one task."""


def cases(data: Path | None) -> Iterator[Case]:
    for name in _known(EXACT, data):
        for estimator in ESTIMATORS:
            yield _case(f"{name}/{estimator}", estimated, name, data, estimator)
        for estimator in ("eb-regression", "anova-gp"):
            yield _case(
                f"{name}/{estimator}+signals", estimated, name, data, estimator, has_signals=True
            )
        for estimator in ("anova-gp", "beta-gp-slp"):
            for strategy in STRATEGIES:
                yield _case(
                    f"{name}/{estimator}/{strategy}", replayed, name, data, estimator, strategy
                )
        yield _case(
            f"{name}/anova-gp+signals/variance-reduction",
            replayed,
            name,
            data,
            "anova-gp",
            "variance-reduction",
            has_signals=True,
        )
    for name in _known(GUESSED, data):
        for estimator in ESTIMATORS:
            yield _case(f"{name}/{estimator}", replayed, name, data, estimator, "random", budget=0)
        for strategy in STRATEGIES:
            yield _case(f"{name}/anova-gp/{strategy}", replayed, name, data, "anova-gp", strategy)
        yield _case(
            f"{name}/fractional", replayed, name, data, "eb-regression", "largest-variance"
        )
    for name in _known(("am2g", "am1n"), data):
        yield _case(f"session/{name}", played, name, data, has_seed=name == "am1n")


def _known(names: tuple[str, ...], data: Path | None) -> list[str]:
    return [name for name in names if data is not None or name in SHIPPED]


def _case(name: str, function: object, *arguments: object, **options: object) -> Case:
    return Case(name, partial(function, *arguments, **options), name.startswith(_QUICK))


def estimated(name: str, data: Path | None, estimator: str, *, has_signals: bool = False) -> Kept:
    task = load(name, data)
    surface = aa.estimate(
        task.rows.sample(500, seed=1, shuffle=True),
        task.space.attributes,
        task.score,
        pool=task.rows,
        signals=list(task.signals) if has_signals else [],
        estimator=estimator,
        seed=3,
    )
    return of_surface(surface)


def replayed(
    name: str,
    data: Path | None,
    estimator: str,
    strategy: str,
    *,
    has_signals: bool = False,
    budget: int = 36,
) -> Kept:
    task = load(name, data)
    history = aa.simulate(
        task.rows,
        replace(task.columns, signals=task.signals if has_signals else ()),
        estimator=estimator,
        strategy=strategy,
        calibration="full",
        seed_size=500,
        budget=budget,
        batch=12,
        seed=5,
    )
    return of_history(history)


def of_history(history: aa.History) -> Kept:
    metrics = history.metrics.drop("seconds").cast(pl.Float64).to_numpy().astype(float)
    picks = history.picks.select("row", "probability").cast(pl.Float64).to_numpy()
    return {**of_surface(history.surface), "metrics": metrics, "picks": picks}


def played(name: str, data: Path | None, *, has_seed: bool) -> Kept:
    """Three rounds of a session with two services, answered from the gold."""
    task = load(name, data)
    rows = task.rows.sample(6000, seed=2, shuffle=True).with_columns(
        pl.col("digit").cast(pl.String)
    )
    seed = rows[:400] if has_seed else None
    pool = rows[400:] if has_seed else rows
    spec = {
        "assay": {"budget": 60, "batch": 12, "seed": 1},
        "attribute": [
            {"name": name}
            | ({"evidence": task.evidence[name]} if name in task.evidence else {})
            | ({"from_label": True} if name in task.from_label else {})
            for name in task.attributes
        ],
        "service": [
            {"name": s, "column": f"{s}_pred", "confidence": f"{s}_confidence"}
            for s in ("google", "deepspeech")
        ],
        "label": {"choices": [str(d) for d in range(10)], "column": "digit"},
    }
    gold = dict(zip(rows["id"].cast(pl.String), rows["digit"], strict=True))
    place = {name: i for i, name in enumerate(gold)}
    kept: Kept = {}
    with tempfile.TemporaryDirectory() as folder:
        assay = aa.Assay.create(Path(folder) / "a.assay", spec, pool=pool, seed_set=seed)
        for round_number in range(3):
            batch = assay.ask(12, annotator="ann")["id"].to_list()
            assay.tell(batch, [gold[i] for i in batch], annotator="ann")
            kept[f"asked{round_number}"] = np.asarray([place[i] for i in batch], dtype=float)
        for service in ("google", "deepspeech"):
            surface = of_surface(assay.surface(service))
            kept |= {f"{service}.{part}": array for part, array in surface.items()}
        assay.close()
    return kept
