"""A gate where people look for it: in a terminal, in a build server's tests, on a workflow's page.

Names and values come from outside and are shown as they are, never read as markup.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.reports.checks import Check, Gate
from accuracy_assay.reports.escaping import markdown_text, xml_text
from accuracy_assay.reports.markdown import weak_places
from accuracy_assay.reports.report import Report
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["add_summary", "gate_markdown", "gate_table", "junit_xml", "write_junit"]

_STYLES = {"pass": "bold green", "fail": "bold red", "not enough labels": "bold yellow"}
_MARKS = {"pass": "✅ pass", "fail": "❌ fail", "not enough labels": "❔ not enough labels"}
_SHOWN_PLACES = 5
"""Weak places beside the checks: what one reads in a comment."""
_JUNIT_TAGS = {"fail": "failure", "not enough labels": "error"}
"""In JUnit an error is a test that could not run; it must not be taken for a pass either."""


def gate_table(gate: Gate) -> RenderableType:
    """Return the verdict of the gate, then the reasons check by check, for a terminal."""
    verdict = Text.assemble(
        (gate.verdict, _STYLES[gate.verdict]), visible_text(f": {gate.why}", keep="")
    )
    if len(gate) == 1:
        return Group(verdict, Padding(_reasons(gate.checks[0]), (0, 0, 0, 2)))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for check in gate:
        title = Text(visible_text(check.title), "bold")
        grid.add_row()
        grid.add_row(Text(check.verdict, _STYLES[check.verdict]), Group(title, _reasons(check)))
    return Group(verdict, grid)


def _reasons(check: Check) -> RenderableType:
    """Return why a check has its verdict, a line each; what is only good to know is dim."""
    said = [_line(visible_text(line)) for line in (check.says, *check.places)]
    return Group(*said, *(Text(visible_text(remark), "dim") for remark in check.remarks))


def _line(text: str) -> RenderableType:
    """Return one reason; the lines of a list hang behind their dash."""
    if not text.startswith("- "):
        return Text(text)
    item = Table.grid(padding=(0, 1))
    item.add_row("-", Text(text.removeprefix("- ")))
    return item


def write_junit(gate: Gate, path: str | Path, title: str) -> Path:
    """Write the gate as JUnit XML, whole or not at all, and return its path."""
    write_whole(path, junit_xml(gate, title), "JUnit file")
    return Path(path)


def junit_xml(gate: Gate, title: str) -> bytes:
    """Return the gate as a test suite, one test case per check, in UTF-8."""
    verdicts = [check.verdict for check in gate]
    counts = {
        "name": xml_text(title),
        "tests": str(len(gate)),
        "failures": str(verdicts.count("fail")),
        "errors": str(verdicts.count("not enough labels")),
        "skipped": "0",
    }
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", counts)
    for check in gate:
        named = {"classname": xml_text(title), "name": xml_text(check.name)}
        case = ElementTree.SubElement(suite, "testcase", named)
        lines = "\n".join([check.asks, *check.reasons])
        tag = _JUNIT_TAGS.get(check.verdict, "system-out")
        reason = {"message": xml_text(check.says), "type": check.verdict}
        attributes = reason if check.verdict in _JUNIT_TAGS else {}
        ElementTree.SubElement(case, tag, attributes).text = xml_text(lines)
    ElementTree.indent(suites)
    made: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return made


def add_summary(gate: Gate, path: str | Path, title: str, report: Report | None = None) -> Path:
    """Append the Markdown to a file that other steps may have written; return its path."""
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(gate_markdown(gate, title, report))
    except OSError as error:
        raise InputError(
            f"summary must be a file that may be written; got {str(path)!r}: {error.strerror}."
        ) from None
    return Path(path)


def gate_markdown(gate: Gate, title: str, report: Report | None = None) -> str:
    """Return the gate as Markdown: the verdict, a table of the checks, the likeliest weak places.

    The places are those of the ``report`` of its surface, if there is one.
    """
    lines = [
        f"### {markdown_text(title)}: {_MARKS[gate.verdict]}",
        "",
        f"{markdown_text(gate.why)}",
        "",
        "| check | verdict | found |",
        "|---|---|---|",
    ]
    for check in gate:
        found = "<br>".join(markdown_text(reason) for reason in check.reasons)
        lines.append(f"| {markdown_text(check.title)} | {_MARKS[check.verdict]} | {found} |")
    if report is not None:
        lines += ["", "#### Likeliest weak places", "", *weak_places(report, _SHOWN_PLACES)]
    return "\n".join([*lines, "", ""])
