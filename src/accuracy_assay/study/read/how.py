"""How tables are read and a surface is fitted to them, besides what their columns mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.files.frame_kind import FrameKind
from accuracy_assay.files.parquet_rows import OnShare
from accuracy_assay.files.tables import Rows
from accuracy_assay.protocols import Estimator
from accuracy_assay.registry import CalibratorChoice, EstimatorChoice, build_estimator
from accuracy_assay.runtime.engine import LOCAL, Engine
from accuracy_assay.runtime.engine import engine as find_engine
from accuracy_assay.runtime.whole_number import whole_number

__all__ = ["How", "Target", "check_target"]

Target = Literal["pool", "population"]


def check_target(target: str | None) -> None:
    """Raise an error unless ``target`` is None or one of the two."""
    if target is not None and target not in get_args(Target):
        raise UnknownNameError("target", target, get_args(Target))


@dataclass(frozen=True)
class How:
    """The methods and settings of one fit; the fields are arguments of ``estimate``.

    ``frames`` is what the surface returns tables as.
    """

    estimator: Estimator
    calibration: CalibratorChoice = "full"
    seed: int = 0
    target: Target | None = None
    prior_strength: float = 0.1
    engine: Engine = LOCAL
    on_share: OnShare | None = None
    frames: FrameKind = "polars"

    @classmethod
    def of(cls, estimator: EstimatorChoice = "anova-gp", **given: Any) -> How:
        """Return the settings of a call; a mistyped name fails here, before any work."""
        fitted_by = build_estimator(estimator)
        check_target(given.get("target"))
        if isinstance(given.get("engine"), str):
            given["engine"] = find_engine(given["engine"])
        given["seed"] = whole_number(given.get("seed", 0), "seed")
        return cls(fitted_by, **given)

    def about(self, pool: Rows) -> How:
        """Return the settings with the target of a call that was given this pool, or None.

        The one rule of what a number is about: the pool's own rows where a pool is given, else
        rows like the labelled ones. Rows without a score never decide it.
        """
        default: Target = "population" if pool is None else "pool"
        return replace(self, target=self.target or default)

    @property
    def is_pool(self) -> bool:
        """Whether accuracies are those of the pool's own rows; see `about`."""
        assert self.target is not None, "about() settles the target"
        return self.target == "pool"
