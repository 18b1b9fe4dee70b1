"""Points are measured once, from small to large, until one takes too long."""

import json
from pathlib import Path

import pytest
from scale_costs import made_cost

from assay_bench import scale
from assay_bench.scale import Curve, measure_scale, write_curves
from assay_bench.scale_point import Cost, ScalePoint
from assay_bench.scale_worlds import GROWTHS, find_growth


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[ScalePoint]:
    """What is measured; a point costs a hundredth of a second per unit of size."""
    points: list[ScalePoint] = []

    def measure(point: ScalePoint) -> Cost:
        points.append(point)
        return made_cost(point.size)

    monkeypatch.setattr(scale, "measure_point", measure)
    return points


def test_what_is_finished_is_not_measured_again(measured: list, tmp_path: Path) -> None:
    first = measure_scale(tmp_path, 1e9, is_quick=True)
    n = len(measured)
    assert n == sum(len(growth.quick_sizes) for growth in GROWTHS)
    assert measure_scale(tmp_path, 1e9, is_quick=True) == first
    assert len(measured) == n
    measure_scale(tmp_path, 1e9, is_quick=True, is_fresh=True)
    assert len(measured) == 2 * n


def test_after_a_point_that_takes_too_long_no_larger_one_follows(
    measured: list, tmp_path: Path
) -> None:
    curves = {curve.growth.name: curve for curve in measure_scale(tmp_path, 0.3, is_quick=True)}
    assert curves["cells"].sizes == (20, 40)
    assert curves["signals"].sizes == (1, 2, 3)
    assert ScalePoint("cells", 80) not in measured


def test_only_what_is_finished_is_shown_where_nothing_may_run(
    measured: list, tmp_path: Path
) -> None:
    assert all(not curve.sizes for curve in measure_scale(tmp_path, 1.0, finished_only=True))
    assert measured == []


def test_steps_go_forward_to_the_last(measured: list, tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    measure_scale(tmp_path, 0.3, is_quick=True, on_step=lambda *step: steps.append(step))
    done = [step[0] for step in steps]
    assert done == sorted(done)
    assert steps[-1][0] == steps[-1][1]


def test_past_the_switch_there_is_another_exponent(tmp_path: Path) -> None:
    sizes = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
    seconds = [n**3 / 4e9 if n < 4_096 else n / 100.0 for n in sizes]
    costs = tuple(
        Cost(s, s, s, 300.0 + n / 10, 300.0) for n, s in zip(sizes, seconds, strict=True)
    )
    curve = Curve(find_growth("cells"), sizes, costs)
    before, past = curve.time()
    assert before is not None
    assert past is not None
    assert (before.exponent, past.exponent) == (
        pytest.approx(3.0, abs=1e-3),
        pytest.approx(1.0, abs=1e-3),
    )
    write_curves([curve], tmp_path / "scale.json")
    (record,) = json.loads((tmp_path / "scale.json").read_text(encoding="utf-8"))
    assert [part["exponent"] for part in record["time"]] == pytest.approx([3.0, 1.0], abs=1e-3)
    assert [point["size"] for point in record["points"]] == list(sizes)
