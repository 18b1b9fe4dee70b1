"""What a service returned becomes a prediction, or an error that shows it."""

from typing import Any

import numpy as np
import pytest

from accuracy_assay.errors import ServiceError
from accuracy_assay.protocols import Prediction
from accuracy_assay.services.answer import prediction_of


@pytest.mark.parametrize(
    ("answer", "confidence", "expected"),
    [
        ("cat", None, Prediction(3, "cat")),
        (None, None, Prediction(3, "")),
        (7.0, 0.5, Prediction(3, "7", 0.5)),
        (np.int64(7), np.float32(0.5), Prediction(3, "7", 0.5)),
        (True, 1, Prediction(3, "true", 1.0)),
    ],
)
def test_texts_and_numbers_are_answers(answer: Any, confidence: Any, expected: Prediction) -> None:
    assert prediction_of("s", 3, answer, confidence) == expected


class _Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "answer", [["cat"], {"label": "cat"}, b"cat", object(), np.array([1, 2]), _Unwritable()]
)
def test_an_answer_of_another_kind_is_shown_with_service_and_row(answer: Any) -> None:
    with pytest.raises(ServiceError, match=r"prediction of service 's' must be .* for row 3"):
        prediction_of("s", 3, answer, None)


@pytest.mark.parametrize(
    "confidence",
    ["0.5", True, float("nan"), float("inf"), [0.5], pytest.param(10**400, id="large")],
)
def test_a_confidence_that_is_no_finite_number_is_shown(confidence: Any) -> None:
    with pytest.raises(ServiceError, match=r"confidence of service 's' must be a finite number"):
        prediction_of("s", 3, "cat", confidence)


def test_a_long_answer_is_cut_short_in_the_message() -> None:
    with pytest.raises(ServiceError) as raised:
        prediction_of("s", 3, ["x" * 10_000], None)
    assert "xxx..." in str(raised.value)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("answer", [pytest.param(10**5000, id="digits"), "\ud800", "a\udfffb"])
def test_an_answer_that_no_store_can_keep_is_refused(answer: Any) -> None:
    with pytest.raises(ServiceError, match=r"prediction of service 's' must be .* row 3"):
        prediction_of("s", 3, answer, None)
