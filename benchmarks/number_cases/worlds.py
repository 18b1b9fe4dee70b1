"""Where the rows of the cases come from: tasks by name, and one made table that has every column.

`load` is the only place that knows where tasks live.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.tasks.registry import load_task

__all__ = ["ATTRIBUTES", "EVIDENCE", "labelled", "load", "made", "parts", "texts"]

ATTRIBUTES = ["sex", "region"]
EVIDENCE = {"sex": "p_sex__*", "region": "p_region__*"}
_REGIONS = ["north", "south", "west"]
_REPLIES = ["yes", "no", "I do not know", "a long while ago", "cannot be determined"]
_CLASSES = ["bird", "cat", "dog"]


@cache
def load(name: str, data: Path | None = None) -> Any:
    """Return a task: rows with known gold, and the part that each column plays."""
    return load_task(name, data)


@cache
def made(n_rows: int = 2_400, seed: int = 0) -> pl.DataFrame:
    """Return rows with exact and guessed attributes, three services, judges, clusters and texts.

    ``sex`` and ``region`` are the gold of ``p_sex__*`` and ``p_region__*``. The services ``acme``,
    ``best`` and ``cheap`` answer with one of three classes; ``truth`` is right, ``value`` and
    ``guess`` are numbers, ``wanted`` and ``reply`` short answers, ``said`` is a text, and
    ``heard`` its transcript.
    """
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n_rows)
    region = rng.choice(3, n_rows, p=[0.5, 0.3, 0.2])
    age = rng.integers(18, 80, n_rows)
    speaker = rng.integers(0, 40, n_rows)
    logit = 1.2 - 0.9 * sex + 0.5 * (region == 1) - 1.1 * (region == 2) * sex
    logit = logit - 0.015 * (age - 45) + rng.normal(0.0, 0.5, 40)[speaker]
    logit = logit + rng.normal(0.0, 0.8, n_rows)
    truth = rng.integers(0, 3, n_rows)
    columns: dict[str, Any] = {
        "id": [f"x{i:05d}" for i in range(n_rows)],
        "sex": np.array(["f", "m"])[sex],
        "region": np.array(_REGIONS)[region],
        "age": age,
        "size": rng.choice(["s", "m", "l"], n_rows),
        "speaker": np.char.add("k", speaker.astype(str)),
        "weight": rng.integers(1, 5, n_rows),
        "truth": np.array(_CLASSES)[truth],
    }
    for name, easier in (("acme", 0.0), ("best", 0.7), ("cheap", -0.6)):
        is_right = rng.random(n_rows) < _chance(logit + easier)
        answer = np.where(is_right, truth, (truth + rng.integers(1, 3, n_rows)) % 3)
        columns[name] = np.array(_CLASSES)[answer]
        columns[f"{name}_right"] = is_right.astype(float)
        sure = _chance(logit + easier + rng.normal(0.0, 0.7, n_rows))
        columns[f"{name}_confidence"] = sure.round(3)
    opinion = _chance(logit + 1.2 * (region == 2) + rng.normal(0.0, 0.6, n_rows))
    columns["judge"] = opinion.round(2)
    columns["verdict"] = np.select([opinion > 0.8, opinion > 0.5], ["good", "fair"], "poor")
    columns["value"] = rng.integers(0, 101, n_rows)
    columns["guess"] = np.clip(columns["value"] + rng.integers(-30, 31, n_rows), 0, 100)
    columns["wanted"] = rng.choice([*_REPLIES, *map(str, range(40))], n_rows)
    is_right = rng.random(n_rows) < _chance(logit)
    columns["reply"] = np.where(is_right, columns["wanted"], rng.choice(_REPLIES, n_rows))
    columns |= _guesses("sex", ["f", "m"], sex, rng) | _guesses("region", _REGIONS, region, rng)
    columns["unsure"] = pl.Series(columns["sex"]).set(pl.Series(rng.random(n_rows) < 0.1), None)
    return pl.DataFrame(columns).with_columns(texts(n_rows, seed))


@cache
def labelled(n_labels: int = 400, n_rows: int = 2_400, seed: int = 1) -> pl.DataFrame:
    """Return some of the made rows, drawn at random."""
    rows = made(n_rows)
    return rows[np.random.default_rng(seed).permutation(rows.height)[:n_labels]]


def texts(n_rows: int, seed: int) -> list[pl.Series]:
    """Return sentences about three topics, and how a transcript has them."""
    rng = np.random.default_rng([seed, 1])
    about = rng.choice(
        ["ship sail harbour storm wave", "bread oven flour sugar yeast", "judge jury trial bail"],
        n_rows,
    )
    words = [list(rng.choice(a.split(), rng.integers(3, 14))) for a in about]
    said = [" ".join(w) + ("?" if i % 3 == 0 else ".") for i, w in enumerate(words)]
    said = [f"not {text}" if i % 4 == 0 else text for i, text in enumerate(said)]
    heard = [" ".join(w if rng.random() < 0.8 else "hm" for w in text.split()) for text in said]
    return [pl.Series("said", said), pl.Series("heard", heard)]


def parts(rows: pl.DataFrame, folder: Path, n_files: int = 3) -> Path:
    """Write rows as several Parquet files of a new folder and return it."""
    folder.mkdir()
    step = -(-rows.height // n_files)
    for i in range(n_files):
        rows[i * step : (i + 1) * step].write_parquet(folder / f"part{i}.parquet")
    return folder


def _guesses(
    name: str, values: list[str], code: np.ndarray, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    seen = rng.normal(size=(code.size, len(values)))
    seen[np.arange(code.size), code] += 1.8
    odds = np.exp(2.5 * seen)
    chance = odds / odds.sum(axis=1, keepdims=True)
    return {f"p_{name}__{value}": chance[:, v] for v, value in enumerate(values)}


def _chance(logit: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-logit))
