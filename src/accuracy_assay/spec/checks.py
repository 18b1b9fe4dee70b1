"""``checks.toml``: the checks of a gate, each a ``[[check]]`` with the keys of ``assay check``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from accuracy_assay.domain.space import Value
from accuracy_assay.spec.read import load_toml, validated
from accuracy_assay.spec.section import MOST, Number, Section, Whole

__all__ = ["CheckSection", "read_checks"]


class CheckSection(Section):
    """``[[check]]``: one bar or more, and whom they are about."""

    name: str | None = None
    min: Number | None = None
    max_gap: Number | None = None
    no_slice_below: Number | None = None
    not_worse_than: str | None = None
    by: Number | None = None
    between: str | None = None
    every_arm: bool | None = None
    where: Mapping[str, Value | tuple[Value, ...]] = Field(default_factory=dict)
    under: str | None = None
    order: Whole | None = Field(default=None, ge=1, le=MOST)
    confidence: Number | None = None
    least_rows: Number | None = Field(default=None, gt=0, le=MOST)

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        bars = ("min", "max_gap", "no_slice_below", "not_worse_than")
        if all(getattr(self, bar) is None for bar in bars):
            raise ValueError(f"[[check]] must have one of the keys {', '.join(bars)}; got none")
        return self


class _ChecksFile(Section):
    check: tuple[CheckSection, ...] = Field(min_length=1)


def read_checks(path: str | Path) -> tuple[CheckSection, ...]:
    """Return the checks of a file; a mix in it is found beside the file.

    Raises
    ------
    InputError
        If the file cannot be read or a value breaks a rule. A misspelt key is named with the
        nearest one that exists.
    """
    file = Path(path)
    found = validated(_ChecksFile, load_toml(file, "checks"), file.name)
    folder = file.absolute().parent
    return tuple(
        each if each.under is None else each.model_copy(update={"under": str(folder / each.under)})
        for each in found.check
    )
