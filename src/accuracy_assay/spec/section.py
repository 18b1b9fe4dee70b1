"""What all sections of a spec have in common: strict keys, and numbers that are numbers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError

__all__ = ["MOST", "Number", "Section", "Whole"]

MOST = 10**9
"""Labels, rows and prices beyond any pool or budget: larger numbers are typos."""


def _refuse_truth_values(value: Any) -> Any:
    """Refuse true and false where a number is meant, which Python would take for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number, not true or false")
    return value


Whole = Annotated[int, BeforeValidator(_refuse_truth_values)]
Number = Annotated[float, BeforeValidator(_refuse_truth_values)]


class Section(BaseModel):
    """A section: frozen, no unknown key, no empty text, no infinite number."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1, allow_inf_nan=False)
