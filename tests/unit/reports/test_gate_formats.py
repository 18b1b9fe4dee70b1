"""A gate says the same in a terminal, in JUnit XML and in Markdown, and obeys no name."""

import io
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gate_world import make_check, make_gate
from rich.console import Console

from accuracy_assay.errors import InputError
from accuracy_assay.reports.checks import Gate
from accuracy_assay.reports.gate_formats import (
    add_summary,
    gate_markdown,
    gate_table,
    junit_xml,
    write_junit,
)

NASTY = "a < b & \"c\" ]]> é \x1b[31m \x00 \ufffe \ud800 'd'"


def show(gate: Gate) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(gate_table(gate))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_the_verdict_is_shown_first_and_then_every_check_with_its_own() -> None:
    shown = show(make_gate())
    first = "fail: 1 of 3 checks failed; 1 of 3 checks cannot be decided (600 labels, accuracies"
    assert shown.splitlines()[0].startswith(first)
    for verdict in ("pass", "not enough labels", "fail"):
        assert f"{verdict.upper()}: accuracy of at least 80.0%" in shown
    assert shown.count("the whole pool 81.0%") == 3


def test_a_check_without_a_name_is_not_shown_twice() -> None:
    check = make_check("not enough labels", "accuracy of at least 80.0%")
    assert show(make_gate(check)).count("accuracy of at least") == 1


def test_of_one_check_the_verdict_is_said_once() -> None:
    shown = show(make_gate(make_check("not enough labels", "accuracy of at least 80.0%")))
    assert shown.startswith(
        "not enough labels: accuracy of at least 80.0% (600 labels, accuracies of rows like these)"
    )
    assert shown.count("not enough labels") == 1


def test_every_format_has_the_same_reasons() -> None:
    check = make_check("not enough labels", places=("likeliest:", "- sex = F 70.0 percent"))
    gate = make_gate(check)
    xml = ElementTree.fromstring(junit_xml(gate, "gate"))[0][0][0].text
    for shown in (show(gate), str(xml), gate_markdown(gate, "gate"), str(gate)):
        for reason in ("likeliest:", "- sex = F 70.0 percent", "left out: sex = X"):
            assert reason in shown


def test_names_are_never_read_as_markup() -> None:
    assert "[bold]x[/bold] \\x1b" in show(make_gate(make_check("fail", "[bold]x[/bold] \x1b")))


def test_each_verdict_has_its_own_element() -> None:
    suites = ElementTree.fromstring(junit_xml(make_gate(), "gate"))
    (suite,) = suites
    assert suites.tag == "testsuites"
    assert {k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    kinds = [(case.get("name"), case[0].tag, case[0].get("type")) for case in suite]
    assert kinds == [
        ("PASS", "system-out", None),
        ("NOT ENOUGH LABELS", "error", "not enough labels"),
        ("FAIL", "failure", "fail"),
    ]
    assert suite[2][0].get("message") == make_check().says
    assert "left out: sex = X" in str(suite[2][0].text)


def test_whatever_names_hold_the_file_is_well_formed() -> None:
    check = make_check("fail", NASTY, says=NASTY, remarks=(NASTY,))
    suites = ElementTree.fromstring(junit_xml(make_gate(check), NASTY))
    name = suites[0][0].get("name")
    assert name is not None
    assert name.startswith('a < b & "c" ]]> é \\x1b[31m \\x00 ')


def test_a_file_is_written(tmp_path: Path) -> None:
    path = write_junit(make_gate(), tmp_path / "gate.xml", "gate")
    assert path.read_bytes().startswith(b"<?xml")
    assert ElementTree.parse(path).getroot()[0].get("name") == "gate"


def test_a_table_has_a_line_for_each_check() -> None:
    lines = gate_markdown(make_gate(), "assay check s.surface").splitlines()
    assert lines[0] == "### assay check s.surface: ❌ fail"
    assert lines[2].startswith("1 of 3 checks failed")
    assert lines[4:6] == ["| check | verdict | found |", "|---|---|---|"]
    assert [line.split(" | ")[1] for line in lines[6:9]] == [
        "✅ pass",
        "❔ not enough labels",
        "❌ fail",
    ]
    assert "left out: sex = X" in lines[6]


def test_names_in_a_summary_are_text_and_no_markup() -> None:
    nasty = "a|b\n<script>alert(1)</script> [x](y) ![z](w) *c* @me"
    table = gate_markdown(make_gate(make_check("pass", nasty)), "t")
    (row,) = [line for line in table.splitlines() if line.startswith("| a")]
    assert row.replace("\\|", "").count("|") == 4
    assert "<" not in row.replace("<br>", "")  # between reasons
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
