"""Labelled instances: where the service was wrong comes first."""

from accuracy_assay.reports.cases import Case, wrong_first


def test_wrong_cases_come_first_and_keep_their_order() -> None:
    scores = {"a": 1.0, "b": 0.2, "c": 0.6, "d": 0.0}
    cases = [Case(name, "x", "y", score) for name, score in scores.items()]
    assert [case.id for case in wrong_first(cases, 3)] == ["b", "d", "a"]
