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
    assert "<script>alert" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_it_is_written_where_asked(found: aa.Certificate, tmp_path) -> None:
    assert found.report(tmp_path / "llm.html").read_text().startswith("<!doctype html>")


def test_decisions_are_drawn_as_the_share_that_differs(rng: np.random.Generator) -> None:
    options = {"judge": "llm", "tolerance": 0.05, "statement": "decisions"}
    found = aa.certify(certified_world(rng), ["topic"], "right", **options)
    page = render_certificate(found)
    for each in found.slices:
        ends = f"{100 * each.lower:.1f} to {100 * each.upper:.1f}"
        assert f"<b>{100 * each.difference:.1f}</b> <small>{ends}</small>" in page
        drawn = f"{100 * each.difference:.0f}% of decisions differ, 90% interval "
        assert f"{drawn}{100 * each.lower:.0f} to {100 * each.upper:.0f}%" in page


def test_what_it_saves_is_said(found: aa.Certificate) -> None:
    saved = found.saves(label_price=50.0, judge_price=1.0)
    assert saved == 50.0 * found.labels_saved - found.rows
    assert f"{found.labels_saved:,}<small>labels" in render_certificate(found)
    assert f"{saved:,.2f} less than labels of people" in render_certificate(found, saved)
    assert "less than" not in render_certificate(found)
