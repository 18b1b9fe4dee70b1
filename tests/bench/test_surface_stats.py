from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.tasks.task import Task
from assay_bench.surface_stats import file_name, surface_stats, task_stats, write_stats


def test_statistics_are_of_arms_with_at_least_five_rows() -> None:
    sex = ["F"] * 5 + ["M"] * 10 + ["X"] * 4
    score = [1, 1, 1, 0, 0] + [1] * 9 + [0] + [0] * 4
    rows = pl.DataFrame({"id": range(19), "sex": sex, "correct": score})
    stats = surface_stats(Task("toy", "A toy.", rows, ("sex",)))
    assert (stats.n_rows, stats.n_arms, stats.n_active) == (19, 3, 2)
    assert stats.worst["sex"].to_list() == ["F", "M"]
    assert stats.worst["accuracy"].to_list() == [0.6, 0.9]
    assert (stats.quantiles[0.0], stats.quantiles[1.0]) == (0.6, 0.9)
    assert stats.accuracy == pytest.approx(12 / 19)
    assert stats.macro_accuracy == pytest.approx(0.75)
    assert stats.floor_mse == pytest.approx(100 * (0.6 * 0.4 / 4 + 0.9 * 0.1 / 9) / 2)


def test_statistics_are_written_and_drawn(tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    names = ("simple", "synthetic:rows=1000,attributes=2,values=3")
    stats = task_stats(names, None, lambda *step: seen.append(step))
    assert [(done, total) for done, total, _ in seen] == [(0, 2), (1, 2), (2, 2)]
    files = write_stats(stats, tmp_path)
    assert [path.name for path in files][:2] == [
        "surface-stats.csv",
        "surface-stats-simple-worst.csv",
    ]
    table = pl.read_csv(files[0])
    assert table["rows"].to_list() == [8_600, 1_000]
    assert table["q0"][0] == pytest.approx(0.1)
    assert files[-1].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("task", "name"), [("adult5", "adult5"), ("synthetic:rows=5,x", "synthetic_rows_5_x")]
)
def test_a_task_is_named_in_files_without_signs_that_paths_cannot_hold(
    task: str, name: str
) -> None:
    assert file_name(task) == name
