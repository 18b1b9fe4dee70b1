"""The bias of a judge as a picture: one line per value, coloured where it is clear."""

from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.reports.judge_picture import draw_judge, write_judge_picture
from accuracy_assay.reports.judge_report import JudgeReport


def made() -> JudgeReport:
    values = pl.DataFrame(
        {
            "judge": ["llm", "llm", "other"],
            "attribute": ["length", "length", "length"],
            "value": ["long", "short", "long"],
            "bias": [0.2, -0.01, 0.0],
            "lower": [0.1, -0.05, -0.1],
            "upper": [0.3, 0.03, 0.1],
            "verdict": ["lenient", "", ""],
        }
    )
    judges = pl.DataFrame({"judge": ["llm", "other"]})
    return JudgeReport(judges, values, values.clear(), 0.9)


def test_every_value_has_a_line_and_zero_is_in_the_middle() -> None:
    (axes,) = draw_judge(made()).axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["length = long", "length = short"]
    low, high = axes.get_xlim()
    assert low == -high
    assert high > 30.0
    colours = {line.get_color() for line in axes.get_lines()[1:]}
    assert len(colours) == 2


def test_a_judge_is_chosen_by_name() -> None:
    (axes,) = draw_judge(made(), "other").axes
    assert axes.get_title().startswith("other:")
    with pytest.raises(UnknownNameError, match=r"'llmm'\. Did you mean 'llm'"):
        draw_judge(made(), "llmm")


def test_a_report_without_judges_has_no_picture() -> None:
    report = made()
    with pytest.raises(InputError, match="must have a judge to show"):
        draw_judge(JudgeReport(report.judges.clear(), report.values, report.arms, 0.9))


def test_it_is_written_by_the_ending(tmp_path: Path) -> None:
    assert write_judge_picture(made(), tmp_path / "bias.png").stat().st_size > 1000
