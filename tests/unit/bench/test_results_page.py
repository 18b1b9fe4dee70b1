"""The page of results holds what was measured, and where."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

import accuracy_assay
from accuracy_assay.bench.conduct import conduct
from accuracy_assay.bench.experiment import Plan
from accuracy_assay.bench.experiments import EXPERIMENTS
from accuracy_assay.bench.machine import describe_machine
from accuracy_assay.bench.results_page import Section, Table, write_page
from accuracy_assay.bench.sections import experiment_section, simple_section, stats_section
from accuracy_assay.bench.simple_files import write_simple
from accuracy_assay.bench.simple_setting import Decomposition, SimpleFit
from accuracy_assay.bench.stats_files import write_stats
from accuracy_assay.bench.surface_stats import surface_stats
from accuracy_assay.tasks.registry import load_task

TASK = "synthetic:rows=1000,attributes=2,values=3"
METHODS = ("beta-independent/random", "beta-independent/largest-variance")


def test_a_table_is_markdown_whatever_is_in_its_cells() -> None:
    text = Table("T", ("arm", "n"), [("a|b", "1")]).markdown()
    assert text == "**T**\n\n| arm | n |\n| --- | ---: |\n| a\\|b | 1 |"


def test_figures_are_copied_beside_the_page(tmp_path: Path) -> None:
    figure = tmp_path / "out" / "x.png"
    figure.parent.mkdir()
    figure.write_bytes(b"picture")
    page = tmp_path / "docs" / "results.md"
    write_page(page, "assay bench x", {"date": "today"}, [Section("X", "Words.", (), [figure])])
    assert (page.parent / "assets/results/x.png").read_bytes() == b"picture"
    text = page.read_text()
    assert "![x](assets/results/x.png)" in text
    assert "| date | today |" in text
    assert "`assay bench x`" in text


def test_the_machine_is_described() -> None:
    facts = describe_machine(datetime(2024, 2, 3, 4, 5, tzinfo=UTC))
    assert facts["date"] == "2024-02-03 04:05 UTC"
    assert facts["code"].startswith(accuracy_assay.__version__)
    assert "jax" in facts["packages"]
    assert "cores" in facts["processor"]


def test_estimation_stands_beside_the_papers_table(tmp_path: Path) -> None:
    plan = Plan((TASK,), ("constant", "beta-independent"), (100, 200), seeds=2, seed_size=100)
    outcome = conduct(EXPERIMENTS["estimation"], plan, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["estimation"], outcome)
    at_size, by_size, printed = section.tables
    mean = outcome.summary.filter(labels=200, method="constant")["macro_mse"].item()
    assert at_size.rows[0][1].startswith(f"{mean:.2f} ± ")
    assert by_size.columns == ("method", "100", "200")
    assert ("beta-gp-slp", "4.7 / 10.4", "2.8 / 5.7", "1.4 / 3.9", "4.3 / 23.3") in printed.rows
    assert "the paper's methods rank" in section.text
    assert [figure.suffix for figure in section.figures] == [".png"]


def test_exploration_says_what_a_strategy_saves(tmp_path: Path) -> None:
    plan = Plan((TASK,), METHODS, (200,), seeds=1, seed_size=100)
    outcome = conduct(EXPERIMENTS["exploration"], plan, data=None, out=tmp_path, jobs=1)
    section = experiment_section(EXPERIMENTS["exploration"], outcome)
    saved = section.tables[-1]
    assert saved.title.endswith("labels asked for until the last error of random")
    assert saved.rows[0][:2] == ("beta-independent/largest-variance", "100")


def test_statistics_are_written_and_drawn(tmp_path: Path) -> None:
    stats = [surface_stats(load_task(name)) for name in ("simple", TASK)]
    files = write_stats(stats, tmp_path)
    assert [path.name for path in files][:2] == [
        "surface-stats.csv",
        "surface-stats-simple-worst.csv",
    ]
    assert files[-1].read_bytes().startswith(b"\x89PNG")
    section = stats_section(stats, files[-1:])
    assert section.tables[0].rows[0][:4] == ("simple", "8,600", "10", "10")
    assert section.tables[2].rows[0] == ("1", "100", "0.1")


def test_the_simple_setting_stands_beside_the_papers(tmp_path: Path) -> None:
    errors = Decomposition(0.05, 1.0)
    fit = SimpleFit("beta-gp", errors, errors, 0.7, tuple(float(k) for k in range(10)))
    table, figure = write_simple([fit], tmp_path)
    row = pl.read_csv(table).row(0, named=True)
    assert (row["method"], row["mse"], row["scale_10"]) == ("beta-gp", 1.05, 9.0)
    section = simple_section([fit], [figure])
    assert section.tables[0].rows == [
        ("beta-gp", "0.050", "1.000", "1.050", "0.70"),
        ("beta-gp, the paper's", "0.052", "1.011", "1.063", "0.67"),
    ]
    assert figure.read_bytes().startswith(b"\x89PNG")
