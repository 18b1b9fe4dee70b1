"""Whatever becomes of the cache, and whenever, a session goes on with the same numbers."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from made_texts import make_texts

import accuracy_assay as aa

N = 240
EXACT: dict[str, Any] = {
    "attribute": [{"name": "sex"}, {"name": "age", "kind": "continuous", "edges": [30, 50]}],
    "service": [{"name": "reader", "column": "guess", "confidence": "sure"}],
    "label": {"choices": ["cat", "dog"], "show": {"text": "text"}},
}
GUESSED: dict[str, Any] = {
    "attribute": [{"name": "sex", "evidence": "p_sex__*"}],
    "service": [{"name": "reader", "column": "guess"}],
    "label": {"choices": ["cat", "dog"], "show": {"text": "text"}},
}
TOPIC = {"name": "about", "from_text": "text", "feature": "main-topic", "topics": 3}
TEXTS: dict[str, Any] = EXACT | {"attribute": [{"name": "sex"}, TOPIC]}


def make_tables(folder: Path) -> None:
    rng = np.random.default_rng(0)
    truth, sex = rng.choice(["cat", "dog"], N), rng.choice(["f", "m"], N)
    chance = np.clip(np.where(sex == "m", 0.8, 0.2) + rng.normal(0, 0.1, N), 0.01, 0.99)
    rows = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N)],
            "sex": sex,
            "age": rng.integers(18, 80, N),
            "guess": np.where(rng.random(N) < 0.8, truth, "cat"),
            "sure": rng.random(N).round(1),
            "text": make_texts(N)[0],
            "p_sex__f": 1 - chance,
            "p_sex__m": chance,
            "label": truth,
        }
    )
    rows[:200].drop("label").write_parquet(folder / "pool.parquet")
    rows[200:].write_parquet(folder / "seed.parquet")


def step_ask(assay: aa.Assay, number: int) -> Any:
    batch = assay.ask(6, annotator="ann")
    texts = assay.pool.select("id", "text").rows()
    assert set(batch.select("id", "text").rows()) <= set(texts)
    assay.give_back(batch["id"], "ann")
    return batch.select("arm", "why").to_dicts()


def step_tell(assay: aa.Assay, number: int) -> Any:
    ids = [f"x{i}" for i in range(number * 20, number * 20 + 12)]
    return assay.tell([*ids, f" x{number * 20 + 15} "], ["cat", "dog"] * 6 + ["cat"], "ann")


def step_surface(assay: aa.Assay, number: int) -> Any:
    return assay.surface().to_frame().to_dicts()


def step_edit(assay: aa.Assay, number: int) -> Any:
    choices = ["cat", "dog", *(f"cow {i}" for i in range(number))]
    return assay.edit({"label": {"choices": choices}}), assay.status().labels


STEPS = [step_ask, step_tell, step_ask, step_surface, step_edit, step_ask, step_tell, step_surface]


def play(folder: Path, spec: dict[str, Any], harm: Callable[[Path, int, bool], None]) -> list[Any]:
    """Return all that was seen; ``harm`` is called before each session and inside of it."""
    store = folder / "s.assay"
    tables = {"path": str(folder / "pool.parquet"), "seed_set": str(folder / "seed.parquet")}
    methods = {"estimator": "beta-independent", "calibration": "temperature", "batch": 6}
    strategy = {"name": "variance-reduction", "cover_labels": 0}
    whole = spec | {"assay": {**methods, "strategy": strategy}, "pool": tables}
    cache = Path(f"{store}.cache")
    harm(cache, 0, False)
    aa.Assay.create(store, whole).close()
    seen = []
    for number, step in enumerate(STEPS, 1):
        harm(cache, number, False)
        with aa.Assay.open(store) as assay:
            harm(cache, number, True)
            seen.append(step(assay, number))
    return seen


def delete(cache: Path) -> None:
    shutil.rmtree(cache, ignore_errors=True)


def cut_short(cache: Path) -> None:
    for path in filter(Path.is_file, cache.rglob("*")):
        os.truncate(path, path.stat().st_size // 2)


def overwrite(cache: Path) -> None:
    rng = random.Random(0)
    for path in filter(Path.is_file, cache.rglob("*")):
        path.write_bytes(rng.randbytes(path.stat().st_size))


def take_away_some(cache: Path) -> None:
    for path in sorted(filter(Path.is_file, cache.rglob("*")))[::2]:
        path.unlink()


def block(cache: Path) -> None:
    delete(cache)
    cache.write_bytes(b"a file in the way")


HARM = {
    "deleted before each session": lambda cache, number, inside: inside or delete(cache),
    "deleted inside odd sessions": lambda cache, number, inside: (
        inside and number % 2 == 1 and delete(cache)
    ),
    "deleted inside even sessions": lambda cache, number, inside: (
        inside and number % 2 == 0 and delete(cache)
    ),
    "deleted once": lambda cache, number, inside: number == 4 and not inside and delete(cache),
    "cut short": lambda cache, number, inside: inside or cut_short(cache),
    "overwritten": lambda cache, number, inside: inside or overwrite(cache),
    "some deleted": lambda cache, number, inside: inside or take_away_some(cache),
    "cannot be made": lambda cache, number, inside: number or block(cache),
}


@pytest.mark.parametrize("case", ["exact", "cells", "guessed", "texts"])
def test_the_cache_may_be_harmed_at_any_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    if case == "cells":
        monkeypatch.setattr("accuracy_assay.session.keeping._LEAST_ROWS", 1)
        monkeypatch.setattr("accuracy_assay.session.cache.cells._ROWS_PER_KIND", 1)
    spec = {"guessed": GUESSED, "texts": TEXTS}.get(case, EXACT)
    make_tables(tmp_path)

    def run(name: str, harm: Callable[..., Any]) -> list[Any]:
        folder = tmp_path / name
        folder.mkdir()
        for table in ("pool.parquet", "seed.parquet"):
            shutil.copy(tmp_path / table, folder)
        return play(folder, spec, harm)

    untouched = run("untouched", lambda *_: None)
    kinds = {path.name.split("-")[0] for path in (tmp_path / "untouched/s.assay.cache").iterdir()}
    assert {"pool", "fit"} <= kinds
    assert ("calibration" in kinds) == (case == "guessed")
    cells = list((tmp_path / "untouched").rglob("kinds.arrow"))
    assert bool(cells) == (case == "cells")
    for name, harm in HARM.items():
        assert run(name, harm) == untouched, name
