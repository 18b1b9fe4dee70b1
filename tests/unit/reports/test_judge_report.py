"""A judge's report in words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import polars as pl

from accuracy_assay.reports.judge_report import JudgeReport

PLACE: dict[str, Any] = {
    "judge": "llm",
    "n": 40.0,
    "support": 900.0,
    "opinion": 0.82,
    "accuracy": 0.61,
    "bias": 0.21,
    "lower": 0.12,
    "upper": 0.3,
    "verdict": "",
    "prefers_right": 0.8,
}


def made(
    outside: float = 0.0, arm: Mapping[str, Any] = MappingProxyType({}), **changes: Any
) -> JudgeReport:
    judges = {"judge": "llm", "labels": 200, "prefers_right": 0.78, "outside": outside}
    value = {**PLACE, **changes, "attribute": "length", "value": "long"}
    arm = {**PLACE, "support": 400.0, **arm, "length": "long", "topic": "law"}
    frames = [pl.DataFrame([row]) for row in (judges, value, arm)]
    return JudgeReport(*frames, level=0.9)


def test_worth_and_bias_are_said_in_words() -> None:
    said = made(verdict="lenient").remarks("llm")
    assert said == [
        "200 labels: given a right and a wrong answer, it prefers the right one 78% of the time",
        "lenient on length = long: its opinions amount to 82%, the accuracy is 61%, 12 to 30 "
        "points apart",
    ]
    harsh = made(verdict="harsh", bias=-0.2, lower=-0.3, upper=-0.1).remarks("llm")
    assert "harsh on length = long" in harsh[1]
    assert "10 to 30 points apart" in harsh[1]


def test_no_bias_is_said_too() -> None:
    assert made().remarks("llm")[1:] == ["nowhere clearly lenient or harsh"]


def test_where_not_to_trust_it_is_said() -> None:
    said = made(outside=0.12, prefers_right=0.4).remarks("llm")
    assert said[2].startswith(
        "do not trust it on length = long: there it prefers the right answer"
    )
    assert said[3].startswith("12% of the pool has opinions unlike any labelled row's")


def test_it_prints_one_judge_after_another() -> None:
    assert str(made()).splitlines()[0] == "llm"
    assert str(made()).splitlines()[1].startswith("  200 labels")


def test_a_judge_without_right_and_wrong_is_of_unknown_worth() -> None:
    report = made()
    judges = report.judges.with_columns(prefers_right=pl.lit(None, dtype=pl.Float64))
    unknown = JudgeReport(judges, report.values, report.arms, 0.9)
    assert "its worth is unknown" in unknown.remarks("llm")[0]


def test_a_judge_that_is_worth_nothing_is_compared_with_a_coin() -> None:
    report = made()
    blind = report.judges.with_columns(prefers_right=pl.lit(0.45))
    said = JudgeReport(blind, report.values, report.arms, 0.9).remarks("llm")[0]
    assert said.endswith("no more often than a coin does")


def test_of_many_biased_places_the_clearest_are_named() -> None:
    report = made(verdict="lenient")
    many = pl.concat([report.values] * 8)
    said = JudgeReport(report.judges, many, report.arms, 0.9).remarks("llm")
    assert sum(line.startswith("lenient on") for line in said) == 5
    assert said[-1] == "and on 3 other slices"


def test_an_arm_that_is_all_rows_of_a_value_is_said_once() -> None:
    both = {"verdict": "lenient"}
    assert len(made(arm=both, **both).remarks("llm")) == 3
    assert len(made(arm={**both, "support": 900.0}, **both).remarks("llm")) == 2
