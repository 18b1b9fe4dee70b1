"""Rows of another tool's files give the columns of the service and the metric asked for."""

import polars as pl
import pytest

from accuracy_assay.domain.foreign_rows import ForeignRows, ServiceColumns
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError

ROWS = pl.DataFrame(
    {
        "id": ["1", "2"],
        "topic": ["art", "law"],
        "question": ["Who?", "Why not?"],
        "truth": ["a", "b"],
        "said": ["a", "a"],
        "strict": [1.0, 0.0],
        "loose": [1.0, 1.0],
        "other said": ["b", "b"],
        "judge": [0.7, 0.2],
        "sure": [0.9, 0.4],
    }
)
SMALL = ServiceColumns("said", {"strict": "strict", "loose": "loose"}, ("judge",), ("sure",))
OTHER = ServiceColumns("other said")


def test_one_service_and_one_metric_need_not_be_named() -> None:
    only = ServiceColumns("said", {"strict": "strict"})
    columns = ForeignRows(ROWS, {"small": only}, ("topic",), "truth", "id").columns()
    assert (columns.attributes, columns.score, columns.y_pred) == (("topic",), "strict", "said")
    assert (columns.id, columns.y_true) == ("id", None)


def test_of_several_services_and_metrics_one_must_be_named() -> None:
    log = ForeignRows(ROWS, {"small": SMALL, "other": OTHER}, ("topic",), "truth", "id")
    with pytest.raises(InputError, match=r"service must be named .* got \['small', 'other'\]"):
        log.columns()
    with pytest.raises(InputError, match="metric must be named"):
        log.columns("small")
    with pytest.raises(UnknownNameError, match="service must be one of"):
        log.columns("large")
    with pytest.raises(UnknownNameError, match="metric must be one of"):
        log.columns("other", "strict")
    columns = log.columns("small", "loose")
    assert (columns.score, columns.judges, columns.signals) == ("loose", ("judge",), ("sure",))


def test_answers_without_a_score_are_compared_with_the_truth() -> None:
    log = ForeignRows(ROWS, {"other": OTHER}, ("topic",), "truth", cluster="question")
    columns = log.columns()
    assert (columns.score, columns.y_true, columns.y_pred) == (None, "truth", "other said")
    assert columns.cluster == "question"


def test_attributes_of_the_caller_come_before_those_of_the_files() -> None:
    log = ForeignRows(ROWS, {"other": OTHER}, ("topic",), "truth")
    assert log.columns(attributes=["question"]).attributes == ("question",)
    with pytest.raises(UnknownNameError, match="service"):
        ForeignRows(ROWS, attributes=("topic",)).columns("small")
    assert ForeignRows(ROWS, attributes=("topic",)).columns().score is None


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ({"attributes": ("age",)}, "column of a log must be one of"),
        ({"services": {"small": ServiceColumns("answer")}}, "got 'answer'"),
        ({"attributes": (TextAttribute("prompt", "length"),)}, "got 'prompt'"),
        ({"id": "said"}, "column 'said' of a log must have unique values"),
        ({"rows": ROWS.clear()}, "at least one row"),
    ],
)
def test_what_cannot_be_is_refused(log: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ForeignRows(**{"rows": ROWS, **log})  # type: ignore[arg-type]


def test_an_attribute_of_a_text_needs_the_text_alone() -> None:
    log = ForeignRows(ROWS, attributes=(TextAttribute("question", "length"),))
    assert log.names == ("question",)
