"""Tables for a terminal."""

import math
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console, RenderableType

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.reports.axis import Axis
from accuracy_assay.reports.report import TOO_FEW_LABELS, Report
from accuracy_assay.reports.terminal import (
    curves_table,
    interval_bar,
    slices_table,
    sparkline,
    summary,
    weak_table,
)


def text_of(item: RenderableType, width: int = 80) -> str:
    stream = StringIO()
    Console(file=stream, width=width).print(item)
    return stream.getvalue()


def test_slices_say_where_it_fails_with_interval_truth_and_rows_gone_wrong(
    report: Report,
) -> None:
    lines = text_of(slices_table(report), 100).splitlines()
    (found,) = report.slices
    assert lines[0].startswith(f"Weak slices: clearly below {found_bar(report)}")
    assert lines[2].startswith("age = >60")
    estimate = found.estimate
    ends = f"{100 * estimate.lower:.0f}–{100 * estimate.upper:.0f}"
    assert lines[2].split()[-7:-3] == [f"{estimate.mean:.0%}", ends, "50%", f"{found.wrong:.0f}"]


def found_bar(report: Report) -> str:
    return f"{report.slices.bar:.1%}"


def test_a_thin_slice_is_marked(report: Report) -> None:
    few = replace(report.surface, n=report.surface.n / 10.0, correct=report.surface.correct / 10.0)
    shown = text_of(slices_table(replace(report, surface=few)), 100)
    assert "age = >60 ?" in shown
    assert "rests on its neighbours" in shown


def test_of_many_slices_the_first_are_shown_and_the_others_counted(report: Report) -> None:
    (found,) = report.slices
    many = replace(report.slices, found=(found,) * 13)
    lines = text_of(slices_table(report, many), 120).splitlines()
    assert sum(found.name in line for line in lines) == 10
    assert "3 more, where fewer rows go wrong: assay slices lists all." in lines[-1]
    every = text_of(slices_table(report, many, count=None), 120)
    assert every.count(found.name) == 13
    assert "more, where" not in every


def test_it_is_said_where_no_slice_and_no_arm_is_weaker(flat: Report) -> None:
    slices = text_of(slices_table(flat), 120)
    assert slices.startswith("No slice is clearly weaker than the whole: none below 75.0%")
    assert text_of(weak_table(flat)).startswith("No single arm is clearly weaker")


def test_only_arms_whose_interval_lies_below_the_whole_are_listed(report: Report) -> None:
    lines = text_of(weak_table(report), 120).splitlines()
    assert lines[0].startswith("Arms that are clearly weaker, 2 of 2: the whole 90% interval")
    assert [line.split()[:2] for line in lines[2:]] == [["F,", ">60"], ["M,", "<30"]]
    assert lines[2].split()[-5:] == ["40%", "30–60", "50%", "2.5", "20"]
    assert len(text_of(weak_table(report, 1), 120).splitlines()) == 3


def test_truth_column_is_absent_where_no_truth_is_known(bare: Report) -> None:
    assert "truth" not in text_of(weak_table(bare))
    assert "truth" not in text_of(slices_table(bare))
    assert "hold the truth" not in text_of(summary(bare))


def test_the_summary_has_both_mixes(report: Report) -> None:
    shown = text_of(summary(report))
    assert f"overall accuracy  {report.overall.mean:.1%}" in shown
    assert f"equal weights     {report.equal.mean:.1%}" in shown


def test_summary_says_how_intervals_were_checked(report: Report) -> None:
    shown = text_of(summary(report))
    assert "80% hold the truth (promised 90%, checked on 5 arms)" in shown
    assert "5 in the pool: 1 estimated, 4 rest mostly on arms like them" in shown


def test_curves_share_one_scale(report: Report) -> None:
    lines = text_of(curves_table(report)).splitlines()
    assert lines[2].split()[1:4] == ["▆▄▃", "4.00", "2.00"]
    assert lines[3].split()[1:4] == ["█▆▄", "6.00", "3.00"]


def test_interval_bar_marks_mean_reach_and_truth() -> None:
    assert interval_bar(0.35, 0.2, 0.5, 0.75, width=10).plain == "··━●━━·┃··"
    assert interval_bar(1.0, 0.9, 1.0, math.nan, width=10).plain == "·········●"
    zoomed = interval_bar(0.75, 0.7, 0.8, math.nan, 10, Axis(0.5, 1.0, 0.1))
    assert zoomed.plain == "····━●━···"


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
    assert "70.0%  (60.0% to 80.0%, by how labels were drawn)" in text
    assert "warning" not in text
    apart = replace(bare, surface=replace(bare.surface, details=far))
    assert "before you rely on the model" in " ".join(text_of(summary(apart), 120).split())


def test_too_few_labels_to_tell_arms_apart_are_said(bare: Report) -> None:
    assert TOO_FEW_LABELS not in text_of(summary(bare), 120)
    half, none = np.full(bare.surface.arms.shape, 0.5), np.zeros(bare.surface.arms.shape)
    known = {"mean": half, "sd": half, "lower": none, "upper": none + 1.0, "n": none}
    vague = replace(bare.surface, **known, correct=none)
    shown = text_of(summary(replace(bare, surface=vague)), 120)
    assert TOO_FEW_LABELS in shown
    assert not replace(bare, surface=vague).weak_arms().size


def test_of_a_rate_of_errors_weak_is_what_lies_above(errors: Report) -> None:
    shown = text_of(weak_table(errors), 120)
    assert "1 of 1: the whole 90% interval lies above 72.4%" in shown
    assert "F, <30" in shown
    assert " above 77.4%" in text_of(slices_table(errors), 120)


def test_names_from_outside_are_shown_as_they_are(report: Report) -> None:
    space = AttributeSpace(
        (Attribute("[bold]sex", ("F", "M")), Attribute("age", ("1", "2", "[/red]\x1b[2J")))
    )
    shown = replace(report, surface=replace(report.surface, space=space))
    assert r"age = [/red]\x1b[2J" in text_of(slices_table(shown), 120)
    table = text_of(weak_table(shown), 120)
    assert "[bold]sex, age" in table
    assert r"F, [/red]\x1b[2J" in table


def test_where_names_would_be_squeezed_a_table_has_no_bars(report: Report) -> None:
    space = AttributeSpace(
        (Attribute("sex", ("F", "M")), Attribute("years of age", ("<30", "30-60", "over " * 8)))
    )
    long = replace(report, surface=replace(report.surface, space=space))
    wide, narrow = (text_of(slices_table(long), width) for width in (160, 80))
    assert "━" in wide
    assert "━" not in narrow
    assert "40%" in narrow
    assert "go wrong" in narrow
