"""What a calibration is worth: log-loss and calibration error before and after, on held-out rows.

Log-loss is the mean of -log P(gold | x); ECE is the expected calibration error of the most
probable value in 10 bins (see `numerics.joint.reliability`). "Before" is for the predictors,
"after" for the calibration, "prior" for the frequencies of the values in the seed set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from accuracy_assay.numerics.joint.reliability import Reliability

__all__ = ["CalibrationReport", "CalibrationWarning", "Quality"]


class CalibrationWarning(UserWarning):
    """A weakness of predictors or seed set that makes P(a|x) less trustworthy."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Quality of the probabilities of one attribute, or of whole arms (``name`` "joint")."""

    name: str
    log_loss_before: float
    log_loss_after: float
    log_loss_prior: float
    before: Reliability
    after: Reliability

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        plain = asdict(self)
        plain["before"], plain["after"] = self.before._asdict(), self.after._asdict()
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Quality:
        """Return the value that `to_dict` described."""
        bins = {
            side: Reliability(
                tuple(plain[side]["n_rows"]),
                tuple(plain[side]["confidence"]),
                tuple(plain[side]["accuracy"]),
                plain[side]["ece"],
            )
            for side in ("before", "after")
        }
        return cls(**{**plain, **bins})


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """Quality of a calibration on the held-out part of the seed set.

    Parameters
    ----------
    method
        The fitted calibration.
    n_seed, n_held_out
        Rows of the seed set, and how many of them were held out. If none, the report is measured
        on the training rows.
    attributes
        One quality per attribute that is not exact.
    joint
        Quality of the whole attribute combination; None without a seed set.
    notes
        The warnings.
    details
        Settings and results of the fit: temperatures, width of the network, and so on.
    """

    method: str
    n_seed: int
    n_held_out: int
    attributes: tuple[Quality, ...] = ()
    joint: Quality | None = None
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_frame(self) -> pl.DataFrame:
        """Return one row per attribute and one for the joint."""
        qualities = [*self.attributes, *([self.joint] if self.joint else [])]
        schema = {
            "attribute": pl.String,
            "log_loss_before": pl.Float64,
            "log_loss_after": pl.Float64,
            "log_loss_prior": pl.Float64,
            "ece_before": pl.Float64,
            "ece_after": pl.Float64,
        }
        rows = [
            (
                q.name,
                q.log_loss_before,
                q.log_loss_after,
                q.log_loss_prior,
                q.before.ece,
                q.after.ece,
            )
            for q in qualities
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "method": self.method,
            "n_seed": self.n_seed,
            "n_held_out": self.n_held_out,
            "attributes": [q.to_dict() for q in self.attributes],
            "joint": self.joint.to_dict() if self.joint else None,
            "notes": list(self.notes),
            "details": dict(self.details),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CalibrationReport:
        """Return the report that `to_dict` described."""
        return cls(
            plain["method"],
            plain["n_seed"],
            plain["n_held_out"],
            tuple(Quality.from_dict(q) for q in plain["attributes"]),
            Quality.from_dict(plain["joint"]) if plain["joint"] else None,
            tuple(plain["notes"]),
            dict(plain["details"]),
        )
