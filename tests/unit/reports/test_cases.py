"""Labelled instances: where the service was wrong comes first."""

from accuracy_assay.reports.cases import Case, place_name, wrong_first
from accuracy_assay.reports.report import Report


def test_wrong_cases_come_first_and_keep_their_order() -> None:
    scores = {"a": 1.0, "b": 0.2, "c": 0.6, "d": 0.0}
    cases = [Case(name, "x", "y", score) for name, score in scores.items()]
    assert [case.id for case in wrong_first(cases, 3)] == ["b", "d", "a"]


def test_the_name_of_a_place_is_that_of_its_slice(report: Report) -> None:
    assert [place_name(part.where) for part in report.slices] == [s.name for s in report.slices]
    assert place_name({"a": "x\x1b", "b": 1}) == r"a = x\x1b and b = 1"
