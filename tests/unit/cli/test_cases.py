"""Labelled instances of weak slices: wrong ones first, with images that a page can hold."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.cli.cases import cases_of
from accuracy_assay.demo.thumbnails import encode_png
from accuracy_assay.reports.report import Report, report_of
from accuracy_assay.storage.memory import MemoryStore

N = 60
PNG = encode_png(np.zeros((2, 2), np.uint8))


@pytest.fixture(scope="module")
def assay() -> aa.Assay:
    """A reader that is always wrong where the light is dim; images of bytes, paths and none."""
    light = ["dim" if i < N // 3 else "bright" for i in range(N)]
    rows: dict[str, Any] = {
        "id": [f"x{i}" for i in range(N)],
        "light": light,
        "size": ["small", "large", "large"] * (N // 3),
        "text": [f"<b>animal {i}" for i in range(N)],
        "photo": [PNG if i % 2 else b"no image" for i in range(N)],
        "guess": ["dog" if x == "dim" else "cat" for x in light],
    }
    rows["guess"][0] = "cat"
    spec = {
        "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "light"}, {"name": "size"}],
        "service": [{"name": "reader", "column": "guess"}],
        "label": {"choices": ["cat", "dog"], "show": {"image": "photo", "text": "text"}},
    }
    made = aa.Assay.create(MemoryStore(), spec, pool=pl.DataFrame(rows))
    made.tell(rows["id"], ["cat"] * N, "ann")
    return made


@pytest.fixture(scope="module")
def report(assay: aa.Assay) -> Report:
    return report_of(assay.surface(), "pets")


def test_wrong_instances_come_first_with_label_answer_text_and_image(
    assay: aa.Assay, report: Report
) -> None:
    cases = cases_of(assay, "reader", report, 3)["light = dim"]
    assert [case.id for case in cases] == ["x1", "x2", "x3"]
    assert {(case.label, case.answer, case.is_right) for case in cases} == {("cat", "dog", False)}
    assert cases[0].shown == {"text": "<b>animal 1"}
    assert cases[0].picture == ("image/png", PNG)
    assert cases[1].picture is None


def test_all_labelled_instances_of_the_slice_are_there_if_wanted(
    assay: aa.Assay, report: Report
) -> None:
    cases = cases_of(assay, "reader", report, 100)["light = dim"]
    assert len(cases) == N // 3
    assert cases[-1].id == "x0"
    assert cases[-1].is_right


def test_weak_arms_have_instances_of_their_own(assay: aa.Assay, report: Report) -> None:
    found = cases_of(assay, "reader", report, 100)
    small, large = (found[f"light = dim and size = {size}"] for size in ("small", "large"))
    assert {case.id for case in small} == {f"x{i}" for i in range(0, N // 3, 3)}
    assert len(small) + len(large) == N // 3


def test_none_are_shown_where_none_are_wanted(assay: aa.Assay, report: Report) -> None:
    assert cases_of(assay, "reader", report, 0) == {}
