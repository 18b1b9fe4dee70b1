"""Each law of a service is broken by a service that was made to break it, and only then."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl
import pytest

from accuracy_assay.protocols import Prediction
from accuracy_assay.services.column import ColumnService
from accuracy_assay.testing import ServiceLaws

Group = Sequence[Prediction]


@dataclass(frozen=True)
class Bent:
    """A good service whose groups are changed afterwards."""

    change: Callable[[Group], Group]

    def predict(self, rows: pl.DataFrame) -> Iterator[Group]:
        for group in ColumnService("number").predict(rows):
            yield self.change(group)


def shifted(group: Group) -> Group:
    return [replace(p, position=len(group) - 1 - p.position) for p in group]


@pytest.mark.parametrize(
    ("law", "change"),
    [
        ("every_row_is_predicted_once", lambda group: [*group, group[0]]),
        ("every_row_is_predicted_once", lambda group: group[1:]),
        ("a_prediction_is_the_text_for_its_own_row", shifted),
        ("no_rows_need_no_predictions", lambda group: [*group, Prediction(0, "0")]),
    ],
)
def test_a_law_can_be_broken(law: str, change: Callable[[Group], Group]) -> None:
    getattr(ServiceLaws(), f"test_{law}")(ColumnService("number"))
    with pytest.raises(AssertionError):
        getattr(ServiceLaws(), f"test_{law}")(Bent(change))


def test_what_predicts_nothing_is_no_service() -> None:
    ServiceLaws().test_a_service_follows_the_protocol(ColumnService("number"))
    with pytest.raises(AssertionError):
        ServiceLaws().test_a_service_follows_the_protocol(object())  # type: ignore[arg-type]
