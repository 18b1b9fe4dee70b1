"""A small pool with two services, on every kind of store, under a clock that tests move."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.storage.postgres import open_postgres
from accuracy_assay.storage.sqlite import open_sqlite

N_ROWS = 60


def make_pool(n_rows: int = N_ROWS) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], n_rows)
    good = np.where(rng.random(n_rows) < 0.9, truth, "cat")
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "age": rng.integers(18, 80, n_rows),
            "file": [f"{i}.wav" for i in range(n_rows)],
            "good": good,
            "sure": rng.random(n_rows).round(3),
            "bad": rng.choice(["cat", "dog"], n_rows),
            "truth": truth,
        }
    )


def make_spec(**sections: Any) -> dict[str, Any]:
    methods = {"estimator": "beta-independent", "strategy": "random", "budget": 40, "batch": 5}
    spec: dict[str, Any] = {
        "assay": {"name": "pets", **methods, **sections.pop("assay", {})},
        "attribute": [{"name": "sex"}, {"name": "age", "kind": "continuous", "edges": [40]}],
        "service": [{"name": "good", "column": "good"}, {"name": "bad", "column": "bad"}],
        "label": {"choices": ["cat", "dog"], "show": {"audio": "file"}},
    }
    return spec | sections


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Bench:
    """Opens sessions on one store, as several processes would."""

    open_store: Callable[[], Any]
    clock: Clock = field(default_factory=Clock)
    pool: pl.DataFrame = field(default_factory=make_pool)

    def create(self, **sections: Any) -> aa.Assay:
        return aa.Assay.create(
            self.open_store(), make_spec(**sections), pool=self.pool, clock=self.clock
        )

    def open(self, *, use_background_fits: bool = False) -> aa.Assay:
        return aa.Assay.open(
            self.open_store(),
            pool=self.pool,
            clock=self.clock,
            use_background_fits=use_background_fits,
        )

    def truth(self, ids: Any) -> list[str]:
        known = dict(zip(self.pool["id"], self.pool["truth"], strict=True))
        return [known[i] for i in ids]


GUESSED_SPEC: dict[str, Any] = {
    "assay": {
        "estimator": "beta-independent",
        "strategy": "largest-variance",
        "calibration": "temperature",
    },
    "attribute": [
        {"name": "accent", "evidence": "p_accent__*"},
        {"name": "digit", "from_label": True},
    ],
    "service": [{"name": "ear", "column": "heard"}],
    "label": {"choices": ["0", "1"]},
}


def make_guessed_tables(n_pool: int = 80, n_seed: int = 40) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(1)
    n = n_pool + n_seed
    accent = rng.choice(["uk", "us"], n)
    digit = rng.choice(["0", "1"], n)
    p_us = np.clip(np.where(accent == "us", 0.8, 0.2) + rng.normal(0, 0.1, n), 0.01, 0.99)
    rows = pl.DataFrame(
        {
            "id": np.arange(n),
            "accent": accent,
            "digit": digit,
            "p_accent__uk": 1 - p_us,
            "p_accent__us": p_us,
            "heard": np.where(rng.random(n) < 0.8, digit, "0"),
        }
    )
    seed = rows[n_pool:].rename({"digit": "label"})
    return rows[:n_pool].drop("accent", "digit"), seed


@dataclass
class GuessedBench:
    """Sessions with a guessed attribute, one that the label reveals, and a seed set."""

    pool: pl.DataFrame
    seed: pl.DataFrame
    spec: dict[str, Any] = field(default_factory=lambda: dict(GUESSED_SPEC))

    def create(self, store: Any = None, **sections: Any) -> aa.Assay:
        return aa.Assay.create(
            MemoryStore() if store is None else store,
            self.spec | sections,
            pool=self.pool,
            seed_set=self.seed,
        )


@pytest.fixture
def guessed() -> GuessedBench:
    """Sessions whose attributes are not known for sure."""
    return GuessedBench(*make_guessed_tables())


@pytest.fixture
def new_bench() -> Callable[[], Bench]:
    """A function that makes an empty store in memory, for tests that need many."""

    def make() -> Bench:
        clock = Clock()
        store = MemoryStore(clock)
        return Bench(lambda: store, clock)

    return make


@pytest.fixture
def bench(new_bench: Callable[[], Bench]) -> Bench:
    """Sessions on a store in memory."""
    return new_bench()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def every_bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """Sessions on each kind of store."""
    clock = Clock()
    if request.param == "memory":
        store = MemoryStore(clock)
        return Bench(lambda: store, clock)
    if request.param == "sqlite":
        path = str(tmp_path / "pets.assay")
        return Bench(lambda: open_sqlite(path, is_new=True, clock=clock), clock)
    url = request.getfixturevalue("postgres_url")
    return Bench(lambda: open_postgres(url, is_new=True, clock=clock), clock)
