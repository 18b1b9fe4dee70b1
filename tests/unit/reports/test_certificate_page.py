"""The page of a certificate: the same figures as its table, and nothing from outside."""

from dataclasses import replace

import numpy as np
import pytest
from certified_world import certified_world

import accuracy_assay as aa
from accuracy_assay.reports.certificate_page import render_certificate


@pytest.fixture
def found(rng: np.random.Generator) -> aa.Certificate:
    rows = certified_world(rng)
    return aa.certify(rows, ["topic"], "right", judge="llm", tolerance=0.05, made="2026-05-01")


def test_every_slice_is_drawn_with_its_difference(found: aa.Certificate) -> None:
    page = render_certificate(found)
    for each in found.slices:
        assert f"{each.place}<small>" in page
        assert f"<b>{100 * each.difference:+.1f}</b>" in page
    assert f"{found.decided:,} of {found.rows:,} rows" in page


def test_the_page_loads_nothing_and_escapes_names(found: aa.Certificate) -> None:
    page = render_certificate(replace(found, judge="<script>alert(1)</script>"))
    assert "<script>" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_it_is_written_where_asked(found: aa.Certificate, tmp_path) -> None:
    assert found.report(tmp_path / "llm.html").read_text().startswith("<!doctype html>")
