"""What any service returns becomes predictions that can be stored, or an error that shows it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.protocols import Prediction
from accuracy_assay.services.predictions import checked_predictions, prediction_of

ROWS = pl.DataFrame({"text": list("abc")})
GOOD = [Prediction(2, "c", 0.5), Prediction(0, "a")]


@dataclass(frozen=True)
class Outside:
    """A service that yields whatever a test wants, and may fail after that."""

    groups: Sequence[Any]
    error: BaseException | None = None
    closed: Callable[[], None] = lambda: None

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        try:
            yield from self.groups
            if self.error is not None:
                raise self.error
        finally:
            self.closed()


def test_good_predictions_pass_as_they_are() -> None:
    assert list(checked_predictions("s", Outside([GOOD, []]), ROWS)) == [GOOD, []]


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ([Prediction(3, "x")], "each of its 3 rows once; got position 3"),
        ([Prediction(-1, "x")], "each of its 3 rows once; got position -1"),
        ([Prediction(1, "x"), Prediction(1, "y")], "got position 1 again"),
        ([Prediction(2, "x")], "got position 2 again"),
        ([Prediction(True, "x")], r"groups of Prediction\(position, prediction\)"),
        ([("x", 0.5)], r"groups of Prediction\(position, prediction\); got tuple"),
        ([Prediction(1, ["x"])], "must be a text or a number"),  # type: ignore[arg-type]
        ([Prediction(1, "x", float("nan"))], "must be a finite number; got nan"),
        ([Prediction(1, "\ud800")], "must be a text that can be kept"),
        (7, "must predict its rows; got TypeError"),
    ],
)
def test_predictions_that_would_go_astray_are_refused(group: Any, message: str) -> None:
    kept = checked_predictions("s", Outside([GOOD, group]), ROWS)
    assert next(kept) == GOOD
    with pytest.raises(ServiceError, match=message):
        next(kept)


@pytest.mark.parametrize(
    "error", [ValueError("no ?sig=hunter2"), SystemExit(3), RecursionError("x" * 10_000)]
)
def test_an_error_of_its_own_becomes_ours(error: BaseException) -> None:
    kept = checked_predictions("s", Outside([GOOD], error), ROWS)
    assert next(kept) == GOOD
    with pytest.raises(ServiceError, match=f"got {type(error).__name__}") as caught:
        next(kept)
    assert "hunter2" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "error", [ServiceError("down"), InputError("no key"), KeyboardInterrupt()]
)
def test_our_errors_and_ctrl_c_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        list(checked_predictions("s", Outside([], error), ROWS))
    assert caught.value is error


def test_a_service_is_closed_when_nobody_wants_more() -> None:
    closed: list[bool] = []
    kept = checked_predictions("s", Outside([GOOD], None, lambda: closed.append(True)), ROWS)
    next(kept)
    kept.close()  # type: ignore[attr-defined]
    assert closed == [True]


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
