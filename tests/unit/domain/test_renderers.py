"""Renderers: found by name when they are used, not before."""

from typing import Any

import pytest

from accuracy_assay.domain import renderers
from accuracy_assay.domain.renderers import register_renderer, render


def test_a_renderer_is_found_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderers, "_FINDERS", {})
    found: list[str] = []

    def find() -> Any:
        found.append("text")
        return lambda surface, *args, **options: (surface, args, options)

    register_renderer("text", find)
    assert found == []
    assert render("text", "the surface", 1, is_wide=True) == (
        "the surface",
        (1,),
        {"is_wide": True},
    )
    assert found == ["text"]


def test_every_method_that_shows_a_surface_has_its_renderer() -> None:
    assert {"report", "card", "notebook", "mlflow"} <= set(renderers._FINDERS)
