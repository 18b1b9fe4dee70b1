"""A gate as JUnit XML, which build servers show beside the tests of a project.

A check that fails is a failure; one that has not enough labels is an error, which in JUnit is a
test that could not be carried out: neither must be taken for a pass.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.reports.checks import Check, Gate
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["junit_xml", "write_junit"]

_TAGS = {"fail": "failure", "not enough labels": "error"}
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold, not even escaped."""


def junit_xml(gate: Gate, title: str) -> bytes:
    """Return the gate as a test suite, one test case per check, in UTF-8."""
    verdicts = [check.verdict for check in gate]
    counts = {
        "name": _text(title),
        "tests": str(len(gate)),
        "failures": str(verdicts.count("fail")),
        "errors": str(verdicts.count("not enough labels")),
        "skipped": "0",
    }
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", counts)
    for check in gate:
        _add_case(suite, check, title)
    ElementTree.indent(suites)
    made: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return made


def write_junit(gate: Gate, path: str | Path, title: str) -> Path:
    """Write the gate as JUnit XML, whole or not at all, and return its path."""
    write_whole(path, junit_xml(gate, title), "JUnit file")
    return Path(path)


def _add_case(suite: ElementTree.Element, check: Check, title: str) -> None:
    named = {"classname": _text(title), "name": _text(check.name)}
    case = ElementTree.SubElement(suite, "testcase", named)
    lines = "\n".join([f"{check.asks}: {check.says}", *check.remarks])
    if check.verdict == "pass":
        ElementTree.SubElement(case, "system-out").text = _text(lines)
        return
    reason = {"message": _text(check.says), "type": check.verdict}
    ElementTree.SubElement(case, _TAGS[check.verdict], reason).text = _text(lines)


def _text(text: str) -> str:
    return _NO_XML.sub("\ufffd", visible_text(text, keep="\n"))
