from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.protocols import Prediction
from accuracy_assay.runtime.engine import LOCAL
from accuracy_assay.services.column import ColumnService
from accuracy_assay.services.spread import SpreadService

ROWS = pl.DataFrame({"text": list("abcdefg"), "sure": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]})


class Backwards:
    """An engine whose last part is done first."""

    n_workers = 2

    def map(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        return LOCAL.map(work, parts)

    def map_as_done(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        yield from reversed(list(LOCAL.map(work, parts)))


class FailsAtE:
    """A service that predicts row by row until it meets an e."""

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        for position, text in enumerate(rows["text"]):
            if text == "e":
                raise ServiceError("no e today")
            yield [Prediction(position, text.upper())]


class Away:
    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        raise InputError("it must be importable; got nothing.")


def predicted(service: SpreadService) -> dict[int, Prediction]:
    return {p.position: p for group in service.predict(ROWS) for p in group}


@pytest.mark.parametrize("rows_per_part", [1, 3, 7, 100])
def test_predictions_are_those_of_the_service_itself(rows_per_part: int) -> None:
    build = partial(ColumnService, "text", "sure")
    (wanted,) = build().predict(ROWS)
    found = predicted(SpreadService("one", build, Backwards(), rows_per_part))
    assert [found[i] for i in range(ROWS.height)] == list(wanted)


def test_a_part_that_is_done_does_not_wait_for_the_others() -> None:
    spread = SpreadService("one", partial(ColumnService, "text"), Backwards(), 3)
    assert [p.position for p in next(spread.predict(ROWS))] == [6]


def test_what_was_predicted_before_an_error_is_kept_and_the_error_follows_at_the_end() -> None:
    groups = SpreadService("one", FailsAtE, LOCAL, 3).predict(ROWS)
    assert [[p.prediction for p in next(groups)] for _ in range(3)] == [
        ["A", "B", "C"],
        ["D"],
        ["G"],
    ]
    with pytest.raises(ServiceError, match=r"^rows 3 to 5: no e today$"):
        next(groups)


def test_a_service_that_a_worker_cannot_build_ends_the_run() -> None:
    with pytest.raises(InputError, match=r"^part 1, rows 0 to 2: it must be importable"):
        predicted(SpreadService("one", Away, LOCAL, 3))
