from pathlib import Path
from xml.etree import ElementTree

from gate_world import make_check, make_gate

from accuracy_assay.reports.junit import junit_xml, write_junit

NASTY = "a < b & \"c\" ]]> é \x1b[31m \x00 \ufffe \ud800 'd'"


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
