from pathlib import Path

import pytest
from gate_world import make_check, make_gate

from accuracy_assay.errors import InputError
from accuracy_assay.reports.step_summary import add_summary, summary_table


def test_a_table_has_a_line_for_each_check() -> None:
    lines = summary_table(make_gate(), "assay check s.surface").splitlines()
    assert lines[0] == "### assay check s.surface: ❌ fail"
    assert lines[2:4] == ["| check | verdict | found |", "|---|---|---|"]
    assert [line.split(" | ")[1] for line in lines[4:7]] == [
        "✅ pass",
        "❔ not enough labels",
        "❌ fail",
    ]
    assert "left out: sex = X" in lines[4]


def test_names_are_text_and_no_markup() -> None:
    nasty = "a|b\n<script>alert(1)</script> [x](y) ![z](w) *c* @me"
    table = summary_table(make_gate(make_check("pass", nasty)), "t")
    (row,) = [line for line in table.splitlines() if line.startswith("| a")]
    assert row.replace("\\|", "").count("|") == 4
    assert "<" not in row
    assert "\\[x\\]\\(y\\)" in row
    assert "\\!\\[z" in row
    assert "\\*c\\* \\@me" in row


def test_a_summary_is_added_to_what_other_steps_wrote(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    add_summary(make_gate(), path, "one")
    add_summary(make_gate(), path, "two")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("before\n### one")
    assert text.count("| check |") == 2


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="summary must be a file that may be written"):
        add_summary(make_gate(), tmp_path, "one")
