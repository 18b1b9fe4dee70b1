"""What is kept of rows is what was read of them."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from accuracy_assay.session.cache.pool import find_pool
from accuracy_assay.session.keeping import keep_rows, recall_rows
from accuracy_assay.session.pool_digest import column_digests
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.read import read_spec

IDS = ["x1", "2.0", "007", "True", " y ", "e\u0301", "ü", "1e3", "-0", ".5", "a.b", "5", "false"]


def both(tmp_path: Path, pool: pl.DataFrame, seed: pl.DataFrame | None, spec: Any) -> Any:
    """Return rows as they are read and as they are kept."""
    pool.write_parquet(tmp_path / "pool.parquet")
    section: dict[str, Any] = {"path": str(tmp_path / "pool.parquet")}
    if seed is not None:
        seed.write_parquet(tmp_path / "seed.parquet")
        section["seed_set"] = str(tmp_path / "seed.parquet")
    checked = read_spec(spec | {"pool": section})
    rows = AssayRows.read(checked)
    entry = find_pool(tmp_path / "cache", checked.model_dump(mode="json"))
    keep_rows(entry, checked, rows, column_digests(checked, rows))
    kept = recall_rows(entry, lambda: AssayRows.read(checked).tables)
    assert kept is not None
    return rows, kept, checked


def test_ids_are_found_as_they_are_in_a_table_however_they_are_written(tmp_path: Path) -> None:
    pool = pl.DataFrame({"id": IDS, "sex": ["f", "m"] * 6 + ["f"], "guess": "cat"})
    spec = {"attribute": [{"name": "sex"}], "service": [{"name": "r", "column": "guess"}]}
    rows, kept, _ = both(tmp_path, pool, None, spec)

    def found(where: AssayRows, value: Any) -> Any:
        try:
            return where.find_id(value)
        except Exception as error:
            return str(error)

    others = [
        2,
        2.0,
        "2",
        "2.00",
        "7",
        True,
        "TRUE",
        "y",
        "\u00e9",
        "0",
        0,
        ".50",
        None,
        "",
        "A.B",
    ]
    for value in (*IDS, *others, 5, "5.0", "x 1", "FALSE", False, 0.5, "1000"):
        assert found(kept, value) == found(rows, value), value


def test_everything_that_is_kept_is_as_it_was_read(guessed, tmp_path: Path) -> None:
    rows, kept, spec = both(tmp_path, guessed.pool, guessed.seed, guessed.spec)
    assert kept.kept is not None
    assert rows.kept is None
    assert (kept.n_rows, kept.n_pool) == (rows.n_rows, rows.n_pool)
    assert tuple(kept.ids) == rows.ids
    assert tuple(kept.ids[78:83]) == rows.ids[78:83]
    assert dict(kept.row_of) == rows.row_of
    assert kept.row_of.get("no such id", -1) == -1
    assert kept.space == rows.space
    assert kept.seed_labels == rows.seed_labels
    assert kept.digest == rows.digest
    assert column_digests(spec, kept) == column_digests(spec, rows)
    assert kept.frame.equals(rows.frame)
    assert (kept.gold == rows.gold).all()


@pytest.mark.parametrize("missing", ["value", "guess", None])
def test_attributes_come_back_with_their_edges_and_what_a_missing_value_means(
    tmp_path: Path, missing: str | None
) -> None:
    pool = pl.DataFrame({"id": [1, 2, 3], "age": [1, 50, 70], "big": [True, False, True]})
    attribute = [{"name": "age", "edges": [40.5, 60.0]}, {"name": "big", "missing": missing}]
    spec = {
        "attribute": attribute,
        "service": [{"name": "r", "callable": "statistics:mean"}],
    }
    rows, kept, _ = both(tmp_path, pool, None, spec)
    assert kept.space == rows.space
    assert [a.missing for a in kept.space.attributes] == [a.missing for a in rows.space.attributes]
    assert kept.kept.card["reach"] == ["imports statistics:mean"]
