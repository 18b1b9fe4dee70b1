"""What rows are, and what their columns mean: ``estimate`` and ``simulate`` in every way.

Frames, files and folders; exact, guessed, derived and revealed attributes; signals, referees,
judges, forms of answers; clusters, weights, targets; other measures than accuracy.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa
from number_cases.fits import of_history
from number_cases.kept import Case, Kept, of_frame, of_surface, under
from number_cases.worlds import ATTRIBUTES, EVIDENCE, labelled, load, made, parts

__all__ = ["cases"]

_TRUTH = {"y_true": "truth", "y_pred": "acme"}
_HIDDEN = ["sex", "region", "truth", "acme_right"]
_AGE = aa.Attribute("age", kind="continuous", edges=(30, 45, 60))
_SIZE = aa.Attribute("size", ("s", "m", "l"), kind="ordinal")
_LONG = aa.TextAttribute("said", "length")
_ASKS = aa.TextAttribute("said", "question")
_ABOUT = aa.TextAttribute("said", "main-topic", "about", topics=3)
_TOPIC = aa.TextAttribute("said", "topic", "theme", topics=3)

_ESTIMATES: dict[str, dict[str, Any]] = {
    "score": {"score": "acme_right"},
    "no-pool": {"score": "acme_right", "pool": None},
    "population": {"score": "acme_right", "target": "population"},
    "pool-of-labels": {"score": "acme_right", "pool": None, "target": "pool"},
    "truth": _TRUTH,
    "wer": {"y_true": "said", "y_pred": "heard", "agreement": "wer"},
    "bleu": {"y_true": "said", "y_pred": "heard", "agreement": "bleu"},
    "absolute": {"y_true": "value", "y_pred": "guess", "agreement": "absolute:0:100"},
    "kinds": {"score": "acme_right", "attributes": ["sex", _AGE, _SIZE]},
    "weight": {"score": "acme_right", "weight": "weight", "id": "id"},
    "signals": {"score": "acme_right", "signals": ["acme", "acme_confidence"]},
    "signals-population": {
        "score": "acme_right",
        "signals": ["acme_confidence"],
        "target": "population",
    },
    "referees": {**_TRUTH, "referees": ["best", "cheap"]},
    "judges": {"score": "acme_right", "judges": ["judge", "verdict"]},
    "answer-form": {
        "y_true": "wanted",
        "y_pred": "reply",
        "answer_form": True,
    },
    "all-signals": {
        **_TRUTH,
        "signals": ["acme_confidence"],
        "referees": ["best"],
        "judges": ["judge"],
    },
    "cluster": {"score": "acme_right", "cluster": "speaker"},
    "cluster-population": {
        "score": "acme_right",
        "cluster": "speaker",
        "signals": ["acme_confidence"],
        "target": "population",
    },
    "missing-value": {
        "score": "acme_right",
        "attributes": [aa.Attribute("unsure", ("f", "m"), missing="value"), "region"],
    },
    "missing-guess": {
        "score": "acme_right",
        "attributes": [aa.Attribute("unsure", ("f", "m"), missing="guess"), "region"],
    },
    "texts": {"score": "acme_right", "attributes": [_LONG, _ASKS, _ABOUT, "sex"]},
    "topics": {"score": "acme_right", "attributes": [_TOPIC, "sex"]},
    "low-rank": {
        "score": "acme_right",
        "attributes": ["sex", "region", _AGE, _SIZE],
        "estimator": {"name": "anova-gp", "most_exact_cells": 20, "rank": 32},
    },
    "level": {"score": "acme_right", "estimator": {"name": "anova-gp", "level": 0.95}},
    "paper": {"score": "acme_right", "estimator": "aaa-2021", "prior_strength": 0.2},
    "recall": {**_TRUTH, "measure": "recall:cat"},
    "recall-signals": {**_TRUTH, "measure": "recall:cat", "signals": ["acme_confidence"]},
    "precision": {**_TRUTH, "measure": "precision:dog"},
    "false-positive": {**_TRUTH, "measure": "false-positive-rate:bird"},
    "where-known": {"score": "acme_right", "where": "age < 50 AND size = 's'"},
    "where-truth": {**_TRUTH, "where": "truth = 'cat'"},
}
"""Exact attributes, and those that are missing or derived."""

_GUESSED: dict[str, dict[str, Any]] = {
    "full": {"score": "acme_right"},
    "raw": {"score": "acme_right", "calibration": "raw"},
    "temperature": {"score": "acme_right", "calibration": "temperature"},
    "no-pool": {"score": "acme_right", "pool": None},
    "population": {"score": "acme_right", "target": "population"},
    "truth": _TRUTH,
    "one-exact": {"score": "acme_right", "evidence": {"region": "p_region__*"}},
    "signals": {"score": "acme_right", "signals": ["acme_confidence"]},
    "referees": {**_TRUTH, "referees": ["best"]},
    "judges": {"score": "acme_right", "judges": ["judge"]},
    "cluster": {"score": "acme_right", "cluster": "speaker"},
    "from-label": {
        **_TRUTH,
        "attributes": ["truth", "sex", "region"],
        "from_label": ["truth"],
    },
    "split-labels": {
        "score": "acme_right",
        "estimator": {"name": "anova-gp", "likelihood": "fractional"},
    },
    "precision": {**_TRUTH, "measure": "precision:dog"},
}
"""Attributes of which the pool has guesses alone."""

_STREAMED: dict[str, dict[str, Any]] = {
    "folder": {"signals": []},
    "signals": {"signals": ["acme", "acme_confidence"]},
    "referees": {**_TRUTH, "score": None, "referees": ["best", "cheap"]},
    "judges": {"judges": ["judge"]},
    "cluster": {"cluster": "speaker"},
    "weight": {"weight": "weight", "signals": []},
    "measure": {**_TRUTH, "score": None, "measure": "recall:cat"},
}
"""Folders of Parquet files."""

_SIMULATIONS: dict[str, dict[str, Any]] = {
    "signals": {"score": "acme_right", "signals": ["acme_confidence"]},
    "referees": {**_TRUTH, "referees": ["best", "cheap"]},
    "judges": {"score": "acme_right", "judges": ["judge"]},
    "cluster": {"score": "acme_right", "cluster": "speaker"},
    "population": {"score": "acme_right", "target": "population"},
    "worst": {
        "score": "acme_right",
        "strategy": {"name": "variance-reduction", "goal": "worst"},
    },
    "confirmed": {
        "score": "acme_right",
        "evidence": EVIDENCE,
        "confirmed_attributes": ["sex"],
    },
    "from-label": {
        **_TRUTH,
        "attributes": ["truth", "sex"],
        "evidence": {"sex": "p_sex__*"},
        "from_label": ["truth"],
    },
    "texts": {"score": "acme_right", "attributes": [_LONG, "sex"]},
}


def cases(data: Path | None) -> Iterator[Case]:
    for name, options in _ESTIMATES.items():
        yield _quick(f"estimate/{name}", estimated, options)
    for name, options in _GUESSED.items():
        yield _quick(f"guessed/{name}", guessed, options)
    for name, options in _SIMULATIONS.items():
        yield _quick(f"simulate/{name}", simulated, options)
    for name in ("pandas", "pyarrow", "csv", "jsonl"):
        yield _quick(f"read/{name}", read_as, name)
    for name in ("file", "pattern", "unlabelled", "texts", *_STREAMED):
        yield _quick(f"parquet/{name}", streamed, name)
    for name in ("file", "folder", "unlabelled"):
        yield _quick(f"parquet/guessed-{name}", guessed_files, name)
    yield _quick("parts/guessed", guessed_parts)
    yield _quick("texts/added", added_texts)
    if data is not None:
        for name in ("bbq", "frank"):
            yield Case(f"{name}/witnesses", partial(witnessed, name, data))


def _quick(name: str, function: Callable[..., Kept], *arguments: Any) -> Case:
    return Case(name, partial(function, *arguments), is_quick=True)


def estimated(options: dict[str, Any]) -> Kept:
    return of_surface(aa.estimate(labelled(), **_arguments(options)))


def guessed(options: dict[str, Any]) -> Kept:
    """Estimate from rows of which a half has gold, and a pool that has none."""
    options = {"evidence": EVIDENCE, **options}
    hidden = [name for name in _HIDDEN if name in options["evidence"] or name == "truth"]
    rows = labelled()
    is_known = pl.int_range(pl.len()) < 200
    rows = rows.with_columns(
        pl.when(is_known).then(name).alias(name) for name in options["evidence"]
    )
    return of_surface(aa.estimate(rows, **_arguments({"pool": made().drop(hidden), **options})))


def simulated(options: dict[str, Any]) -> Kept:
    given = {"attributes": ATTRIBUTES, **options}
    return of_history(aa.simulate(made(), seed_size=150, budget=24, seed=4, **given))


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    return {"attributes": ATTRIBUTES, "pool": made(), "seed": 3, **options}


def read_as(kind: str) -> Kept:
    """Estimate from frames of other packages, and from files of texts."""
    rows, pool = labelled(), made()
    if kind == "pandas":
        return estimated_from(rows.to_pandas(), pool.to_pandas())
    if kind == "pyarrow":
        return estimated_from(rows.to_arrow(), pool.to_arrow())
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.{kind}" for name in ("rows", "pool")]
        for frame, path in zip((rows, pool), paths, strict=True):
            frame.write_csv(path) if kind == "csv" else frame.write_ndjson(path)
        return estimated_from(*paths)


def estimated_from(rows: Any, pool: Any, **options: Any) -> Kept:
    given = {"score": "acme_right", "signals": ["acme_confidence"], "id": "id", **options}
    return of_surface(aa.estimate(rows, ATTRIBUTES, pool=pool, seed=3, **given))


def streamed(kind: str) -> Kept:
    """Estimate from rows and pool in Parquet, which is counted where it lies."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, pool = parts(labelled(), folder / "rows"), parts(made(), folder / "pool")
        if kind == "file":
            labelled().write_parquet(folder / "rows.parquet")
            made().write_parquet(folder / "pool.parquet")
            return estimated_from(folder / "rows.parquet", folder / "pool.parquet", signals=[])
        if kind == "pattern":
            return estimated_from(f"{rows}/*.parquet", f"{pool}/part[01].parquet", signals=[])
        if kind == "unlabelled":
            whole = parts(_unlabelled(), folder / "whole")
            return estimated_from(whole, None, signals=[])
        if kind == "texts":
            surface = aa.estimate(rows, [_LONG, "sex"], "acme_right", pool=pool, seed=3)
            return of_surface(surface)
        return estimated_from(rows, pool, **_STREAMED[kind])


def guessed_files(kind: str) -> Kept:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hidden = made().drop("sex", "region", "truth", "acme_right")
        if kind == "file":
            labelled().write_parquet(folder / "rows.parquet")
            hidden.write_parquet(folder / "pool.parquet")
            rows, pool = folder / "rows.parquet", folder / "pool.parquet"
        elif kind == "folder":
            rows, pool = parts(labelled(), folder / "rows"), parts(hidden, folder / "pool")
        else:
            rows, pool = parts(_unlabelled(), folder / "rows"), None
        return estimated_from(rows, pool, signals=[], evidence=EVIDENCE)


def guessed_parts() -> Kept:
    """Estimate from a pool above the size at which it is worked on part by part."""
    rows = labelled(300)
    needed = ["id", "acme_confidence", *(c for c in rows.columns if c.startswith("p_"))]
    rng = np.random.default_rng(6)
    pool = (
        made()
        .select(needed)[rng.integers(0, made().height, 205_000)]
        .with_columns(id=pl.int_range(pl.len()).cast(pl.String))
    )
    with tempfile.TemporaryDirectory() as name:
        folder = parts(pool, Path(name) / "pool")
        kept = under("files", estimated_from(rows, folder, signals=[], evidence=EVIDENCE))
    return kept | under("frame", estimated_from(rows, pool, signals=[], evidence=EVIDENCE))


def added_texts() -> Kept:
    features = ["length", "rare-words", "question", "negation", "numerals", "quoted-speech"]
    wanted = [*features, "code", "script", _ABOUT, _TOPIC]
    frame = aa.add_text_attributes(labelled(), "said", wanted, pool=made())
    return of_frame(frame.select(c for c in frame.columns if c not in labelled().columns))


def witnessed(name: str, data: Path) -> Kept:
    """Estimate from a task with real referees or judges."""
    task = load(name, data)
    options: dict[str, Any] = {"judges": list(task.signals)}
    if task.referees:
        options = {"y_pred": task.y_pred, "referees": list(task.referees)}
    surface = aa.estimate(
        task.rows.sample(400, seed=1, shuffle=True),
        task.space.attributes,
        task.score,
        pool=task.rows,
        seed=3,
        **options,
    )
    return of_surface(surface)


def _unlabelled() -> pl.DataFrame:
    """Return all rows, of which only the labelled ones have a score."""
    is_known = pl.col("id").is_in(labelled().get_column("id").to_list())
    return made().with_columns(acme_right=pl.when(is_known).then("acme_right"))
