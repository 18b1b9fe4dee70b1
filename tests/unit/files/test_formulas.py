import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.files.formulas import guarded, guarded_frame, unguarded, unguarded_frame
from accuracy_assay.files.tables import read_texts, write_csv, write_table

texts = st.text(alphabet="=+-@'\t\r\n 019.eE,cat", max_size=8)


@given(texts)
def test_a_guarded_text_is_no_formula_and_comes_back(text: str) -> None:
    safe = guarded(text)
    assert unguarded(safe) == text
    try:
        float(safe.replace(".", "", 1) or "x")
    except ValueError:
        if not safe or not set(safe) <= set("+-.0123456789eE"):
            assert not safe.startswith(("=", "+", "-", "@", "\t", "\r"))


@given(st.lists(texts, min_size=1, max_size=6))
def test_a_table_is_guarded_as_its_cells_are(cells: list[str]) -> None:
    frame = pl.DataFrame({"=x": cells, "n": [-1.5] * len(cells)})
    safe = guarded_frame(frame)
    assert safe.columns == ["'=x", "n"]
    assert safe["'=x"].to_list() == [guarded(cell) for cell in cells]
    assert safe["n"].to_list() == frame["n"].to_list()
    back = unguarded_frame(safe)
    assert back.columns == frame.columns
    assert back["=x"].to_list() == cells


@pytest.mark.parametrize("write", [write_csv, write_table])
def test_no_csv_that_is_written_holds_a_bare_formula(tmp_path: Path, write: object) -> None:
    evil = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "\tx", "plain", None]
    frame = pl.DataFrame({"id": evil, "kind": pl.Series(evil, dtype=pl.Categorical)})
    write(frame, tmp_path / "t.csv")  # type: ignore[operator]
    rows = list(csv.reader(io.StringIO((tmp_path / "t.csv").read_bytes().decode())))
    for row in rows[1:]:
        assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in row), row
    assert read_texts(tmp_path / "t.csv")["id"].to_list() == evil
