"""Tests against a real Label Studio server; ``make label-studio`` installs it and runs them.

They are collected only where ``ASSAY_LABEL_STUDIO`` names the program, so that the other tests
need neither the gigabyte nor the minutes.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from label_studio_real import Person, RealLabelStudio

import accuracy_assay as aa

collect_ignore_glob = [] if "ASSAY_LABEL_STUDIO" in os.environ else ["test_*.py"]


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLabelStudio]:
    """A running server."""
    program = str(Path(os.environ["ASSAY_LABEL_STUDIO"]).resolve())
    server = RealLabelStudio(program, tmp_path_factory.mktemp("label-studio"))
    seconds = server.start()
    with server.admin() as admin:
        version = admin.get("/api/version").json()
    print(f"\nLabel Studio {version['release']} answered after {seconds:.0f} s")
    yield server
    server.kill()


@pytest.fixture(scope="session")
def ann(studio: RealLabelStudio) -> Iterator[Person]:
    """Someone who labels."""
    person = Person(studio, "ann@x.org")
    yield person
    person.client.close()


@pytest.fixture(scope="session")
def bob(studio: RealLabelStudio) -> Iterator[Person]:
    """Someone else who labels."""
    person = Person(studio, "bob@x.org")
    yield person
    person.client.close()


@pytest.fixture
def make_assay(tmp_path: Path) -> Any:
    """A function that creates an assay of 600 short texts and returns its store and its truth."""

    def make(**settings: Any) -> tuple[str, dict[str, str]]:
        rng = np.random.default_rng(0)
        n = 600
        truth = rng.choice(["cat", "dog"], n)
        light = rng.choice(["day", "night"], n)
        is_right = rng.random(n) < np.where(light == "day", 0.95, 0.65)
        pool = pl.DataFrame(
            {
                "id": [f"x{i}" for i in range(n)],
                "light": light,
                "size": rng.choice(["small", "large"], n),
                "note": [f'{i}: [b]"quoted"[/b] & <i>\n $note ünï \\' for i in range(n)],
                "guess": np.where(is_right, truth, np.where(truth == "cat", "dog", "cat")),
            }
        )
        pool.write_parquet(tmp_path / "pool.parquet")
        label = {"choices": ["cat", "dog"], "show": {"text": "note"}}
        label["annotators"] = settings.pop("annotators", 1)
        spec = {
            "assay": {"name": "pets", **settings},
            "pool": {"path": str(tmp_path / "pool.parquet")},
            "attribute": [{"name": "light"}, {"name": "size"}],
            "service": [{"name": "acme", "column": "guess"}],
            "label": label,
        }
        store = str(tmp_path / "pets.assay")
        aa.Assay.create(store, spec).close()
        return store, dict(zip(pool["id"], truth.tolist(), strict=True))

    return make
