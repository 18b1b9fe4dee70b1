"""A session judges the unused columns of its pool by its own labels."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import UnknownNameError
from accuracy_assay.storage.memory import MemoryStore


@pytest.fixture(scope="module")
def assay() -> aa.Assay:
    rng = np.random.default_rng(5)
    n = 600
    truth = rng.choice(["cat", "dog"], n)
    light = rng.choice(["day", "night"], n)
    is_right = rng.random(n) < np.where(light == "day", 0.95, 0.55)
    other = np.where(truth == "cat", "dog", "cat")
    pool = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n)],
            "sex": rng.choice(["f", "m"], n),
            "light": light,
            "coin": rng.choice(["a", "b"], n),
            "guess": np.where(is_right, truth, other),
            "sure": rng.random(n),
            "speaker": np.char.add("s", (np.arange(n) % 40).astype(str)),
        }
    )
    spec = {
        "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random"},
        "pool": {"cluster": "speaker"},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "reader", "column": "guess", "confidence": "sure"}],
        "label": {"choices": ["cat", "dog"]},
    }
    made = aa.Assay.create(MemoryStore(), spec, pool=pool)
    made.tell(pool["id"][:300], truth[:300], annotator="ann")
    return made


def test_unused_columns_are_judged_and_the_one_that_matters_is_proposed(assay: aa.Assay) -> None:
    found = assay.propose_attributes()
    assert [p.column for p in found] == ["light", "coin"]
    assert [p.column for p in found.proposed] == ["light"]
    assert found.labels == 300
    assert not found.skipped


def test_one_column_may_be_asked_for(assay: aa.Assay) -> None:
    assert [p.column for p in assay.propose_attributes("reader", ["coin"])] == ["coin"]
    with pytest.raises(UnknownNameError, match="lamp"):
        assay.propose_attributes("reader", ["lamp"])
