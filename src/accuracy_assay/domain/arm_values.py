"""The values of a surface: for each arm a mean, an interval and what they rest on, all checked.

Notation: A listed arms; ``mean``, ``sd``, ``lower``, ``upper`` (A,) describe the posterior of the
arm's accuracy; ``draws`` (S, A) are joint posterior draws, if the estimator gives any. Averages
over several arms take their uncertainty from ``joint``, or from the draws; without either, arms
are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.averages import Draws, JointArms, target_of
from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.factored_arms import OtherOverall
from accuracy_assay.domain.judge_share import GradedByModel, JudgeShare
from accuracy_assay.domain.label_count import LABELS_WORTH, LabelCount
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.part_judged import PartJudged
from accuracy_assay.domain.rows_right import rows_right
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.frame_kind import Frame, FrameKind, as_kind
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["COLUMNS", "STATUSES", "ArmValues", "refuse_taken_names"]

STATUSES = ("estimated", "rests mostly on arms like it", "not in pool")
_WIDEST = 0.5
"""An arm with a wider interval counts as unknown: half of the whole range."""
_TOLD_APART = 0.1
"""Share of the arms that must have labels enough of their own for a surface to be more than one
number, unless one of them clearly differs."""
COLUMNS = ("n", "correct", "support", "mean", "sd", "lower", "upper")
_TEXTS = ("status", "in_rows")
_ROUNDING = 1e-6
"""Tolerance for sums of fractional counts and ends of intervals: far above rounding error, far
below what anybody reads."""


def refuse_taken_names(space: AttributeSpace) -> None:
    """Raise an error if an attribute has the name of another column of the surface."""
    for name in space.names:
        if name in (*COLUMNS, *_TEXTS):
            raise InputError(
                f"attribute names must differ from the surface's columns "
                f"{[*COLUMNS, *_TEXTS]}; got {name!r}. Rename that column."
            )


@dataclass(frozen=True, eq=False, repr=False)
class ArmValues:
    """The values of a surface; `AccuracySurface` documents each."""

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
    draws: Draws | Callable[[], Draws] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    memory: object = field(default=None, repr=False, compare=False)
    joint: JointArms | None = field(default=None, repr=False, compare=False)
    frames: FrameKind = field(default="polars", repr=False, compare=False)
    other: OtherOverall | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuse_taken_names(self.space)
        self._check_arms()
        for name in COLUMNS:
            array = getattr(self, name)
            if array.shape != self.arms.shape:
                raise InputError(f"{name} must have shape {self.arms.shape}; got {array.shape}.")
            self._refuse_where(~np.isfinite(array), name, "be finite")
            array.setflags(write=False)
        for name in ("mean", "lower", "upper"):
            array = getattr(self, name)
            self._refuse_where((array < 0.0) | (array > 1.0), name, "lie in [0, 1]")
        for name in ("n", "correct", "support", "sd"):
            self._refuse_where(getattr(self, name) < 0.0, name, "be at least 0")
        is_too_many = self.correct > self.n + _ROUNDING * np.maximum(self.n, 1.0)
        self._refuse_where(is_too_many, "correct", "be at most n", "n")
        self._refuse_where(self.lower > self.upper, "lower", "be at most upper", "upper")
        is_outside = (self.mean < self.lower - _ROUNDING) | (self.mean > self.upper + _ROUNDING)
        self._refuse_where(is_outside, "mean", "lie in its interval", "lower", "upper")
        if not 0.0 < self.level < 1.0:
            raise InputError(f"level must lie between 0 and 1; got {self.level}.")
        if isinstance(self.draws, np.ndarray):
            self._check_draws(self.draws)
        self.arms.setflags(write=False)

    @cached_property
    def joint_draws(self) -> Draws | None:
        """Joint posterior draws, made when first needed."""
        if not callable(self.draws):
            return self.draws
        made = self.draws()
        self._check_draws(made)
        return made

    def _check_arms(self) -> None:
        """Refuse arms that are outside the space, repeated or out of order."""
        arms = self.arms
        if arms.ndim != 1 or arms.dtype.kind not in "iu":
            raise InputError(
                f"arms must be a list of whole numbers; got {arms.dtype} of shape {arms.shape}."
            )
        if arms.size and (arms.min() < 0 or arms.max() >= self.space.n_arms):
            wrong = arms[(arms < 0) | (arms >= self.space.n_arms)][0]
            raise InputError(
                f"arms must be numbers from 0 to {self.space.n_arms - 1}; got {wrong}."
            )
        late = np.flatnonzero(arms[1:] <= arms[:-1])
        if late.size:
            before, after = arms[late[0] : late[0] + 2]
            raise InputError(f"arms must increase; got {after} after {before}.")

    def _refuse_where(
        self, is_wrong: npt.NDArray[Any], name: str, rule: str, *beside: str
    ) -> None:
        """Raise an error that names the first arm whose value breaks a rule."""
        if not is_wrong.any():
            return
        i = int(np.flatnonzero(is_wrong)[0])
        shown = [f"{getattr(self, name)[i]:g}"]
        shown += [f"{other} {getattr(self, other)[i]:g}" for other in beside]
        raise InputError(f"{name} must {rule}; got {', '.join(shown)} in arm {self.arms[i]}.")

    def _check_draws(self, draws: Draws) -> None:
        if draws.shape[1:] != self.arms.shape or not draws.shape[0]:
            raise InputError(f"draws must have shape (S, {self.arms.size}); got {draws.shape}.")
        # A NaN makes both min and max NaN, which fails the test.
        if draws.size and not (draws.min() >= 0.0 and draws.max() <= 1.0):
            raise InputError(f"draws must lie in [0, 1]; got {draws.min():g} to {draws.max():g}.")

    @cached_property
    def status(self) -> IntArray:
        """Index into ``STATUSES`` for each arm.

        An arm without pool rows is "not in pool". One whose own labels would leave an interval
        wider than half of the range "rests mostly on arms like it", however narrow its interval
        is. Any other is "estimated".
        """
        return np.where(self.support > 0.0, self._rests_on_others.astype(np.int64), 2)

    @cached_property
    def _rests_on_others(self) -> BoolArray:
        """Whether the labels of each arm alone would leave it unknown, (A,).

        They leave the interval of a Beta posterior under Jeffreys' prior (Brown, Cai and DasGupta,
        Statistical Science 2001); of the pool's own rows only those without a label are unknown.
        Labels of people who err count for what they are worth on average.
        """
        from scipy.special import betaincinv

        share, tail = self.label_count.share, (1.0 - self.level) / 2.0
        n, right = share * self.n, share * np.clip(self.correct, 0.0, self.n)
        wrong = n - right
        low, high = (betaincinv(right + 0.5, wrong + 0.5, q) for q in (tail, 1.0 - tail))
        unknown = np.ones(self.arms.shape)
        if target_of(self) == "pool":
            unknown -= np.minimum(n / np.maximum(self.support, _ROUNDING), 1.0)
        return np.asarray(unknown * (high - low) > _WIDEST)

    @cached_property
    def side(self) -> IntArray:
        """On which side of the overall accuracy each arm clearly lies, (A,): -1, 0 or 1.

        Its whole interval lies there and is no wider than half of the range; it has at least five
        pool rows.
        """
        total = float(self.support.sum())
        whole = float(self.support @ self.mean) / total if total > 0.0 else np.nan
        is_known = self.upper - self.lower <= _WIDEST
        is_known &= self.support >= LEAST_ACTIVE_ROWS
        above = (self.lower > whole).astype(np.int64) - (self.upper < whole)
        return np.where(is_known, above, 0)

    @property
    def tells_arms_apart(self) -> bool:
        """Whether the labels say more than one number for all.

        They do if an arm clearly lies above or below the whole, or if a tenth of the arms do not
        rest mostly on others: then arms may simply be alike.
        """
        is_active = self.support >= LEAST_ACTIVE_ROWS
        if is_active.sum() < 2 or self.side.any():
            return True
        return float(np.mean(self.status[is_active] == 0)) >= _TOLD_APART

    @property
    def expected_macro_mse(self) -> float | None:
        """The macro MSE that the estimator expects of itself, times 100; None if it cannot say."""
        expected = self.details.get("expected_macro_mse")
        return None if expected is None else float(expected)

    @property
    def measure(self) -> str:
        """What the numbers are: accuracy, or another measure that was estimated."""
        return str(self.details.get("measure", "accuracy"))

    @property
    def is_error(self) -> bool:
        """Whether the measure is an error rate, so that lower is better."""
        return bool(self.details.get("is_error", False))

    @property
    def missing_answers(self) -> MissingAnswers | None:
        """Rows on which the service said nothing, and what became of them; None without any."""
        return MissingAnswers.said_by(self.details)

    @property
    def label_trust(self) -> LabelTrust | None:
        """How far the labels are verified; None where they have no annotators."""
        return LabelTrust.said_by(self.details)

    @property
    def judge_share(self) -> JudgeShare | None:
        """How many scores an automatic judge gave; None where people gave all."""
        return JudgeShare.said_by(self.details)

    @property
    def graded_by_model(self) -> GradedByModel | None:
        """That a model gave all scores, without a certificate; None where people gave some."""
        return GradedByModel.said_by(self.details)

    @property
    def part_judged(self) -> PartJudged | None:
        """How many rows judges scored; None where they scored all, or there are none."""
        return PartJudged.said_by(self.details)

    @property
    def said_of_judges(self) -> tuple[str, ...]:
        """What every output must say about judges: what they decided, and what they scored."""
        known = (self.judge_share, self.graded_by_model, self.part_judged)
        return tuple(str(each) for each in known if each is not None)

    @property
    def said_of_rows(self) -> tuple[str, ...]:
        """What every output must say about the rows behind the numbers: answers and labels."""
        trust, missing = (
            () if each is None else (str(each),)
            for each in (self.label_trust, self.missing_answers)
        )
        return (*trust, *self.said_of_judges, *missing)

    @property
    def n_labels(self) -> float:
        """Number of labels behind the surface."""
        return float(self.n.sum())

    @property
    def label_count(self) -> LabelCount:
        """How many rows are labelled, and what their labels are worth."""
        return LabelCount(self.n_labels, float(self.details.get(LABELS_WORTH, self.n_labels)))

    @property
    def said_of_labels(self) -> str:
        """How many of the pool's rows are labelled, and what that is worth, in words."""
        return self.label_count.of(float(self.support.sum()))

    def to_frame(self) -> Frame:
        """Return one row per listed arm.

        Columns: the attributes, then n, correct, support, mean, sd, lower, upper, status, and
        in_rows: the interval of a small arm in rows, as "0 to 1 of 7 right (99%)" with its
        probability; null for arms of which more than 20 rows have no label.
        """
        return as_kind(self.rows_at(np.arange(self.arms.size)), self.frames)

    def rows_at(self, listed: IntArray) -> pl.DataFrame:
        """Return the arms at positions ``listed`` as a table of Polars."""
        numbers = (pl.Series(name, getattr(self, name)[listed]) for name in COLUMNS)
        status = pl.Series("status", list(STATUSES)).gather(self.status[listed])
        in_rows = pl.Series("in_rows", rows_right(self, listed), dtype=pl.String)
        return self.space.frame(self.arms[listed]).with_columns(*numbers, status, in_rows)
