"""Scorers that ask a model are known by name, by an option, or by what they keep."""

from typing import Any

import pytest
from made_logs import inspect_sample

from accuracy_assay.readers.inspect_judges import graded_by_models, judges_of
from accuracy_assay.readers.inspect_samples import Sample, read_sample


def sample(scores: dict[str, Any]) -> Sample:
    found = read_sample(inspect_sample(1, scores))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("scorer", "model"),
    [
        ({"name": "inspect_ai/model_graded_fact", "options": {"model": "a/b"}}, "a/b"),
        ({"name": "model_graded_qa", "options": {}}, "a model"),
        ({"name": "mine", "options": {"grader_model": {"model": "a/b"}}}, "a/b"),
        ({"name": "mine", "params": {"judge": "a/b"}}, "a/b"),
        ({"name": "mine", "options": {"model": "a/b"}}, None),
        ({"name": "match", "options": {"location": "end"}}, None),
        ({"name": 7, "options": []}, None),
    ],
)
def test_scorers_that_ask_a_model_are_known(scorer: dict[str, Any], model: str | None) -> None:
    found = graded_by_models({"eval": {"scorers": [scorer, None]}}, [])
    assert list(found.values()) == ([] if model is None else [model])
    assert graded_by_models({"results": {"scores": [scorer]}}, []) == found


def test_grades_are_judges_only_if_every_log_has_another_score() -> None:
    both, alone = [sample({"match": "C", "grade": "I"})], [sample({"grade": "I"})]
    why: dict[str, str] = {}
    assert judges_of([{"grade": "m"}], [both], why) == {"grade"}
    assert not why
    assert judges_of([{"grade": "m"}, {"grade": "m"}], [both, alone], why) == set()
    assert why["a truth behind grade"].startswith("m graded the answers")
