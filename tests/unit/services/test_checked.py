"""A service of another package is held to its contract."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.protocols import Prediction
from accuracy_assay.services.checked import checked_predictions

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
