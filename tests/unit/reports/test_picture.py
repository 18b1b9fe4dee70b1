"""The picture shows every combination of the pool and the worst arms, without global state."""

from dataclasses import replace
from pathlib import Path

import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.reports.picture import draw_picture, write_picture
from accuracy_assay.reports.report import Report


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_suffix_chooses_the_format(
    report: Report, tmp_path: Path, suffix: str, magic: bytes
) -> None:
    path = write_picture(report, tmp_path / f"surface.{suffix}")
    assert path.read_bytes().startswith(magic)


def test_heat_map_has_one_box_per_combination_of_the_pool(report: Report) -> None:
    heat, worst = draw_picture(report).axes
    assert sorted(text.get_text() for text in heat.texts) == ["40", "50", "60", "80", "90"]
    assert heat.get_ylabel() == "age"
    assert next(t.get_text() for t in worst.get_yticklabels()) == "F, >60"
    assert len(worst.get_yticks()) == 5


def test_truth_is_drawn_only_where_it_is_known(report: Report, bare: Report) -> None:
    assert [line.get_label() for line in draw_picture(report).axes[1].lines] == [
        "estimate",
        "truth",
    ]
    assert [line.get_label() for line in draw_picture(bare).axes[1].lines] == ["estimate"]


def test_picture_leaves_the_global_figures_alone(report: Report) -> None:
    import matplotlib.pyplot as plt

    draw_picture(report)
    assert plt.get_fignums() == []


def test_one_attribute_is_an_error_that_says_what_to_use(report: Report) -> None:
    space = AttributeSpace((Attribute("arm", tuple("abcdef")),))
    single = replace(report, surface=replace(report.surface, space=space))
    with pytest.raises(InputError, match="must have two attributes; got"):
        draw_picture(single)
