"""``Detail``: a fact beside a surface's numbers, kept under a key of its details."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar, Self

__all__ = ["Detail"]


@dataclass(frozen=True, slots=True)
class Detail:
    """What is said beside the numbers; its fields are what a file keeps."""

    key: ClassVar[str]
    """Key of a surface's details."""

    @classmethod
    def said_by(cls, details: Mapping[str, Any]) -> Self | None:
        """Return what a surface's details say; None if nothing that this version knows."""
        found = details.get(cls.key)
        known = {f.name: f.default is MISSING for f in fields(cls)}
        needed = {name for name, is_needed in known.items() if is_needed}
        if not isinstance(found, Mapping) or not needed <= found.keys() <= known.keys():
            return None
        return cls(**found)

    @property
    def details(self) -> dict[str, Any]:
        """What a surface's details say."""
        return {self.key: asdict(self)}
