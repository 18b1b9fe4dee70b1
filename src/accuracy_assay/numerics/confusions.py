"""What the rows are that a service gets wrong: draws of their classes, learned from mistakes.

An arm here is a predicted class p among rows that share their other attributes. A wrong row of it
has one of the other classes. Mistakes with a label show which; what they show is shared between
arms of the same prediction, the more the fewer attributes differ.

Notation: A arms, K classes, S draws, m kinds of labelled mistakes (arm, class, count). Arm a has
shares pi_a (K,) of its mistakes,

    pi_a ~ Dirichlet(c beta_a),  beta_ak proportional to
        sum over mistakes e of class k in other arms with the same prediction of
        (f + (1 - f) r^d(a, e)) count_e,  plus  s mu_k

with d(a, e) the number of attributes in which the arms differ, and mu the classes of all mistakes.
r, f, s and c maximise the probability of each arm's mistakes given those of the others. In a draw,
every count is replaced by a Gamma variable of that shape (the Bayesian bootstrap; Rubin, 1981), so
that arms that learn from the same mistakes err together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Mistakes", "PredictedArms", "Sharing", "draw_wrong_sizes", "learn_sharing"]

_REACH = (1.0, 0.6, 0.35, 0.15, 0.03)
_FLOOR = (0.1, 0.02)
_PSEUDO = (0.5, 2.0)
_CONCENTRATION = 2.0 ** np.arange(-1.0, 11.0)
_USUAL_CONCENTRATION, _CONCENTRATION_SPREAD = 8.0, 2.0
"""Centre and deviation, in logarithms, of the prior of c: arms with a handful of mistakes say
little about it."""
_LEAST = 1e-12
"""Shape of a Gamma variable, and sum of shares, that stands for zero."""


@dataclass(frozen=True, eq=False)
class PredictedArms:
    """Arms by predicted class.

    Parameters
    ----------
    codes
        The other attributes of each arm, (A, d).
    group
        Which combination of the other attributes that is, from 0, (A,).
    predicted
        Predicted class, (A,); ``n_classes`` for an answer that is none of them.
    n_classes
        K.
    """

    codes: IntArray
    group: IntArray
    predicted: IntArray
    n_classes: int

    @property
    def n_groups(self) -> int:
        """Number of combinations of the other attributes."""
        return int(self.group.max()) + 1 if self.group.size else 0

    def may_be(self, arms: IntArray) -> FloatArray:
        """Return 1 for each class that a wrong row of some arms can have, else 0, (a, K)."""
        may_be = self.predicted[arms, None] != np.arange(self.n_classes)
        return np.asarray(may_be, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Mistakes:
    """Labelled mistakes.

    Parameters
    ----------
    arm, label
        The arm and the class of each kind, (m,).
    count
        How many there are of each, (m,); in each draw, (m, S), if their arms are guessed.
    """

    arm: IntArray
    label: IntArray
    count: FloatArray

    def by_arm(self, n_arms: int, n_classes: int) -> FloatArray:
        """Return the counts as a table, (A, K) or (A, K, S)."""
        table = np.zeros((n_arms, n_classes, *self.count.shape[1:]))
        np.add.at(table, (self.arm, self.label), self.count)
        return table


@dataclass(frozen=True)
class Sharing:
    """r, f, s and c of the notation."""

    reach: float = 1.0
    floor: float = 1.0
    pseudo: float = 2.0
    concentration: float = _USUAL_CONCENTRATION


def learn_sharing(arms: PredictedArms, mistakes: Mistakes) -> Sharing:
    """Return what makes the mistakes of each arm most probable, given those of the others."""
    seen = np.unique(mistakes.arm)
    if seen.size < 2 or arms.n_classes < 3:
        return Sharing()
    counts = mistakes.by_arm(arms.predicted.size, arms.n_classes)[seen]
    totals = counts.sum(axis=0) + 1.0
    prior = _allowed_shares(totals[None], arms.may_be(seen))
    best, found = -np.inf, Sharing()
    for reach, floor in ((1.0, 1.0), *product(_REACH[1:], _FLOOR)):
        near = np.zeros_like(counts)
        for at, entries, weight in _neighbours(arms, mistakes, seen, reach, floor):
            table = np.zeros((entries.size, arms.n_classes))
            table[np.arange(entries.size), mistakes.label[entries]] = mistakes.count[entries]
            near[at] = weight @ table
        for pseudo in _PSEUDO:
            beta = near + pseudo * prior
            beta /= beta.sum(axis=1, keepdims=True)
            for c in _CONCENTRATION:
                away = (np.log(c) - np.log(_USUAL_CONCENTRATION)) / _CONCENTRATION_SPREAD
                value = _log_probability(counts, c * beta) - 0.5 * away**2
                if value > best:
                    best, found = value, Sharing(reach, floor, pseudo, float(c))
    return found


def draw_wrong_sizes(
    arms: PredictedArms,
    mistakes: Mistakes,
    sharing: Sharing,
    unknown: FloatArray,
    rng: np.random.Generator,
    *,
    are_rows: bool,
) -> FloatArray:
    """Draw how many wrong rows of each group have each class, (S, groups, K).

    Parameters
    ----------
    unknown
        Wrong rows of each arm whose class nobody knows, in each draw, (S, A).
    are_rows
        Whether these are whole rows, each of one class, or a mass that is divided by the shares.
    """
    n_draws, n_classes = unknown.shape[0], arms.n_classes
    count = mistakes.count if mistakes.count.ndim == 2 else mistakes.count[:, None]
    drawn = rng.gamma(np.maximum(count, _LEAST), size=(mistakes.arm.size, n_draws))
    totals = rng.gamma(1.0, size=(n_classes, n_draws))
    np.add.at(totals, mistakes.label, drawn)
    sizes = np.zeros((n_draws, arms.n_groups, n_classes))
    every = np.arange(arms.predicted.size)
    for at, entries, weight in _neighbours(arms, mistakes, every, sharing.reach, sharing.floor):
        may_be = arms.may_be(at[:1])[0]  # all have one predicted class
        beta = np.zeros((n_classes, at.size, n_draws))
        for k in np.unique(mistakes.label[entries]):
            of_class = mistakes.label[entries] == k
            beta[k] = weight[:, of_class] @ drawn[entries[of_class]]
        prior = _allowed_shares(totals.T, may_be[None]).T
        beta += rng.gamma(np.maximum(sharing.pseudo * prior, _LEAST))[:, None]
        beta *= may_be[:, None, None]
        beta /= np.maximum(beta.sum(axis=0), _LEAST)
        known = np.zeros((n_classes, at.size, count.shape[1]))
        np.add.at(
            known,
            (mistakes.label[entries], np.searchsorted(at, mistakes.arm[entries])),
            count[entries],
        )
        shape = sharing.concentration * beta + known
        share = rng.gamma(np.maximum(shape, _LEAST)) * may_be[:, None, None]
        share = np.moveaxis(share / np.maximum(share.sum(axis=0), _LEAST), 0, 2)  # (a, S, K)
        mass = unknown[:, at].T
        np.add.at(
            sizes.transpose(1, 0, 2),
            arms.group[at],
            _divide(mass, share, rng) if are_rows else mass[:, :, None] * share,
        )
    return sizes


def _neighbours(
    arms: PredictedArms, mistakes: Mistakes, listed: IntArray, reach: float, floor: float
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield, for each predicted class, positions in ``listed``, mistakes and their weights."""
    predicted, made = arms.predicted[listed], arms.predicted[mistakes.arm]
    for p in np.unique(predicted):
        at, entries = np.flatnonzero(predicted == p), np.flatnonzero(made == p)
        there = mistakes.arm[entries]
        differing = np.zeros((at.size, entries.size))
        for column in arms.codes.T:
            differing += column[listed[at], None] != column[there]
        weight = floor + (1.0 - floor) * reach**differing
        yield at, entries, np.where(listed[at, None] == there, 0.0, weight)


def _allowed_shares(totals: FloatArray, may_be: FloatArray) -> FloatArray:
    """Return totals (n, K) as shares of the classes that may be."""
    allowed = totals * may_be
    return np.asarray(allowed / np.maximum(allowed.sum(axis=1, keepdims=True), _LEAST))


def _log_probability(counts: FloatArray, shape: FloatArray) -> float:
    """Return the Dirichlet-multinomial log-probability of counts (n, K), without constants."""
    from scipy.special import gammaln  # half a second that telling an answer does not pay

    total, n = shape.sum(axis=1), counts.sum(axis=1)
    each = np.where(
        counts > 0.0, gammaln(shape + counts) - gammaln(np.maximum(shape, _LEAST)), 0.0
    )
    return float((gammaln(total) - gammaln(total + n)).sum() + each.sum())


def _divide(rows: FloatArray, share: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return whole rows (a, S) divided into classes at random by shares (a, S, K)."""
    total = share.sum(axis=2, keepdims=True)
    shares = share / np.where(total > 0.0, total, 1.0)
    return rng.multinomial(np.round(rows).astype(np.int64), shares).astype(np.float64)
