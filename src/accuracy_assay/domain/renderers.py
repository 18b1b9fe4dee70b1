"""Ways to show a surface, by name. The domain holds values; what can show one registers here.

``accuracy_assay/__init__.py`` registers ours. Each is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["register_renderer", "render"]

_FINDERS: dict[str, Callable[[], Callable[..., Any]]] = {}


def register_renderer(name: str, find: Callable[[], Callable[..., Any]]) -> None:
    """Let ``find`` return the function that shows a surface when ``name`` is asked for."""
    _FINDERS[name] = find


def render(name: str, surface: object, *args: Any, **options: Any) -> Any:
    """Show a surface: return what the renderer called ``name`` returns for it."""
    return _FINDERS[name]()(surface, *args, **options)
