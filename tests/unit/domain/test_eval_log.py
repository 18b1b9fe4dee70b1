"""Rows of another tool's files give the columns of the service and the metric asked for."""

import polars as pl
import pytest

from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
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
    columns = EvalLog(ROWS, {"small": only}, {"topic": 2}, "truth", "id").columns()
    assert (columns.attributes, columns.score, columns.y_pred) == (("topic",), "strict", "said")
    assert (columns.id, columns.y_true) == ("id", "truth")


def test_of_several_services_and_metrics_one_must_be_named() -> None:
    log = EvalLog(ROWS, {"small": SMALL, "other": OTHER}, {"topic": 2}, "truth", "id")
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
    log = EvalLog(ROWS, {"other": OTHER}, {"topic": 2}, "truth", cluster="question")
    columns = log.columns()
    assert (columns.score, columns.y_true, columns.y_pred) == (None, "truth", "other said")
    assert columns.cluster == "question"


def test_attributes_of_the_caller_come_before_those_of_the_files() -> None:
    log = EvalLog(ROWS, {"other": OTHER}, {"topic": 2}, "truth")
    assert log.columns(attributes=["question"]).attributes == ("question",)
    with pytest.raises(UnknownNameError, match="service"):
        EvalLog(ROWS, attributes={"topic": 2}).columns("small")
    assert EvalLog(ROWS, attributes={"topic": 2}).columns().score is None


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ({"attributes": {"age": 3}}, "column of a log must be one of"),
        ({"by_service": {"small": ServiceColumns("answer")}}, "got 'answer'"),
        ({"texts": ("prompt",)}, "got 'prompt'"),
        ({"id": "said"}, "column 'said' of a log must have unique values"),
        ({"rows": ROWS.clear()}, "at least one row"),
    ],
)
def test_what_cannot_be_is_refused(log: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        EvalLog(**{"rows": ROWS, **log})  # type: ignore[arg-type]


def test_columns_of_few_values_and_no_other_part_are_attributes() -> None:
    facts = pl.DataFrame(
        {
            "id": ["1", "2", "3", "4"],
            "topic": ["art", "law", "law", "art"],
            "number": [1, 2, 3, 4],
            "abstract": ["long " * 30, "long " * 30, "short", "short"],
            "same": ["x"] * 4,
            "ok": [1, 0, 0, 1],
        }
    )
    log = EvalLog(facts, {"it": ServiceColumns(None, {"ok": "ok"})}, id="id")
    assert log.attributes == {"topic": 2}


def test_a_log_names_its_columns_by_their_parts() -> None:
    log = EvalLog(ROWS, {"small": SMALL, "other": OTHER}, {"topic": 2}, "truth", "id")
    assert log.services == ("small", "other")
    assert log.predictions == ("said", "other said")
    assert log.scores == ("strict", "loose")
    assert log.metrics == ("strict", "loose")
    assert log.judges == ("judge",)


def test_the_text_of_a_log_says_what_it_holds_and_what_not() -> None:
    left_out = {f"thing {i}": "too long" for i in range(9)}
    log = EvalLog(ROWS, {"small": SMALL}, {"topic": 2}, "truth", "id", left_out=left_out)
    assert str(log).splitlines()[:6] == [
        "2 rows",
        "services: small",
        "scores: strict, loose",
        "predictions: said",
        "target: truth",
        "attributes: topic (2)",
    ]
    assert str(log).endswith("left out: 3 more, see left_out")
    assert repr(log) == "<EvalLog: 2 rows, 1 service>"


def test_a_log_offers_no_attribute_that_holds_the_truth_or_has_gaps_in_its_items() -> None:
    rows = pl.DataFrame(
        {
            "task": ["a", "b"] * 4,
            "level": ["1", "2"] * 2 + [None] * 4,
            "answer": ["x", "y"] * 4,
            "targets.labels": ["[1]", "[0]"] * 4,
            "first": [1.0] * 4 + [None] * 4,
            "second": [None] * 2 + [0.0] * 6,
        }
    )
    services = {name: ServiceColumns(None, {"ok": name}) for name in ("first", "second")}
    log = EvalLog(rows, services)
    assert log.attributes == {"task": 2, "level": 2}
    assert log.attributes_of("first") == ("task", "level")
    assert log.attributes_of("second") == log.attributes_of() == ("task",)
    assert log.attributes_of("first", "second") == ("task", "level")
    assert log.shared_rows(["first", "second"]).height == 2


def test_one_row_is_one_row() -> None:
    assert str(EvalLog(ROWS.head(1), {})).splitlines()[0] == "1 row"
    assert repr(EvalLog(ROWS.head(1), {})) == "<EvalLog: 1 row, 0 services>"
