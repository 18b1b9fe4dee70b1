"""The accuracy surface: for each arm a mean, an interval and what they rest on.

Notation: A listed arms; ``mean``, ``sd``, ``lower``, ``upper`` (A,) describe the posterior of the
arm's accuracy; ``draws`` (S, A), where an estimator gives them, are joint posterior draws, from
which averages over several arms take their uncertainty. Without draws arms are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay import surface_file
from accuracy_assay.errors import InputError
from accuracy_assay.observations import Observations
from accuracy_assay.space import Attribute, AttributeSpace
from accuracy_assay.tables import Rows, read_table, require_columns

__all__ = ["STATUSES", "AccuracySurface", "Estimate"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

STATUSES = ("estimated", "insufficient evidence", "not in pool")
_WIDEST_ESTIMATE = 0.5
_COLUMNS = ("n", "correct", "support", "mean", "sd", "lower", "upper")


@dataclass(frozen=True, slots=True)
class Estimate:
    """The accuracy of one arm or of an average of arms, with its central interval."""

    mean: float
    sd: float
    lower: float
    upper: float
    level: float
    n: float
    support: float

    def __str__(self) -> str:
        return (
            f"{self.mean:.3f} ({self.level:.0%} interval {self.lower:.3f} to {self.upper:.3f}; "
            f"{self.n:g} labels, {self.support:g} pool rows)"
        )


@dataclass(frozen=True)
class AccuracySurface:
    """Accuracy of a service over attribute combinations.

    Parameters
    ----------
    space
        The attribute space.
    arms
        Listed arms in increasing order, shape (A,).
    n, correct, support
        Labels, their summed agreement and pool rows of each arm, shape (A,).
    mean, sd, lower, upper
        Posterior mean, standard deviation and central interval of each arm's accuracy, (A,).
    level
        Probability of the interval.
    draws
        Joint posterior draws, shape (S, A), or None when arms are independent.
    details
        JSON values that say how the surface was made.
    memory
        What an estimator left for its next fit or for a strategy. Never saved, never compared.
    """

    space: AttributeSpace
    arms: IntArray
    n: FloatArray
    correct: FloatArray
    support: FloatArray
    mean: FloatArray
    sd: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float = 0.9
    draws: npt.NDArray[np.float32] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    memory: object = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            array = getattr(self, name)
            if array.shape != self.arms.shape:
                raise InputError(f"{name} must have shape {self.arms.shape}; got {array.shape}.")
            if not np.isfinite(array).all():
                raise InputError(f"{name} must be finite; got {array[~np.isfinite(array)][0]}.")
            array.setflags(write=False)
        for name in ("mean", "lower", "upper"):
            array = getattr(self, name)
            if array.size and (array.min() < 0.0 or array.max() > 1.0):
                raise InputError(
                    f"{name} must lie in [0, 1]; got {array.min():g} to {array.max():g}."
                )
        self.arms.setflags(write=False)

    @classmethod
    def build(
        cls,
        observations: Observations,
        *,
        mean: npt.ArrayLike,
        sd: npt.ArrayLike,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        level: float = 0.9,
        draws: npt.NDArray[np.float32] | None = None,
        details: Mapping[str, Any] | None = None,
        memory: object = None,
    ) -> AccuracySurface:
        """Build a surface over the listed arms of ``observations`` from posterior summaries."""
        arms = observations.support.listed_arms
        counts = observations.per_arm().on(arms)

        def column(values: npt.ArrayLike) -> FloatArray:
            return np.array(np.broadcast_to(np.asarray(values, dtype=np.float64), arms.shape))

        return cls(
            observations.space,
            arms,
            counts.n,
            counts.correct,
            observations.support.size_of(arms),
            np.clip(column(mean), 0.0, 1.0),
            column(sd),
            np.clip(column(lower), 0.0, 1.0),
            np.clip(column(upper), 0.0, 1.0),
            level,
            draws,
            details or {},
            memory,
        )

    @property
    def status(self) -> IntArray:
        """Index into ``STATUSES`` for each arm.

        An arm with no pool row is "not in pool"; one whose interval is wider than 0.5 has
        "insufficient evidence"; any other is "estimated".
        """
        vague = (self.upper - self.lower > _WIDEST_ESTIMATE).astype(np.int64)
        return np.where(self.support > 0.0, vague, 2)

    @property
    def n_labels(self) -> float:
        """Number of labels behind the surface."""
        return float(self.n.sum())

    @property
    def overall(self) -> Estimate:
        """Accuracy over the pool as it is."""
        return self._average(self._pool_weights(np.ones(self.arms.size, dtype=bool)))

    def to_frame(self) -> pl.DataFrame:
        """Return one row per listed arm.

        Columns: the attributes, then n, correct, support, mean, sd, lower, upper, status.
        """
        numbers = {name: getattr(self, name) for name in _COLUMNS}
        status = pl.Series("status", list(STATUSES)).gather(self.status)
        return self.space.frame(self.arms).with_columns(
            *(pl.Series(name, values) for name, values in numbers.items()), status
        )

    def worst(self, count: int = 20) -> pl.DataFrame:
        """Return the ``count`` arms of the pool with the lowest mean."""
        return self._in_pool().sort("mean", maintain_order=True).head(count)

    def best(self, count: int = 20) -> pl.DataFrame:
        """Return the ``count`` arms of the pool with the highest mean."""
        return self._in_pool().sort("mean", descending=True, maintain_order=True).head(count)

    def at(self, **where: object) -> Estimate:
        """Return the accuracy of the arms with the given attribute values.

        Naming every attribute gives one arm; naming fewer gives the average over the pool rows
        that have these values.

        Examples
        --------
        ``surface.at(sex="Female", age_band=["60s", "70s"])``
        """
        keep = self.space.matches(self.arms, where)
        if not keep.any():
            raise InputError(
                f"at(...) must name a listed arm; got {where!r}, which no pool row has."
            )
        return self._average(self._pool_weights(keep))

    def marginal(self, *names: str) -> pl.DataFrame:
        """Return the accuracy for each value of one attribute, or each combination of several.

        Averages are over the pool rows with that value.
        """
        part = AttributeSpace(tuple(self.space.attribute(name) for name in names))
        columns = [self.space.names.index(name) for name in names]
        group = part.arm_index(self.space.codes(self.arms)[:, columns])
        occupied = np.unique(group[self.support > 0.0])
        rows = [self._average(self._pool_weights(group == g)) for g in occupied]
        fields = ("n", "support", "mean", "sd", "lower", "upper")
        return part.frame(occupied).with_columns(
            pl.Series(f, [getattr(row, f) for row in rows], dtype=pl.Float64) for f in fields
        )

    def under(self, mix: Rows) -> Estimate:
        """Return the expected accuracy under a client's own attribute mix.

        Parameters
        ----------
        mix
            A table with some of the attribute columns: one row per instance, or one row per
            combination with a column ``weight``. Attributes it leaves out keep the pool's own
            composition.
        """
        frame = read_table(mix, what="mix")
        names = [name for name in self.space.names if name in frame.columns]
        if not names:
            require_columns(frame, self.space.names, what="mix")
        weight = (
            frame.get_column("weight").cast(pl.Float64).to_numpy()
            if "weight" in frame.columns
            else np.ones(frame.height)
        )
        if not (np.isfinite(weight).all() and (weight >= 0.0).all() and weight.sum() > 0.0):
            raise InputError(
                "weights of mix must be finite, at least 0 and not all 0; got "
                f"{weight.min()} to {weight.max()}."
            )
        part = AttributeSpace(tuple(self.space.attribute(name) for name in names))
        wanted, inverse = np.unique(part.arm_index(part.encode(frame)), return_inverse=True)
        wanted_weight = np.bincount(inverse, weights=weight)
        columns = [self.space.names.index(name) for name in names]
        group = part.arm_index(self.space.codes(self.arms)[:, columns])
        total = np.zeros(self.arms.size)
        for g, w in zip(wanted, wanted_weight, strict=True):
            if not (group == g).any():
                raise InputError(f"mix must use listed arms; got {part.describe(int(g))!r}.")
            total += w * self._pool_weights(group == g)
        return self._average(total / total.sum())

    def save(self, path: str | Path) -> None:
        """Write the surface to a file; ``docs/surface-format.md`` describes it."""
        attributes = [
            {"name": a.name, "kind": a.kind, "values": list(a.values), "edges": a.edges}
            for a in self.space.attributes
        ]
        header = {"level": self.level, "attributes": attributes, "details": dict(self.details)}
        arms = pl.DataFrame({"arm": self.arms} | {name: getattr(self, name) for name in _COLUMNS})
        surface_file.write(Path(path), header, arms, self.draws)

    @classmethod
    def load(cls, path: str | Path) -> AccuracySurface:
        """Read a surface that ``save`` wrote."""
        header, arms, draws = surface_file.read(Path(path))
        space = AttributeSpace(
            tuple(
                Attribute(
                    a["name"],
                    () if a["edges"] else tuple(a["values"]),
                    a["kind"],
                    tuple(a["edges"]) if a["edges"] else None,
                )
                for a in header["attributes"]
            )
        )
        columns: dict[str, Any] = {c: arms.get_column(c).to_numpy().copy() for c in _COLUMNS}
        return cls(
            space,
            arms.get_column("arm").to_numpy().copy(),
            **columns,
            level=float(header["level"]),
            draws=draws,
            details=header["details"],
        )

    def forget(self) -> AccuracySurface:
        """Return the surface without what its estimator left for a next fit."""
        return replace(self, memory=None)

    def _in_pool(self) -> pl.DataFrame:
        return self.to_frame().filter(pl.col("status") != STATUSES[2])

    def _pool_weights(self, keep: npt.NDArray[np.bool_]) -> FloatArray:
        """Weights of the kept arms by pool size; equal ones where the pool has none of them."""
        weight = np.where(keep, self.support, 0.0)
        weight = weight if weight.sum() > 0.0 else keep.astype(np.float64)
        return np.asarray(weight / weight.sum(), dtype=np.float64)

    def _average(self, weight: FloatArray) -> Estimate:
        used = weight > 0.0
        if used.sum() == 1:
            i = int(np.flatnonzero(used)[0])
            lower, upper, sd = float(self.lower[i]), float(self.upper[i]), float(self.sd[i])
            mean = float(self.mean[i])
        else:
            mean = float(weight @ self.mean)
            lower, upper, sd = self._average_interval(weight, used, mean)
        return Estimate(
            mean,
            sd,
            lower,
            upper,
            self.level,
            float(self.n[used].sum()),
            float(self.support[used].sum()),
        )

    def _average_interval(
        self, weight: FloatArray, used: npt.NDArray[np.bool_], mean: float
    ) -> tuple[float, float, float]:
        from statistics import NormalDist

        if self.draws is None:
            sd = float(np.sqrt(np.sum((weight * self.sd) ** 2)))
            reach = NormalDist().inv_cdf(0.5 + self.level / 2.0) * sd
            return max(mean - reach, 0.0), min(mean + reach, 1.0), sd
        average = self.draws[:, used].astype(np.float64) @ weight[used]
        average += mean - average.mean()
        tail = (1.0 - self.level) / 2.0
        lower, upper = np.quantile(average, [tail, 1.0 - tail])
        return max(float(lower), 0.0), min(float(upper), 1.0), float(average.std())
