"""What the columns of a table mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["AnyAttribute", "Columns"]

AnyAttribute = Any


@dataclass(frozen=True)
class Columns:
    """What the columns of a table mean."""

    attributes: tuple[Any, ...]
    score: str | None = None
    y_true: str | None = None
    y_pred: str | None = None
    agreement: Any = "equal"
    signals: tuple[str, ...] = ()
    referees: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    answer_form: bool = False
    cluster: str | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    from_label: tuple[str, ...] = ()
    weight: str | None = None
    id: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the attributes."""
        return tuple(a if isinstance(a, str) else a.name for a in self.attributes)
