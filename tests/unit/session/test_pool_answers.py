"""Answers in a column: the texts that the service of the column gives, of few rows or of all."""

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.services.column import ColumnService
from accuracy_assay.session.cache.ids import KeptIds, write_ids
from accuracy_assay.session.cache.pool import KeptPool, PoolEntry
from accuracy_assay.session.cache.table import open_table, write_table
from accuracy_assay.session.pool_answers import PoolAnswers
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.read import read_spec

COLUMNS: dict[str, list[Any]] = {
    "text": ["cat", None, " dog ", "cat"],
    "whole": [1, None, 3, 1],
    "number": [1.0, 0.25, None, float("nan")],
    "is_so": [True, False, None, True],
    "day": [date(2024, 1, 2), None, date(2024, 1, 2), date(2023, 1, 1)],
}


def answers(column: str, *, confidence: str | None = "sure") -> PoolAnswers:
    pool = pl.DataFrame(
        {"id": ["w", "x", "y", "z"], "sex": ["f", "m"] * 2, "sure": [0.0, None, 0.5, float("inf")]}
    ).with_columns(pl.Series(name, values) for name, values in COLUMNS.items())
    service = {"name": "s", "column": column}
    service |= {} if confidence is None else {"confidence": confidence}
    spec = read_spec({"attribute": [{"name": "sex"}], "service": [service]})
    return PoolAnswers(spec.service[0], AssayRows.read(spec, pool))


@pytest.mark.parametrize("column", COLUMNS)
def test_answers_are_those_of_the_columns_service(column: str) -> None:
    found = answers(column)
    service = ColumnService(column, "sure")
    (made,) = service.predict(found.rows.frame)
    expected = {found.rows.ids[p.position]: (p.prediction, p.confidence) for p in made}
    assert dict(found) == expected
    assert found.texts.to_list() == [p.prediction for p in made]
    assert found.confidences is not None
    assert found.confidences.to_list() == [p.confidence for p in made]
    assert len(found) == 4
    assert "w" in found
    assert "nobody" not in found


def test_single_answers_of_a_kept_pool_are_the_same(tmp_path: Path) -> None:
    for column in ("text", "whole", "number", "is_so", "day"):
        found = answers(column)
        rows, folder = found.rows, tmp_path / column
        folder.mkdir()
        write_ids(folder / "ids", rows.tables.names)
        write_table(folder, "pool", rows.frame.select(column, "sure"))
        ids, table = KeptIds(folder / "ids"), open_table(folder, "pool")
        kept = KeptPool(PoolEntry(folder, (), ()), {"n_pool": 4}, ids, table)
        again = AssayRows(4, 4, rows.space, {}, rows.load, kept)
        assert dict(PoolAnswers(found.section, again)) == dict(found)
        assert "tables" not in vars(again)


def test_without_a_confidence_nothing_is_said_of_it() -> None:
    found = answers("text", confidence=None)
    assert found.confidences is None
    assert found["w"] == ("cat", None)


def test_a_confidence_must_be_a_number() -> None:
    with pytest.raises(InputError, match="confidence column 'text' must hold numbers"):
        answers("whole", confidence="text")["w"]
