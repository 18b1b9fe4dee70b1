"""Tables for a terminal."""

import math
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console, RenderableType

from accuracy_assay.reports.report import TOO_FEW_LABELS, Report
from accuracy_assay.reports.terminal import (
    curves_table,
    interval_bar,
    sparkline,
    summary,
    worst_table,
)


def text_of(item: RenderableType, width: int = 80) -> str:
    stream = StringIO()
    Console(file=stream, width=width).print(item)
    return stream.getvalue()


def test_worst_table_lists_arms_of_the_pool_from_the_worst_with_interval_and_truth(
    report: Report,
) -> None:
    lines = text_of(worst_table(report, 3)).splitlines()
    assert lines[0].strip() == "The 3 worst arms by the upper end of their 90% interval"
    assert lines[-1].strip() == "Arms with fewer than 5 pool rows come last."
    assert lines[2].split()[:2] == ["F,", ">60"]
    assert lines[2].split()[-5:] == ["40%", "30–60", "50%", "2.5", "20"]
    assert len(lines) == 6


def test_worst_table_leaves_out_arms_that_are_not_in_the_pool(report: Report) -> None:
    assert len(text_of(worst_table(report, 10)).splitlines()) == 2 + 5 + 1


def test_truth_column_is_absent_where_no_truth_is_known(bare: Report) -> None:
    assert "truth" not in text_of(worst_table(bare))
    assert "hold the truth" not in text_of(summary(bare))


def test_summary_says_how_intervals_were_checked(report: Report) -> None:
    shown = text_of(summary(report))
    assert "67% hold the truth (promised 90%, checked on 3 arms)" in shown
    assert "5 in the pool: 4 estimated, 1 with insufficient evidence" in shown


def test_curves_share_one_scale(report: Report) -> None:
    lines = text_of(curves_table(report)).splitlines()
    assert lines[2].split()[1:4] == ["▆▄▃", "4.00", "2.00"]
    assert lines[3].split()[1:4] == ["█▆▄", "6.00", "3.00"]


def test_interval_bar_marks_mean_reach_and_truth() -> None:
    assert interval_bar(0.35, 0.2, 0.5, 0.75, width=10).plain == "··━●━━·┃··"
    assert interval_bar(1.0, 0.9, 1.0, math.nan, width=10).plain == "·········●"


@pytest.mark.parametrize(
    ("values", "drawn"), [([], ""), ([0.0, 0.0], "▁▁"), ([1.0, 0.5, 0.0], "█▄▁")]
)
def test_sparkline_runs_from_zero_to_its_largest(values: list[float], drawn: str) -> None:
    assert sparkline(values) == drawn


def test_sparkline_keeps_first_and_last_when_it_is_shortened() -> None:
    curve = sparkline([8.0] + [4.0] * 98 + [1.0], width=10)
    assert (len(curve), curve[0], curve[-1]) == (10, "█", "▁")


def test_a_check_by_design_stands_beside_the_model_and_disagreement_is_said(bare: Report) -> None:
    assert "without a model" not in text_of(summary(bare))
    near = {"design_check": {"mean": 0.7, "lower": 0.6, "upper": 0.8}}
    far = {"design_check": {"mean": 0.3, "lower": 0.2, "upper": 0.4}}
    agreeing = replace(bare, surface=replace(bare.surface, details=near))
    text = text_of(summary(agreeing), 120)
    assert "70.0%  (60.0% to 80.0%, by the chances of the labels)" in text
    assert "warning" not in text
    apart = replace(bare, surface=replace(bare.surface, details=far))
    assert "do not rely on the model" in " ".join(text_of(summary(apart), 120).split())


def test_too_few_labels_to_tell_arms_apart_are_said(bare: Report) -> None:
    assert TOO_FEW_LABELS not in text_of(summary(bare), 120)
    vague = replace(bare.surface, details={"prior_logit_sd": 1e-3})
    assert TOO_FEW_LABELS in text_of(summary(replace(bare, surface=vague)), 120)
