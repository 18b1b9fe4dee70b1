from drifting_rows import drifting_rows

from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.words import watch_lines, watch_markdown

LOST = watch(drifting_rows(), ["region", "sex"], "right", time="day", baseline=9)
STABLE = watch(drifting_rows(lost=0.0), ["region", "sex"], "right", time="day", baseline=9)


def test_the_verdict_comes_first_and_names_the_slice_the_loss_and_the_time() -> None:
    first = watch_lines(LOST)[0]
    row = LOST.alarms.row(0, named=True)
    assert f"where {row['slice']}" in first
    assert f"likely since {row['since']}, found {row['time']}" in first
    assert watch_lines(STABLE)[0] == (
        "No alarm: nothing has been shown to have lost more than 2 points between 9 and 29."
    )


def test_the_guarantee_and_what_it_takes_are_said() -> None:
    assert any("at most 5%" in line and "at random" in line for line in watch_lines(STABLE))


def test_markdown_has_a_row_per_alarm_and_no_markup_of_names() -> None:
    made = watch_markdown(LOST, "watch | it")
    assert made.startswith("### watch \\| it: ❌ alarm")
    assert sum(line.startswith("| region") for line in made.splitlines()) >= 1
    assert "✅ no alarm" in watch_markdown(STABLE, "x")
