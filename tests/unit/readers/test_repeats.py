"""Which answers belong to one row."""

from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.repeats import merged, numbered, paired


def test_repeats_are_numbered_in_each_run_of_each_service() -> None:
    answers = [
        Answer("m", "q", run="a"),
        Answer("m", "q", run="b"),
        Answer("n", "q", run="a"),
        Answer("m", "q", run="a"),
    ]
    assert [answer.epoch for answer in numbered([answers])] == [0, 0, 0, 1]
    assert [answer.epoch for answer in numbered([answers[:3]])] == [None] * 3


def test_other_metrics_are_no_repeat_if_each_has_a_line() -> None:
    answers = [Answer("m", "q", scores={"a": 1.0}), Answer("m", "q", scores={"b": 1.0})]
    assert [answer.epoch for answer in numbered([answers])] == [0, 1]
    parts = numbered([answers], has_line_per_metric=True)
    assert [answer.epoch for answer in parts] == [None, None]
    assert [answer.scores for answer in merged(parts)] == [{"a": 1.0, "b": 1.0}]


def test_answers_with_a_metric_in_common_are_not_merged() -> None:
    answers = [Answer("m", "q", scores={"a": 1.0}), Answer("m", "q", scores={"a": 0.0})]
    assert merged(answers) == answers


def test_what_two_services_were_asked_is_one_item_and_asked_again_an_epoch() -> None:
    asked = {"input": "2 + 2?"}
    answers = [
        Answer("m", "r1", texts=asked),
        Answer("n", "r2", texts=asked),
        Answer("m", "r3", texts=asked),
        Answer("m", "r3", texts=asked, annotator="ann"),
        Answer("m", "r4"),
    ]
    found = paired(answers, by="input")
    assert [answer.epoch for answer in found] == [0, 0, 1, 1, 0]
    assert len({answer.item for answer in found[:4]}) == 1
    assert found[4].item == "r4"


def test_answers_to_other_questions_keep_their_items() -> None:
    answers = [Answer("m", "r1", texts={"input": "a"}), Answer("n", "r2", texts={"input": "b"})]
    assert paired(answers, by="input") == answers
