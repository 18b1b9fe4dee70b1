"""Services and judges are asked alike; a judge has a verdict, and a name for each service."""

from typing import Any

import pytest
from pydantic import ValidationError

from accuracy_assay.errors import InputError
from accuracy_assay.registry import build_service
from accuracy_assay.services.column import ColumnService
from accuracy_assay.services.http import HttpService
from accuracy_assay.spec.answerers import AnswererSection, JudgeSection, ServiceSection

CALLED: dict[str, Any] = {
    "name": "llm",
    "url": "http://localhost/judge",
    "request": {"q": "{question}", "a": "{prediction}"},
    "headers": {"Authorization": "Bearer ${KEY}"},
    "response": {"verdict": "score"},
}


def test_a_judge_in_a_column_is_the_service_that_reads_it() -> None:
    section = JudgeSection(name="llm", column="opinion")
    assert build_service(*section.made_from()) == ColumnService("opinion")


def test_the_verdict_of_a_judge_is_what_a_service_predicts() -> None:
    built = build_service(*JudgeSection(**CALLED).made_from())
    assert isinstance(built, HttpService)
    assert built.response == {"prediction": "score"}
    assert built.headers == CALLED["headers"]


def test_the_answer_that_is_judged_is_no_column_of_the_pool() -> None:
    assert JudgeSection(**CALLED).row_columns == ("question",)
    named = CALLED | {"response": {"prediction": "score"}}
    assert ServiceSection(**named).row_columns == ("prediction", "question")


def test_opinions_of_each_service_have_a_name_of_their_own() -> None:
    judge = JudgeSection(name="llm", column="opinion")
    assert judge.of("acme").name == "llm of acme"
    assert judge.of("acme").model_copy(update={"name": "llm"}) == judge


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"column": "x"}, "judge 'llm' must have exactly one of column"),
        ({"response": {}}, "judge 'llm' must say where the verdict is in the answer"),
        ({"response": {"prediction": "x"}}, "verdict"),
        ({"headers": {"X-Api-Key": "abc123"}}, "'X-Api-Key' of judge 'llm' must take its secret"),
        ({"url": "http://{host}/x"}, "url of judge 'llm' must name its host itself"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises((ValidationError, InputError), match=message) as told:
        JudgeSection(**CALLED | keys)
    if isinstance(told.value, ValidationError):
        assert "abc123" not in str(told.value.errors()[0]["msg"])


def test_both_share_how_they_are_asked() -> None:
    assert set(AnswererSection.model_fields) < set(ServiceSection.model_fields)
    assert set(JudgeSection.model_fields) - set(AnswererSection.model_fields) == {"services"}


@pytest.mark.parametrize("gpus", [0, 0.25, 1, 4])
def test_a_worker_has_a_share_of_a_gpu_or_whole_ones(gpus: float) -> None:
    assert ServiceSection(name="m", callable="m:f", gpus=gpus).gpus == gpus


def test_gpus_that_no_worker_can_have_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"gpus of service 'm' must be whole, .* got 1\.5"):
        ServiceSection(name="m", callable="m:f", gpus=1.5)
