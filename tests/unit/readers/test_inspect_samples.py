"""Samples of Inspect: grades become figures, whatever they are written as."""

from typing import Any

import pytest
from made_logs import inspect_sample

from accuracy_assay.readers.inspect_samples import read_sample


@pytest.mark.parametrize(
    ("value", "scores"),
    [
        ("C", {"s": 1.0}),
        ("incorrect", {}),
        (True, {"s": 1.0}),
        (0.25, {"s": 0.25}),
        ("0.75", {"s": 0.75}),
        ("Yes", {"s": 1.0}),
        (float("nan"), {"s": None}),
        (None, {"s": None}),
        ({"a": "C", "b": 0.5, "c": [1]}, {"s.a": 1.0, "s.b": 0.5}),
        ([1, 0], {}),
    ],
)
def test_grades_become_figures(value: Any, scores: dict[str, float | None]) -> None:
    sample = read_sample(inspect_sample(1, {"s": value}))
    assert sample is not None
    assert sample.scores.get("s", {}) == scores
    assert sample.unread == (() if scores else ("s",))


def test_long_texts_that_stand_apart_are_put_back() -> None:
    sample = inspect_sample(1, {}, input="attachment://x1", attachments={"x1": "A long question"})
    found = read_sample(sample)
    assert found is not None
    assert found.question == "A long question"


def test_samples_of_the_first_version_have_one_score() -> None:
    sample = inspect_sample(1, {}, score={"value": "C", "answer": "x"})
    found = read_sample({k: v for k, v in sample.items() if k != "scores"})
    assert found is not None
    assert found.scores == {"score": {"score": 1.0}}


@pytest.mark.parametrize("value", [None, [], "x", {}, {"id": True}, {"id": None}, {"id": [1]}])
def test_what_does_not_say_which_sample_it_is_is_none(value: Any) -> None:
    assert read_sample(value) is None


def test_the_answer_is_what_a_scorer_found_unless_it_is_a_judge() -> None:
    sample = read_sample(inspect_sample(1, {"match": "C"}, output={"completion": "I say yes"}))
    assert sample is not None
    assert sample.said(()) == "answer 1"
    assert sample.said(("match",)) == "I say yes"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"choices": [{"message": {"content": [{"type": "text", "text": "yes"}]}}]}, "yes"),
        ({"choices": []}, None),
        ("nonsense", None),
    ],
)
def test_the_text_of_the_model_is_found_in_old_and_new_outputs(output: Any, said: Any) -> None:
    sample = read_sample(inspect_sample(1, {}, output=output))
    assert sample is not None
    assert sample.said(()) == said


def test_several_truths_are_one_text() -> None:
    sample = read_sample(inspect_sample(1, {}, target=["four", "4"], choices=["4", "5"]))
    assert sample is not None
    assert (sample.target, sample.choices) == ("four; 4", "4\n5")
