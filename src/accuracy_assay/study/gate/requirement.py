"""What a check asks for: one bar, and the rows it is about.

A command line, a ``[[check]]`` of a ``checks.toml`` and a call of ``accuracy_assay.check`` name
one or more bars and their options; each bar becomes a requirement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows
from accuracy_assay.runtime.number_text import points_text
from accuracy_assay.study.compare.comparison import Comparison

__all__ = ["BARS", "DEFAULTS", "Bar", "Requirement", "requirements"]

Bar: TypeAlias = Literal["min", "max_gap", "no_slice_below", "not_worse_than"]
BARS: tuple[Bar, ...] = get_args(Bar)

DEFAULTS: Mapping[str, Any] = {
    "where": None,
    "under": None,
    "between": None,
    "by": 0.0,
    "every_arm": False,
    "order": 3,
    "confidence": 0.95,
    "least_rows": 20,
}
"""Options of bars and their defaults. Twenty pool rows and three attributes are those of
``AccuracySurface.slices``."""
_BELONGS: Mapping[Bar, tuple[str, ...]] = {
    "min": ("where", "under"),
    "max_gap": ("between", "where", "under", "least_rows"),
    "no_slice_below": ("order", "least_rows"),
    "not_worse_than": ("by", "between", "every_arm", "where", "under", "least_rows"),
}


@dataclass(frozen=True, eq=False)
class Requirement:
    """One bar and the rows it is about; see ``accuracy_assay.check`` for the fields."""

    bar: Bar
    limit: float
    name: str | None = None
    old: AccuracySurface | Comparison | None = None
    old_name: str | None = None
    where: Mapping[str, object] | None = None
    under: Rows | None = None
    between: str | None = None
    every_arm: bool = False
    order: int = DEFAULTS["order"]
    confidence: float = DEFAULTS["confidence"]
    least_rows: float = DEFAULTS["least_rows"]

    def __post_init__(self) -> None:
        what = "by" if self.bar == "not_worse_than" else self.bar
        if not 0.0 <= self.limit <= 1.0:
            raise InputError(f"{what} must lie in [0, 1]; got {self.limit:g}.{_hint(self.limit)}")
        if not 0.5 < self.confidence < 1.0:
            raise InputError(
                f"confidence must lie between 0.5 and 1; got {self.confidence:g}."
                f"{_hint(self.confidence)}"
            )
        if self.order < 1:
            raise InputError(f"order must be at least 1 attribute; got {self.order}.")
        if not self.least_rows > 0.0:
            raise InputError(f"least_rows must be more than 0; got {self.least_rows:g}.")
        if self.where and self.under is not None:
            raise InputError(
                f"a check must have conditions or a mix, not both; got {dict(self.where)} and a "
                "mix. Filter the mix instead."
            )
        if self.bar == "max_gap" and self.between is None:
            raise InputError(
                "max_gap must have between, the attribute whose values are compared; got none."
            )
        if self.between is not None and self.every_arm:
            raise InputError(
                "not_worse_than must be shown for every arm or between the values of an "
                f"attribute; got every_arm and between {self.between!r}. Write two checks."
            )

    @property
    def mix_name(self) -> str:
        """The name of the mix: that of its file, if it has one."""
        is_file = isinstance(self.under, str | Path)
        return Path(str(self.under)).name if is_file else "the mix"

    @property
    def asks(self) -> str:
        """What is asked for, in words."""
        if self.bar == "min":
            return f"accuracy of at least {self.limit:.1%}{self._about}"
        if self.bar == "max_gap":
            most = f"{points_text(self.limit)} points"
            return f"no gap above {most} between values of {self.between}{self._about}"
        if self.bar == "no_slice_below":
            some = "1 attribute" if self.order == 1 else f"up to {self.order} attributes"
            return f"no slice of {some} below {self.limit:.1%}"
        old = self.old_name or "the older surface"
        each = f", nor for any value of {self.between}" if self.between else ""
        each = ", nor in any arm" if self.every_arm else each
        by = f"more than {points_text(self.limit)} points " if self.limit else ""
        return f"not {by}worse than {old}{self._about}{each}"

    @property
    def _about(self) -> str:
        if self.under is not None:
            return f" under {self.mix_name}"
        if not self.where:
            return ""
        said = (f"{name} = {_listed(value)}" for name, value in self.where.items())
        return f" where {' and '.join(said)}"


def requirements(
    bars: Mapping[Bar, Any],
    options: Mapping[str, Any],
    name: str | None = None,
    old_name: str | None = None,
) -> list[Requirement]:
    """Return one requirement for each bar that is given.

    Parameters
    ----------
    bars
        The bars; None for those not given. That of ``not_worse_than`` is the older surface, or a
        comparison of the new service with the old one.
    options
        Keys of ``DEFAULTS``. Each goes to the bars that it belongs to.
    name
        Name of the check; by default what it asks for.
    old_name
        Name of the older surface.

    Raises
    ------
    InputError
        If no bar is given, or an option belongs to none of them.
    """
    given = [bar for bar in BARS if bars.get(bar) is not None]
    if not given:
        raise InputError(f"a check must have a bar, one of {', '.join(BARS)}; got none.")
    said = {key: value for key, value in options.items() if _is_said(key, value)}
    for key in said:
        users = [bar for bar in BARS if key in _BELONGS[bar]]
        if key != "confidence" and not set(users) & set(given):
            raise InputError(
                f"{key} must go with {' or '.join(users)}; got it with {', '.join(given)}."
            )
    made = []
    for bar in given:
        own = {key: said[key] for key in ("confidence", *_BELONGS[bar]) if key in said}
        limit = own.pop("by", DEFAULTS["by"]) if bar == "not_worse_than" else bars[bar]
        old = bars[bar] if bar == "not_worse_than" else None
        made.append(Requirement(bar, limit, name, old, old_name, **own))
    return made


def _is_said(key: str, value: object) -> bool:
    """Return whether an option differs from its default; a mix may be a frame."""
    if value is None or (key == "where" and not value):
        return False
    return not isinstance(value, str | float | int) or value != DEFAULTS[key]


def _hint(number: float) -> str:
    return f" Write {number:g}% as {number / 100.0:g}." if 1.0 < number <= 100.0 else ""


def _listed(value: object) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
