"""What the answers of many services to a pool say before any label, for a joint fit.

Notation: N rows of which the first n_pool are the pool's, k services, n labelled rows, A listed
arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.errors import UnknownNameError
from accuracy_assay.numerics.consensus import consensus
from accuracy_assay.protocols import Estimator, MeanScoreEstimator
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.compare.joint_draws import RowAnswers
from accuracy_assay.study.compare.joint_fit import KnownRows

__all__ = ["CONSENSUS", "JointAnswers", "are_enough", "are_fitted_together", "family_codes"]

CONSENSUS = "how probable the services make one another's answers"
"""Name of the signal that the answers make for the mean score of all services."""
_MOST_TOLD_APART = 4
"""Most services that judge one another by name: with three referees each pattern of who agrees is
a stratum (``domain.referees``). Decision 14 has the errors on both sides."""
_MOST_COUNTS = 40
"""Most classes of how many services agree, above which a class has about as few rows as labels
can tell apart."""


def are_fitted_together(estimator: Estimator, n_services: int, *, are_known: bool) -> bool:
    """Return whether services that the same labels scored are fitted together."""
    is_able = isinstance(estimator, MeanScoreEstimator)
    return is_able and are_enough(n_services, are_known=are_known)


def are_enough(n_services: int, *, are_known: bool) -> bool:
    """Return whether services are enough to be fitted together.

    They are if only scores are known, or if services are many. Up to four whose answers are known
    are fitted one by one: then who agrees with whom says more than what all have in common.
    """
    return n_services > (_MOST_TOLD_APART if are_known else 1)


def family_codes(names: Sequence[str], families: Mapping[str, str]) -> tuple[int, ...]:
    """Return a number for each service, the same for those of one family.

    Examples
    --------
    >>> family_codes(["a", "b", "c"], {"a": "x", "c": "x"})
    (0, 2, 0)
    """
    for name in families:
        if name not in names:
            raise UnknownNameError("service of families", name, list(names))
    known = {family: i for i, family in enumerate(sorted(set(families.values())))}
    return tuple(
        known[families[name]] if name in families else len(known) + i
        for i, name in enumerate(names)
    )


@dataclass(frozen=True, eq=False)
class JointAnswers:
    """The answers of all services to all rows.

    Parameters
    ----------
    codes
        Equal for two services where their answers are, (N, k); see ``study.compare.answers``.
    n_pool
        Rows of the pool, which come first.
    families
        As `family_codes` returns them.
    """

    codes: IntArray
    n_pool: int
    families: tuple[int, ...]

    @cached_property
    def expected(self) -> FloatArray:
        """How probable the other services make each answer, (N, k)."""
        return consensus(self.codes, self.families, self.n_pool)

    @cached_property
    def is_contested(self) -> BoolArray:
        """Whether services differ on each row, (N,)."""
        return np.asarray((self.codes != self.codes[:, :1]).any(axis=1))

    @property
    def signal(self) -> FloatArray:
        """What the answers say of the mean score of each row, (N,)."""
        return np.asarray(self.expected.mean(axis=1))

    def agreeing(self, service: int) -> pl.Series:
        """Return how many services of other families give a service's answer, (N,), as a signal.

        More than a few dozen are counted in classes of equal width.
        """
        others = np.asarray(self.families) != self.families[service]
        same = (self.codes[:, others] == self.codes[:, [service]]).sum(axis=1)
        n_others = int(others.sum())
        most = min(n_others, _MOST_COUNTS)
        texts = [f"{count} of {most} agree" for count in range(most + 1)]
        codes = (same * most + n_others // 2) // max(n_others, 1)
        return pl.Series(texts, dtype=pl.Enum(texts)).gather(codes).alias(REFEREES)

    def known(self, labelled: IntArray, pool_arm: IntArray, n_arms: int) -> KnownRows:
        """Return what answers say about labelled rows (n,) and about the pool's arms."""
        at = np.flatnonzero(self.is_contested[: self.n_pool])
        total = np.zeros((n_arms, self.codes.shape[1]))
        np.add.at(total, pool_arm[at], self.expected[at])
        count = np.bincount(pool_arm[at], minlength=n_arms).astype(np.float64)
        return KnownRows(self.is_contested[labelled], self.expected[labelled], count, total)

    def rows(
        self, labelled: IntArray, arm: IntArray, scores: FloatArray, pool_arm: IntArray
    ) -> RowAnswers:
        """Return the answers that bound how far services differ over the pool."""
        return RowAnswers(arm, self.codes[labelled], scores, pool_arm, self.codes[: self.n_pool])
