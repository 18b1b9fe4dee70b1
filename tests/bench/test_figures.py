from pathlib import Path

import polars as pl

from assay_bench.figures import draw_coverage, draw_quantiles, draw_scales
from assay_bench.surface_stats import QUANTILES

METHODS = ("one-method", "other-method")


def test_every_task_has_a_row_of_quantiles(tmp_path: Path) -> None:
    tasks = ("one-task", "other-task")
    quantiles = {task: dict.fromkeys(QUANTILES, 0.5) for task in tasks}
    overall, worst = dict.fromkeys(tasks, 0.7), dict.fromkeys(tasks, (0.1, 0.2, 0.3))
    draw_quantiles(quantiles, overall, worst, tmp_path / "q.svg")
    text = (tmp_path / "q.svg").read_text()
    assert all(f"<!-- {task} -->" in text for task in tasks)
    assert "<!-- the 3 worst arms -->" in text


def test_every_method_has_a_line_of_scales(tmp_path: Path) -> None:
    scales = {"one-method": (1.0, 2.0, 3.0), "other-method": (3.0, 2.0, 1.0)}
    draw_scales(scales, (1.0, 20.0, 1.0), tmp_path / "s.svg")
    text = (tmp_path / "s.svg").read_text()
    assert all(f"<!-- {method} -->" in text for method in METHODS)


def test_every_task_has_a_panel_of_coverage_and_every_method_a_line(tmp_path: Path) -> None:
    tasks = [f"task-{k}" for k in range(4)]
    shares = pl.DataFrame(
        [
            {"task": task, "method": method, "labels": labels, "arms_90": 90.0}
            for task in tasks
            for method in METHODS
            for labels in (30, 100)
        ]
    )
    draw_coverage(shares, tmp_path / "c.svg")
    text = (tmp_path / "c.svg").read_text()
    assert all(f"<!-- {task} -->" in text for task in tasks)
    assert all(f"<!-- {method} -->" in text for method in METHODS)
