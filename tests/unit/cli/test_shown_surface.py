from pathlib import Path

import pytest

from accuracy_assay.cli.shown_surface import read_surface
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError


def test_a_file_is_called_by_its_name(saved: Path) -> None:
    surface, title = read_surface(str(saved), None, None, None, None)
    assert title == saved.stem
    assert surface.to_frame().equals(AccuracySurface.load(saved).to_frame())


def test_a_file_has_no_services(saved: Path) -> None:
    with pytest.raises(InputError, match="and --service, --pool"):
        read_surface(str(saved), "good", None, Path("pool.csv"), None)
