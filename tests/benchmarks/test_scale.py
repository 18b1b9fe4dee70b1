"""Points are measured once, from small to large, until one takes too long, and become a page."""

import json
from pathlib import Path

import numpy as np
import pytest
import scale
from scale import Cost, Curve, describe, draw, measure_curves
from scale_worlds import GROWTHS, find_growth


def made_cost(growth: str, size: int) -> Cost:
    """Return a cost that grows with the size: a hundredth of a second per unit."""
    seconds = 0.01 * size
    return Cost(seconds, 1.5 * seconds, 2.0 + seconds, 300.0 + 0.1 * size, 300.0)


def made_curves() -> list[Curve]:
    return [Curve(g, {size: made_cost(g.name, size) for size in g.sizes}) for g in GROWTHS]


def test_what_is_finished_is_not_measured_again(tmp_path: Path) -> None:
    measured: list[tuple[str, int]] = []

    def measure(growth: str, size: int) -> Cost:
        measured.append((growth, size))
        return made_cost(growth, size)

    kept = tmp_path / "scale.jsonl"
    first = measure_curves(kept, measure, 1e9, is_quick=True)
    assert measured == [(g.name, size) for g in GROWTHS for size in g.quick_sizes]
    assert measure_curves(kept, measure, 1e9, is_quick=True) == first
    assert measure_curves(kept, None, 1e9, is_quick=True) == first
    assert len(measured) == len(set(measured))


def test_after_a_point_that_takes_too_long_no_larger_one_follows(tmp_path: Path) -> None:
    curves = measure_curves(tmp_path / "scale.jsonl", made_cost, 0.3, is_quick=True)
    sizes = {curve.growth.name: list(curve.costs) for curve in curves}
    assert (sizes["cells"], sizes["signals"]) == ([20, 40], [1, 2, 3])


def test_past_the_switch_there_is_another_exponent() -> None:
    sizes = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
    seconds = {n: n**3 / 4e9 if n < 4_096 else n / 100.0 for n in sizes}
    costs = {n: Cost(s, s, s, 300.0 + n / 10, 300.0) for n, s in seconds.items()}
    before, past = Curve(find_growth("cells"), costs).time()
    assert before is not None
    assert past is not None
    assert before.exponent == pytest.approx(3.0, abs=1e-3)
    assert past.exponent == pytest.approx(1.0, abs=1e-3)


def test_the_page_has_every_point_and_each_exponent_beside_the_expected_one() -> None:
    page = describe(made_curves(), "python benchmarks/scale.py", Path("scale.png"))
    assert "| observed cells | 250 | 4,000 | 3 | 1.00 ± 0.00 | 1.00 ± 0.00 |" in page
    assert "| observed cells | 8,000 | 48,000 | 1 | 1.00 ± 0.00 | 1.00 ± 0.00 |" in page
    assert "| signals | 1 | 16 | - |" in page
    assert "| rows of the pool | 100,000 | 1500.00 | 1000.00 | 1002.00 | 10,300 | 300 |" in page
    rows = Curve(GROWTHS[0], dict(list(made_curves()[0].costs.items())[:2]))
    assert "too few points | too few points |" in describe([rows], "", Path())


def test_each_size_has_a_panel_of_time_and_one_of_memory() -> None:
    curves = made_curves()
    panels = [axes for axes in draw(curves).axes if axes.axison]
    assert len(panels) == 12
    assert {(axes.get_xscale(), axes.get_yscale()) for axes in panels} == {("log", "log")}
    words = {axes.get_title(): [t.get_text() for t in axes.texts] for axes in panels}
    assert words["rows of the pool"] == ["exponent 1.00 ± 0.00"]
    assert words["observed cells"] == ["exponent 1.00 ± 0.00, then 1.00 ± 0.00"]
    empty = [Curve(curve.growth, {}) for curve in curves[1:]]
    assert len([axes for axes in draw([curves[0], *empty]).axes if axes.axison]) == 2


def test_a_world_is_made_and_then_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scale.run_step("make", "labels", 200, tmp_path)
    assert capsys.readouterr().out == ""
    arguments = json.loads((tmp_path / "arguments.json").read_text(encoding="utf-8"))
    cost = scale.measure_estimate(arguments | {"rows": tmp_path / arguments["rows"]}, 1)
    assert cost.seconds > 0.0
    assert cost.processor_s > 0.0
    assert cost.start_mb <= cost.peak_mb


def test_the_peak_rises_with_what_is_held_and_stays() -> None:
    before = scale.peak_mb()
    held = np.ones(2**27, dtype=np.uint8)
    assert scale.peak_mb() >= 100.0  # MB, of which this array alone has 128
    del held
    assert scale.peak_mb() >= before
