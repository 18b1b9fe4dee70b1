"""Answers in lines of lm-evaluation-harness: texts, and the likeliest of some choices."""

from typing import Any

import pytest
from made_logs import lm_eval_choice, lm_eval_text

from accuracy_assay.readers.lm_eval_answers import choices_of, question_of, said_of


@pytest.mark.parametrize(
    ("target", "said", "truth"),
    [("1", "2", "1"), ("red", "blue", "red"), ("A", "C", "A"), ("purple", "blue", "purple")],
)
def test_the_likeliest_choice_is_named_as_the_truth_is(target: str, said: str, truth: str) -> None:
    assert said_of(lm_eval_choice(0, [-3.0, -2.5, -1.0, -9.0], target, 0.0)) == (said, truth)


def test_choices_in_the_contexts_are_named_by_their_last_words() -> None:
    line = lm_eval_choice(0, [-3.0, -2.0], "won.", 1.0)
    for i, name in enumerate(("Ann", "Ben")):
        line["arguments"][f"gen_args_{i}"] = {"arg_0": f"They raced. {name}", "arg_1": " won."}
    assert said_of(line) == ("Ben", None)
    assert choices_of(line) == "Ann\nBen"


@pytest.mark.parametrize(
    ("answers", "said"),
    [([["a", "b"]], "a"), ([[]], None), ([], None), ([["-1.5", "True"]], None), ([5], "5")],
)
def test_answers_of_other_kinds_are_a_text_or_none(answers: list[Any], said: str | None) -> None:
    assert said_of({"filtered_resps": answers})[0] == said


def test_likelihoods_that_are_no_numbers_are_never_the_likeliest() -> None:
    assert said_of(lm_eval_choice(0, [float("nan"), -5.0], "0", 0.0))[0] == "1"


def test_the_question_is_a_text_of_the_document_or_else_the_prompt() -> None:
    line = lm_eval_text(1, "2", "2", 1.0)
    assert question_of(line) == "What is 1 + 1?"
    assert question_of(line | {"doc": {"number": 1}}) == "Q: What is 1 + 1?\nA:"
    assert question_of({}) is None


def test_choices_are_what_the_requests_go_on_with() -> None:
    assert choices_of(lm_eval_choice(0, [-1.0, -2.0], "0", 1.0)) == "red\ngreen"
    assert choices_of(lm_eval_text(1, "2", "2", 1.0)) is None
