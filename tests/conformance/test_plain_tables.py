"""A table stays a table, whatever its columns are called, and no two readers claim a log."""

import json
from pathlib import Path

import polars as pl
import pytest
from written_logs import WRITERS

from accuracy_assay.registry import READERS, build_reader

TABLES = {
    "plain": {"id": "x1", "sex": "f", "pred": "cat", "correct": 1},
    "named like a log": {
        "spec": "a",
        "results": "b",
        "version": 3,
        "sample_id": "s",
        "type": "match",
    },
    "named like scores": {"id": "1", "trace_id": "t", "name": "n", "value": 0.5, "source": "API"},
    "about telemetry": {
        "text": "resourceLogs hold gen_ai.evaluation.result events",
        "label": "yes",
    },
    "about promptfoo": {"text": '{"evalId": "x", "results": {"version": 3, "timestamp": 1}}'},
    "nested": {"id": 1, "doc": {"schema_version": 1, "model_info": {"id": "m"}}, "resps": [["a"]]},
}


@pytest.mark.parametrize("row", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_claims_a_table(tmp_path: Path, reader: str, row: dict[str, object]) -> None:
    lines, document = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    lines.write_text("\n".join(json.dumps(row) for _ in range(3)), encoding="utf-8")
    document.write_text(json.dumps([row]), encoding="utf-8")
    pl.DataFrame([row]).write_parquet(tmp_path / "rows.parquet")
    flat = {name: str(value) for name, value in row.items()}
    pl.DataFrame([flat]).write_csv(tmp_path / "rows.csv")
    (tmp_path / "folder").mkdir()
    assert [path for path in tmp_path.iterdir() if build_reader(reader).reads(path)] == []


@pytest.mark.parametrize("written", WRITERS)
def test_a_log_has_one_reader(tmp_path: Path, written: str) -> None:
    for path in WRITERS[written](tmp_path):
        assert [name for name in READERS if build_reader(name).reads(path)] == [written]
