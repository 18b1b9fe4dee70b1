"""Metrics that only repeat another one."""

from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.copies import without_copies


def test_a_metric_is_a_copy_only_if_it_equals_its_original_in_every_answer() -> None:
    answers = [
        Answer("m", "q1", scores={"pass": 1.0, "equals": 1.0, "short": 1.0}),
        Answer("m", "q2", scores={"pass": 0.0, "equals": 0.0, "short": 1.0}),
        Answer("m", "q3", scores={"pass": 0.0}),
    ]
    found = without_copies(answers, {"equals": "pass", "short": "pass"})
    assert [dict(answer.scores) for answer in found] == [
        {"pass": 1.0, "short": 1.0},
        {"pass": 0.0, "short": 1.0},
        {"pass": 0.0},
    ]
