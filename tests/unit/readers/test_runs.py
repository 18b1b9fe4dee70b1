"""Runs that contradict each other are services."""

from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.join import join_answers
from accuracy_assay.readers.runs import is_empty, is_same, with_runs


def answer(service: str, item: str, score: float | None = 1.0, **more: object) -> Answer:
    return Answer(service, item, "yes", {"exact": score}, **more)  # type: ignore[arg-type]


def test_runs_that_contradict_each_other_are_services_and_others_are_one() -> None:
    first, second = answer("a", "1", run="monday"), answer("a", "1", 0.0, run="tuesday")
    assert join_answers([first, second]).services == ("a (monday)", "a (tuesday)")
    again, further = answer("a", "1", run="tuesday"), answer("a", "2", run="tuesday")
    assert join_answers([first, again, further]).services == ("a",)


def test_runs_scored_in_different_ways_do_not_contradict_each_other() -> None:
    first = Answer("a", "1", "yes", {"strict": 0.0}, run="monday")
    second = Answer("a", "1", "yes, it is", {"loose": 1.0}, run="tuesday")
    assert {each.service for each in with_runs([first, second])} == {"a"}
    failed = Answer("a", "1", None, {"strict": None}, run="sunday")
    assert {each.service for each in with_runs([failed, first])} == {"a"}


def test_answers_are_the_same_by_what_they_say_and_score() -> None:
    one = answer("a", "1", float("nan"))
    assert is_same(one, answer("a", "1", float("nan"), target="x"))
    assert not is_same(one, answer("a", "1", 1.0))
    assert is_empty(Answer("a", "1", None, {"exact": None}))
    assert not is_empty(Answer("a", "1", None, {}, {"gpt": 0.5}))
