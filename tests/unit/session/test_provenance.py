"""Where a surface comes from is known by the events alone."""

import polars as pl

import accuracy_assay as aa
from accuracy_assay.storage.memory import MemoryStore

SPEC = {
    "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random", "seed": 4},
    "attribute": [{"name": "sex"}],
    "service": [{"name": "reader", "column": "guess"}],
    "label": {"choices": ["cat", "dog"]},
}
POOL = pl.DataFrame({"id": ["x1", "x2", "x3"], "sex": ["f", "m", "m"], "guess": ["cat"] * 3})
NOON = 1_790_000_000.0  # 2026-09-21


def told(pool: pl.DataFrame = POOL) -> tuple[aa.Assay, MemoryStore]:
    store = MemoryStore(clock=lambda: NOON)
    assay = aa.Assay.create(store, SPEC, pool=pool)
    assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    assay.tell(["x2"], ["dog"], "bob")
    return assay, store


def test_a_surface_knows_service_labels_pool_and_the_day_of_the_last_label() -> None:
    known = told()[0].surface().details["provenance"]
    assert known["labelled_until"].startswith("2026-09-21")
    named = [known[k] for k in ("assay", "service", "labels", "annotators", "strategy", "seed")]
    assert named == ["pets", "reader", 2, 2, "random", 4]
    assert (known["pool_rows"], known["version"]) == (3, aa.__version__)
    assert "cost" not in known


def test_whoever_replays_the_events_finds_the_same() -> None:
    assay, store = told()
    again = aa.Assay.open(store, "pets", pool=POOL)
    assert again.surface().details == assay.surface().details


def test_another_pool_has_another_fingerprint() -> None:
    other = POOL.with_columns(id=pl.Series(["x1", "x2", "x9"]))
    digests = [
        told(pool)[0].surface().details["provenance"]["pool_digest"] for pool in (POOL, other)
    ]
    assert digests[0] != digests[1]


def test_without_labels_there_is_no_day() -> None:
    assay = aa.Assay.create(MemoryStore(), SPEC, pool=POOL)
    assert "labelled_until" not in assay.surface().details["provenance"]
