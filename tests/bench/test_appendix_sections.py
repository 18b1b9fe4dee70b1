"""The true surfaces and the simple setting."""

from accuracy_assay.tasks.registry import load_task
from assay_bench.appendix_sections import simple_section, stats_section
from assay_bench.simple_setting import Decomposition, SimpleFit
from assay_bench.surface_stats import surface_stats

TASK = "synthetic:rows=1000,attributes=2,values=3"


def test_statistics_name_the_worst_arms_folded() -> None:
    stats = [surface_stats(load_task(name)) for name in ("simple", TASK)]
    section = stats_section(stats, [])
    assert section.tables[0].rows[0][:4] == ("simple", "8,600", "10", "10")
    assert section.tables[2].rows[0] == ("1", "100", "0.1")
    assert [table.is_folded for table in section.tables] == [False, False, True, True]


def test_the_simple_setting_stands_beside_the_papers() -> None:
    fit = SimpleFit(
        "beta-gp",
        Decomposition(0.05, 1.0),
        Decomposition(0.06, 0.5),
        0.7,
        tuple(float(k) for k in range(10)),
    )
    errors, scales = simple_section([fit]).tables
    assert errors.rows == [
        ("beta-gp", "0.050", "1.000", "1.050", "0.70"),
        ("beta-gp, the paper's", "0.052", "1.011", "1.063", "0.67"),
        ("beta-gp, exact expectation", "0.060", "0.500", "0.560", ""),
    ]
    assert scales.columns[:5] == ("method", "1 (n = 1)", "2 (n = 1)", "3 (n = 1)", "4 (n = 20)")
    assert scales.rows[0][-1] == "9.00"
