"""A view can be empty, and says so in plain values that JSON keeps."""

import pytest
from pydantic import BaseModel
from surface_world import make_about

from accuracy_assay.web.surface import values as surface_values

VIEWS = ["Slices", "Heat", "Arms", "Worst", "Marginals", "Instances", "Progress", "Compare"]


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_without_a_surface_holds_nothing_and_survives_json(name: str) -> None:
    kind: type[BaseModel] = getattr(surface_values, name)
    view = kind(about=make_about(overall=None, labels=0.0))
    again = kind.model_validate_json(view.model_dump_json())
    assert again == view
    assert again.remarks == []  # type: ignore[attr-defined]


def test_every_value_is_exported() -> None:
    defined = {
        name
        for name, kind in vars(surface_values).items()
        if isinstance(kind, type) and kind.__module__ == surface_values.__name__
    }
    assert {*defined, "NUMBERS"} == set(surface_values.__all__)
