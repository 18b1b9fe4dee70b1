from pathlib import Path

import pytest
from matplotlib.figure import Figure
from scale_costs import made_curves

from assay_bench import scale_figure
from assay_bench.scale import Curve
from assay_bench.scale_figure import draw_scale


def drawn(
    monkeypatch: pytest.MonkeyPatch, curves: list[Curve], path: Path
) -> list[tuple[str, str, list[str]]]:
    """Return titles, scales and words of the panels that are drawn."""
    figures: list[Figure] = []
    monkeypatch.setattr(
        scale_figure, "write_figure", lambda figure, *_, **__: figures.append(figure)
    )
    draw_scale(curves, path)
    return [
        (
            axes.get_title(),
            f"{axes.get_xscale()} {axes.get_yscale()}",
            [t.get_text() for t in axes.texts],
        )
        for axes in figures[0].axes
        if axes.axison
    ]


def test_each_size_has_a_panel_of_time_and_one_of_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panels = drawn(monkeypatch, made_curves(), tmp_path / "scale.png")
    assert len(panels) == 12
    assert all(scales == "log log" for _, scales, _ in panels)
    assert {title for title, _, _ in panels} >= {"rows of the pool", "observed cells"}
    words = {title: said for title, _, said in panels if title}
    assert words["rows of the pool"] == ["exponent 1.00 ± 0.00"]
    assert words["observed cells"] == ["exponent 1.00 ± 0.00, then 1.00 ± 0.00"]


def test_a_curve_without_points_is_left_out(tmp_path: Path) -> None:
    curves = made_curves()
    empty = [Curve(curve.growth, (), ()) for curve in curves[1:]]
    draw_scale([curves[0], *empty], tmp_path / "scale.svg")
    assert "<svg" in (tmp_path / "scale.svg").read_text(encoding="utf-8")
