"""The accuracy surface: what may be asked of the arms' values (``arm_values``).

Notation: A listed arms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.arm_values import COLUMNS, STATUSES, ArmValues
from accuracy_assay.domain.averages import (
    Draws,
    Estimate,
    JointArms,
    Mix,
    Target,
    about_words,
    arm_mass,
    average,
    averages_by,
    target_of,
)
from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.drawn_arms import DrawnArms
from accuracy_assay.domain.factored_arms import FactoredArms, OtherOverall
from accuracy_assay.domain.group_contrasts import (
    Extreme,
    GroupAccuracies,
    GroupContrast,
    GroupMethod,
)
from accuracy_assay.domain.importance import Importances, rank_attributes
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.renderers import render
from accuracy_assay.domain.sized_arms import SizedArms
from accuracy_assay.domain.slices import WeakSlices, find_weak_slices
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files import surface_file
from accuracy_assay.files.frame_kind import Frame, as_kind
from accuracy_assay.files.tables import Rows
from accuracy_assay.numerics.intervals.rate_behind import rate_ends
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["STATUSES", "AccuracySurface", "Estimate"]


@dataclass(frozen=True, eq=False, repr=False)
class AccuracySurface(ArmValues):
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
        Joint posterior draws, shape (S, A), or a function that makes them when they are first
        needed; None when arms are independent.
    details
        JSON values that say how the surface was made.
    memory
        What an estimator left for its next fit or for a strategy. Never saved, never compared.
    joint
        What knows averages over arms without draws; by default they come from the draws.
    frames
        What tables are returned as: ``pandas`` or ``pyarrow`` if the rows came so, else
        ``polars``. A file does not keep it.
    other
        Mean, both ends and deviation of the overall accuracy for the other target, as a file has
        them; by default ``joint`` is asked.
    """

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
        draws: Draws | Callable[[], Draws] | None = None,
        details: Mapping[str, Any] | None = None,
        memory: object = None,
        joint: JointArms | None = None,
    ) -> AccuracySurface:
        """Build a surface over the listed arms of ``observations`` from posterior summaries."""
        arms = observations.support.listed_arms
        counts = observations.per_arm().on(arms)

        def column(values: npt.ArrayLike) -> FloatArray:
            return np.array(np.broadcast_to(np.asarray(values, dtype=np.float64), arms.shape))

        # A posterior that is skewed enough has its mean beyond the quantiles; the interval is
        # stretched to hold it.
        middle = np.clip(column(mean), 0.0, 1.0)
        return cls(
            observations.space,
            arms,
            counts.n,
            counts.correct,
            observations.support.size_of(arms),
            middle,
            column(sd),
            np.minimum(np.clip(column(lower), 0.0, 1.0), middle),
            np.maximum(np.clip(column(upper), 0.0, 1.0), middle),
            level,
            draws,
            details or {},
            memory,
            joint,
        )

    @property
    def overall(self) -> Estimate:
        """Accuracy over the pool as it is."""
        return average(self, np.arange(self.arms.size), self.support)

    @property
    def target(self) -> Target:
        """What the numbers are about: ``pool``, its own rows; ``population``, rows like them."""
        return target_of(self)

    @property
    def about(self) -> str:
        """What the numbers are about, in words."""
        return about_words(self.target, float(self.support.sum()))

    @cached_property
    def other_overall(self) -> Estimate | None:
        """Overall accuracy of what the surface is not about, None if it is not known.

        On a surface of the pool's own rows this is the accuracy of rows like them, and the other
        way round. The two differ where many of the rows are labelled.
        """
        known = self.other
        if known is None and self.joint is not None:
            known = self.joint.other_overall(self.level)
        if known is None:
            return None
        mean, lower, upper, sd = known
        other: Target = "population" if self.target == "pool" else "pool"
        rows = float(self.support.sum())
        return Estimate(mean, sd, lower, upper, self.level, self.n_labels, rows, other)

    def worst(self, count: int = 20, by: Literal["upper", "mean"] = "upper") -> Frame:
        """Return the ``count`` worst arms of the pool, worst first, as rows of `to_frame`.

        Parameters
        ----------
        count
            Number of arms.
        by
            ``upper``: the most surely bad arms come first, by the upper end of the rate behind an
            arm. In an arm of the pool that is more than the interval of its own rows: a few rows
            are all wrong by chance, so a small arm must be far worse than a large one to stand
            before it. ``mean``: the lowest mean comes first, however little is known of the arm
            and however small it is. Equal arms are ordered by mean, then as they are listed.
            Either way arms with fewer than five pool rows come after all others. Of rates of
            errors the highest lower end, or the highest mean, comes first.

        Raises
        ------
        UnknownNameError
            If ``by`` is neither.
        """
        return as_kind(self.rows_at(self.worst_first(by)[:count]), self.frames)

    def best(self, count: int = 20, by: Literal["lower", "mean"] = "lower") -> Frame:
        """Return the ``count`` best arms of the pool, best first, as rows of `to_frame`.

        By default the most surely good come first, by the lower end of the rate behind an arm; by
        ``mean`` the highest mean does. Otherwise the order is as in `worst`.
        """
        return as_kind(self.rows_at(self.best_first(by)[:count]), self.frames)

    def best_first(self, by: Literal["lower", "mean"] = "lower") -> IntArray:
        """Return positions in ``arms`` of all arms of the pool, in the order of `best`."""
        if by not in ("lower", "mean"):
            raise UnknownNameError("by", by, ("lower", "mean"))
        low, high = self._rate_ends
        if self.is_error:
            return self._ranked(high if by == "lower" else self.mean, self.mean)
        return self._ranked(-(low if by == "lower" else self.mean), -self.mean)

    def worst_first(self, by: Literal["upper", "mean"] = "upper") -> IntArray:
        """Return positions in ``arms`` of all arms of the pool, in the order of `worst`."""
        if by not in ("upper", "mean"):
            raise UnknownNameError("by", by, ("upper", "mean"))
        low, high = self._rate_ends
        if self.is_error:  # the worst are the highest: the most surely bad has the highest low end
            return self._ranked(-(low if by == "upper" else self.mean), -self.mean)
        return self._ranked(high if by == "upper" else self.mean, self.mean)

    @cached_property
    def _rate_ends(self) -> tuple[FloatArray, FloatArray]:
        """What arms are ranked by: the interval of the rate behind each, on any growing scale."""
        if self.details.get("target") != "pool":
            return self.lower, self.upper
        return rate_ends(self.mean, self.sd, self.support, self.level)

    def at(self, **where: object) -> Estimate:
        """Return the accuracy of the arms with the given attribute values.

        Naming every attribute gives one arm; naming fewer gives the average over the pool rows
        that have these values.

        Examples
        --------
        ``surface.at(sex="Female", age_band=["60s", "70s"])``
        """
        return self.average(self.weights(where=where))

    def marginal(
        self, *names: str, where: Mapping[str, object] | None = None, mix: Mix = None
    ) -> Frame:
        """Return the accuracy for each value of one attribute, or each combination of several.

        Parameters
        ----------
        names
            The attributes.
        where
            Attribute values as in `at`: only arms that have them are averaged.
        mix
            What the arms are weighted by: their pool rows by default; ``"equal"`` for every arm of
            the pool equally; or a client's own mix as in `under`.

        Returns
        -------
        polars.DataFrame, or a pandas frame or a PyArrow table if the rows were one
            The attributes, then n, support, mean, sd, lower, upper; one row per combination that
            the pool or the mix has.

        Examples
        --------
        ``surface.marginal("age_band", "sex", where={"region": "north"}, mix="equal")``
        """
        return as_kind(averages_by(self, names, self.mass(where, mix)), self.frames)

    def under(self, mix: Rows) -> Estimate:
        """Return the expected accuracy under a client's own attribute mix.

        Parameters
        ----------
        mix
            A table with some of the attribute columns: one row per instance, or one row per
            combination with a column ``weight``. Attributes it leaves out keep the pool's own
            composition.

        Raises
        ------
        InputError
            If it names no attribute, an unlisted combination, or a negative weight.
        """
        return self.average(self.weights(mix=mix))

    def weights(
        self, where: Mapping[str, object] | None = None, mix: Rows | None = None
    ) -> FloatArray:
        """Return the share of each listed arm in a question, shape (A,), summing to one.

        Parameters
        ----------
        where
            Attribute values as in `at`.
        mix
            A client's own attribute mix as in `under`; not beside ``where``. With neither the
            question is the pool as it is.

        Raises
        ------
        InputError
            If both are given, or the surface does not have what they name.
        """
        if where and mix is not None:
            raise InputError(
                f"a question must have conditions or a mix, not both; got {dict(where)} and a "
                "mix. Filter the mix instead."
            )
        weight = self.mass(mix=mix)
        if where:
            is_match = self.space.matches(self.arms, where)
            if not is_match.any():
                raise InputError(
                    f"at(...) must name a listed arm; got {dict(where)!r}, which no pool row has."
                )
            weight = np.where(is_match, weight, 0.0)
            weight = weight if weight.sum() > 0.0 else is_match.astype(np.float64)
        if not weight.sum() > 0.0:
            weight = np.ones(self.arms.size)
        return np.asarray(weight / weight.sum())

    def mass(self, where: Mapping[str, object] | None = None, mix: Mix = None) -> FloatArray:
        """Return how much each listed arm counts under conditions and a mix, shape (A,).

        Arms that are left out count for nothing; where all are, so does the whole.
        """
        return arm_mass(self, where, mix)

    def slices(self, below: float | None = None, **options: Any) -> WeakSlices:
        """Return the parts of the space that are clearly weaker than the whole.

        Parameters
        ----------
        below
            Accuracy below which a slice is weak; by default the overall accuracy minus a margin.
        **options
            ``margin``, ``order``, ``fdr`` and ``least_rows`` as in `find_weak_slices`.

        Examples
        --------
        ``surface.slices(below=0.7, order=2).to_frame()``
        """
        if below is None and not options:
            return self._usual_slices
        return replace(find_weak_slices(self, below, **options), frames=self.frames)

    def attributes(self) -> Importances:
        """Return attributes and pairs ranked by the share of the variance that they explain."""
        return replace(rank_attributes(self), frames=self.frames)

    def by_group(self, *names: str, **asked: Any) -> Frame:
        """Return `marginal` under the name that fairlearn has for it."""
        return self.marginal(*names, **asked)

    def difference(
        self, *names: str, method: GroupMethod = "between_groups", **asked: Any
    ) -> GroupContrast:
        """Return the largest difference between groups; ``asked`` is ``where`` and ``mix``."""
        return GroupAccuracies.of(self, names, **asked).difference(method)

    def ratio(
        self, *names: str, method: GroupMethod = "between_groups", **asked: Any
    ) -> GroupContrast:
        """Return the smallest ratio between groups; ``asked`` is ``where`` and ``mix``."""
        return GroupAccuracies.of(self, names, **asked).ratio(method)

    def group_min(self, *names: str, **asked: Any) -> Extreme:
        """Return the group of the lowest accuracy; ``asked`` is ``where`` and ``mix``."""
        return GroupAccuracies.of(self, names, **asked).smallest()

    def group_max(self, *names: str, **asked: Any) -> Extreme:
        """Return the group of the highest accuracy; ``asked`` is ``where`` and ``mix``."""
        return GroupAccuracies.of(self, names, **asked).largest()

    def average(self, weight: FloatArray) -> Estimate:
        """Return the accuracy of an average of the listed arms with weights, shape (A,)."""
        if weight.shape != self.arms.shape:
            raise InputError(f"weight must have shape {self.arms.shape}; got {weight.shape}.")
        return average(self, np.arange(self.arms.size), weight)

    def save(self, path: str | Path) -> None:
        """Write the surface to a file; ``docs/surface-format.md`` describes it."""
        other = self.other_overall
        header = {
            "level": self.level,
            "attributes": self.space.to_json(),
            "details": dict(self.details),
            "other_overall": other and [other.mean, other.lower, other.upper, other.sd],
        }
        arms = pl.DataFrame({"arm": self.arms} | {name: getattr(self, name) for name in COLUMNS})
        joint = None if self.joint is None else self.joint.factored()
        factors = None if joint is None else (joint.F, joint.terms)
        sizes = self.joint.sizes if isinstance(self.joint, SizedArms) else None
        doubt = None if self.joint is None else self.joint.doubt
        others = None if doubt is None else (doubt.shift, doubt.size)
        surface_file.write(Path(path), header, arms, self.joint_draws, factors, sizes, others)

    @classmethod
    def load(cls, path: str | Path) -> AccuracySurface:
        """Read a surface that ``save`` wrote.

        Raises
        ------
        InputError
            If the file isn't a surface, is damaged, unpacks to far more than its size, or holds
            what no surface can: arms outside the space, a mean outside its interval and the like.
        """
        header, arms, draws, factors, sizes, others = surface_file.read(
            Path(path), ("arm", *COLUMNS)
        )
        with surface_file.refusing_damage(Path(path)):
            space = AttributeSpace.from_json(header["attributes"])
            columns: dict[str, Any] = {
                c: arms.get_column(c).cast(pl.Float64).to_numpy().copy() for c in COLUMNS
            }
            index = arms.get_column("arm").cast(pl.Int64).to_numpy().copy()
            level, details = float(header["level"]), dict(header["details"])
            found = header.get("other_overall")
            other = None if found is None else cast(OtherOverall, tuple(map(float, found)))
            kept: dict[str, Any] = {"level": level, "details": details, "other": other}
            surface = cls(space, index, **columns, **kept, draws=draws)
            if sizes is not None and draws is not None:
                joint = SizedArms(surface.mean, surface.support, draws, sizes)
                return replace(surface, joint=joint)
            doubt = None if others is None else Doubt(*others)
            if factors is None and draws is not None and doubt is not None:
                drawn = DrawnArms(surface.mean, surface.support, draws, doubt)
                return replace(surface, joint=drawn)
            if factors is None or draws is None:
                return surface
            factored = FactoredArms(surface.mean, *factors, draws, surface.support, doubt)
            return replace(surface, joint=factored)

    def report(
        self, path: str | Path, title: str | None = None, *, figures: str | Path | None = None
    ) -> Path:
        """Write the surface as an HTML page that needs no network, and return its path.

        Parameters
        ----------
        path
            The page to write.
        title
            Headline; the file's name by default.
        figures
            Folder for each figure as PNG and PDF; none are written by default.
        """
        written: Path = render("report", self, path, title, figures)
        return written

    def card(self, model: str, *, task: str | None = None, dataset: str | None = None) -> str:
        """Return a section for a model card: Markdown under ``model-index`` metadata.

        Parameters
        ----------
        model
            Name of the model.
        task, dataset
            Kind of task as the Hugging Face Hub names it, and name of the pool.
        """
        return str(render("card", self, model, task, dataset))

    def log_to_mlflow(self, title: str = "surface", *, step: int | None = None) -> str:
        """Log the surface to an MLflow run, the active one or one of its own; return its id."""
        return str(render("mlflow", self, title, step=step))

    def log_to_wandb(
        self, title: str = "surface", *, run: Any = None, step: int | None = None
    ) -> str:
        """Log the surface to a W&B run, the active one or one of its own; return its id."""
        return str(render("wandb", self, title, run=run, step=step))

    def picture(
        self,
        path: str | Path,
        title: str | None = None,
        *,
        by: tuple[str, str] | None = None,
    ) -> Path:
        """Draw the surface and return the path: PNG, PDF or SVG by the file's name.

        Left, accuracy by two attributes; right, the weak slices.

        Parameters
        ----------
        path
            The picture to write.
        title
            Headline; the verdict by default.
        by
            Attributes of the rows and of the columns; by default the two whose values differ
            most.
        """
        written: Path = render("picture", self, path, title, by)
        return written

    def __str__(self) -> str:
        """Return the verdict in two sentences, the overall accuracy, and the weak slices."""
        return str(render("text", self))

    def __repr__(self) -> str:
        attributes = " x ".join(map(visible_text, self.space.names))
        return (
            f"<AccuracySurface of {attributes}: {self.arms.size:,} arms, {self.label_count}, "
            f"{visible_text(self.measure)} {self._pool_mean:.1%} {self.about}>"
        )

    def _repr_html_(self) -> str:
        """Return the surface for a notebook: the whole, five slices, and a small heat map."""
        return str(render("notebook", self))

    @cached_property
    def _usual_slices(self) -> WeakSlices:
        """The weak slices that every output shows; the search may take seconds."""
        return replace(find_weak_slices(self), frames=self.frames)

    @property
    def _pool_mean(self) -> float:
        """Mean accuracy over the pool, without the draws that its interval would need."""
        weight = self.support if self.support.sum() > 0.0 else np.ones(self.arms.size)
        return float(weight @ self.mean / weight.sum()) if self.arms.size else float("nan")

    def with_details(self, **more: Any) -> AccuracySurface:
        """Return the surface with more details of how it was made; draws are made only once."""
        draws = (lambda: cast(Draws, self.joint_draws)) if callable(self.draws) else self.draws
        return replace(self, draws=draws, details={**self.details, **more})

    def forget(self) -> AccuracySurface:
        """Return the surface without what its estimator left for a next fit."""
        return replace(self, memory=None)

    def _ranked(self, first: FloatArray, second: FloatArray) -> IntArray:
        """Return positions of the pool's arms by two increasing keys; arms of few rows last."""
        order = np.lexsort((second, first, self.support < LEAST_ACTIVE_ROWS))
        return order[self.support[order] > 0.0]
