"""A surface by hand, a comparison of two, and a small assay whose updates stand still."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import accuracy_assay as aa
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.study.compare.compare import compare_surfaces
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.web.surface.values import About
from accuracy_assay.web.surface.views import axes_of, numbers

__all__ = [
    "SPACE",
    "StillUpdates",
    "make_about",
    "make_assay",
    "make_comparison",
    "make_rows",
    "make_surface",
]

SPACE = AttributeSpace(
    (
        Attribute("sex", ("F", "M")),
        Attribute("age", ("young", "middle", "old"), kind="ordinal"),
        Attribute("light", (1, 2)),
    )
)


def make_surface(seed: int = 7, **changes: Any) -> AccuracySurface:
    """Return a surface with joint draws; two of its twelve arms are not in the pool."""
    rng = np.random.default_rng(seed)
    n_arms = SPACE.n_arms
    lower, mean, upper = np.sort(rng.random((3, n_arms)), axis=0)
    n = rng.integers(0, 9, n_arms).astype(float)
    support = np.arange(3.0, 3.0 + n_arms) + n
    support[[2, 9]], n[[2, 9]] = 0.0, 0.0
    columns: dict[str, Any] = {
        "n": n,
        "correct": n / 2,
        "support": support,
        "mean": mean,
        "sd": rng.random(n_arms) / 4,
        "lower": lower,
        "upper": upper,
        "draws": rng.random((300, n_arms), dtype=np.float32),
    }
    return AccuracySurface(SPACE, np.arange(n_arms), **columns | changes)


def make_about(surface: AccuracySurface | None = None, **changes: Any) -> About:
    """Return what a view says of a surface."""
    surface = make_surface() if surface is None else surface
    known: dict[str, Any] = {
        "assay": "pets",
        "service": "reader",
        "services": ["reader", "rival"],
        "version": 3,
        "attributes": axes_of(surface.space),
        "told": round(surface.n_labels),
        "budget": 100,
        "labels": surface.n_labels,
        "overall": numbers(surface.overall),
    }
    return About(**known | changes)


def make_comparison() -> Comparison:
    """Return two services, of which the second is the better one in most arms."""
    poor = make_surface(draws=None)
    better = {f: np.clip(getattr(poor, f) + 0.15, 0.0, 1.0) for f in ("mean", "lower", "upper")}
    return compare_surfaces({"reader": poor, "rival": make_surface(**better, draws=None)})


def make_rows(n_rows: int = 120) -> pl.DataFrame:
    """Return a pool of two attributes with the answers of two services."""
    rng = np.random.default_rng(5)
    truth = rng.choice(["cat", "dog"], n_rows)
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": rng.choice(["f", "m"], n_rows),
            "age": rng.choice(["young", "middle", "old"], n_rows),
            "text": [f"animal {i}" for i in range(n_rows)],
            "good": np.where(rng.random(n_rows) < 0.9, truth, "cat"),
            "poor": rng.choice(["cat", "dog"], n_rows),
            "truth": truth,
        }
    )


def make_assay(n_labels: int = 0, **sections: Any) -> aa.Assay:
    """Return an assay of two services in memory, with some labels."""
    spec: dict[str, Any] = {
        "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "sex"}, {"name": "age", "values": ["young", "middle", "old"]}],
        "service": [{"name": "good", "column": "good"}, {"name": "poor", "column": "poor"}],
        "label": {"choices": ["cat", "dog"], "show": {"text": "text"}},
    }
    rows = make_rows()
    assay = aa.Assay.create(MemoryStore(), spec | sections, pool=rows)
    if n_labels:
        assay.tell(rows["id"][:n_labels], rows["truth"][:n_labels], annotator="ann")
    return assay


@dataclass
class StillUpdates:
    """Live updates of an assay on which nothing happens by itself."""

    assay: aa.Assay
    version: int = 1
    is_behind: bool = False

    def surface(self, service: str) -> AccuracySurface:
        return self.assay.surface(service)

    def latest(self, service: str) -> None:
        return None
