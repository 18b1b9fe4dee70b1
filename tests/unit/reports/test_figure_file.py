"""Figures become files by their ending, or nothing at all."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.reports.figure_file import require_figure_place, write_figure


@pytest.mark.parametrize(
    ("ending", "start"),
    [("png", b"\x89PNG"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")],
)
def test_the_ending_chooses_the_format(tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"figure.{ending}"
    assert write_figure(Figure(), str(path), dpi=20) == path
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["figure.docx", "figure"])
def test_an_unknown_ending_is_refused_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"ending of picture '{name}' must be one of"):
        write_figure(Figure(), tmp_path / name, dpi=20)
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_cannot_be_drawn_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    figure = Figure()
    figure.text(0.5, 0.5, "$not mathtext^{$")
    with pytest.raises(ValueError, match="Expected end_group"):
        write_figure(figure, path, dpi=20)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["figure.png"]


@pytest.mark.parametrize("name", ["figure.bmp", "none/figure.png"])
def test_a_place_is_refused_before_anything_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        require_figure_place(tmp_path / name)
    require_figure_place(tmp_path / "figure.png")
    assert list(tmp_path.iterdir()) == []
