"""A certificate in a terminal and as Markdown: the same figures as its table."""

import io
from dataclasses import replace

import numpy as np
import pytest
from certified_world import certified_world
from rich.console import Console

import accuracy_assay as aa
from accuracy_assay.reports.terminal_certificate import certificate_markdown, certificate_table
from accuracy_assay.runtime.number_text import points_text


@pytest.fixture
def found(rng: np.random.Generator) -> aa.Certificate:
    rows = certified_world(rng)
    return aa.certify(rows, ["topic"], "right", judge="llm", tolerance=0.05)


def test_every_slice_has_a_line_with_its_difference(found: aa.Certificate) -> None:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(certificate_table(found))
    shown = console.export_text()
    markdown = certificate_markdown(found)
    for each in found.slices:
        number = f"{points_text(each.difference, is_signed=True)} "
        assert any(each.place in line and number in line for line in shown.splitlines())
        assert any(each.verdict in line and number in line for line in markdown.splitlines())


def test_names_from_outside_are_escaped(found: aa.Certificate) -> None:
    odd = replace(found, judge="<b>|llm")
    assert "<b>" not in certificate_markdown(odd)
