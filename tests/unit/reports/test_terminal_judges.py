"""Judges and referees in a terminal."""

from typing import Any

import polars as pl
import pytest
from rich.console import Console, RenderableType

from accuracy_assay.reports.judge_report import JudgeReport
from accuracy_assay.reports.terminal_judges import (
    bias_bar,
    contested_table,
    judge_tables,
    referees_table,
)

PLACE: dict[str, Any] = {
    "judge": "llm",
    "n": 40.0,
    "support": 900.0,
    "opinion": 0.82,
    "accuracy": 0.61,
    "bias": 0.21,
    "lower": 0.12,
    "upper": 0.3,
    "verdict": "lenient",
    "prefers_right": 0.8,
}


def shown(renderable: RenderableType) -> str:
    console = Console(width=120, record=True, file=None, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def made() -> JudgeReport:
    judges = {"judge": "llm", "labels": 200, "prefers_right": 0.78, "outside": 0.0}
    value = {"attribute": "length", "value": "[bold]long", **PLACE}
    arm = {"length": "[bold]long", "topic": "law", **PLACE}
    frames = [pl.DataFrame([row]) for row in (judges, value, arm)]
    return JudgeReport(*frames, level=0.9)


def test_words_come_first_then_values_and_arms() -> None:
    text = shown(judge_tables(made(), "llm"))
    assert text.index("prefers the right one 78%") < text.index("Bias by value")
    assert text.index("Bias by value") < text.index("Bias by length, topic")
    assert "+21 +12..+30" in text
    assert "[bold]long, law" in text


@pytest.mark.parametrize(
    ("bias", "expected"),
    [(0.0, "●"), (0.4, "●"), (-0.9, "●")],
)
def test_a_bar_shows_the_bias_around_zero(bias: float, expected: str) -> None:
    bar = bias_bar({**PLACE, "bias": bias, "lower": bias - 0.1, "upper": bias + 0.1}).plain
    assert len(bar) == 15
    place = bar.index(expected)
    assert (place > 7) == (bias > 0.1)
    assert (place < 7) == (bias < -0.1)


def test_referees_have_their_accuracy_rows_and_labels() -> None:
    frame = pl.DataFrame(
        {"stratum": ["b agrees"], "rows": [1200.0], "labels": [30.0], "accuracy": [0.97]}
    )
    text = shown(referees_table(frame))
    assert "b agrees" in text
    assert "97%" in text
    assert "1,200" in text


def test_contested_rows_are_counted_and_the_first_are_shown() -> None:
    frame = pl.DataFrame({"id": [f"x{i}" for i in range(9)], "a": ["cat"] * 9, "b": ["dog"] * 9})
    text = shown(contested_table(frame, 2))
    assert "9 rows without a label on which no two services agree; the first 2" in text
    assert "x1" in text
    assert "x2" not in text
