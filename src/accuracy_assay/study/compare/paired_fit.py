"""The difference of two services, fitted to labels that scored both, arm by arm.

Notation: arm a has N_a rows, of which K_a are open (the two may differ there,
``study.compare.pair``) and n_a of these are labelled with differences d in [-1, 1] that sum to
D_a. On all other rows the difference is surely zero. With scores of right and wrong an open row is
*decided*, d is not zero, with rate u, and decided for the first service with rate p; both are
surfaces of rates over the cells of the open rows (cell = arm and stratum of ``sides``). The
difference of the arm is

    (D_a + sum over the K_a - n_a unlabelled open rows of +1, -1 or 0) / N_a

where each row is +1 with probability u p and -1 with probability u (1 - p): we draw the rates, and
for each draw the rows. Graded scores, guessed attributes and clusters have one surface of
(1 + d) / 2 instead, whose accuracy rho gives (K_a / N_a) (2 rho - 1).

An estimator may expect services to be right more often than wrong, but not one service to be
better than another. So both p and 1 - p are fitted, weighted by their marginal likelihood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Estimator
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.compare.differences import PairedDifferences
from accuracy_assay.study.compare.pair import Pair
from accuracy_assay.study.compare.rate_draws import draw_arms, draw_cells
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.tables import divide

__all__ = ["PairedFit", "differences_of"]

Rates = tuple[FloatArray, FloatArray]
"""Mean of each rate, and joint draws of them."""

_REPEATS = 4
"""Draws of the rows for each draw of the rates: a tail of 5% is then 4.5 to 5.5%."""
_FEW_ARMS = 2000
"""Draws are repeated for up to this many arms. Bounds memory: 2,048 draws of them take 33 MB."""


@dataclass(frozen=True, eq=False)
class PairedFit:
    """How differences are fitted, for any pair.

    Parameters
    ----------
    arms
        The arms of all rows, the pool's first.
    estimator, seed
        What fits the surfaces, and the seed of all randomness.
    is_pool
        Whether differences are those of the pool's own rows rather than the rates behind them.
    cluster
        Column of rows that belong together, (n,); None if rows are independent.
    """

    arms: Arms
    estimator: Estimator
    seed: int = 0
    is_pool: bool = True
    cluster: pl.Series | None = None


def differences_of(
    pair: Pair, fit: PairedFit, surface: AccuracySurface, labelled: Affiliation | None = None
) -> PairedDifferences:
    """Return the differences of a pair over the listed arms of ``surface``.

    Parameters
    ----------
    pair
        The two services.
    fit
        The rows and the methods.
    surface
        A surface of one of the services, for its arms and their sizes.
    labelled
        The arms of the labelled rows after labelling, ``arms.labelled`` by default.

    Returns
    -------
    PairedDifferences
        Over the arms of ``surface``, in their order.
    """
    own_arms = fit.arms.labelled(pair.rows) if labelled is None else labelled
    opened = _Open.among(pair, fit, own_arms)
    size = surface.support
    if not opened.n_rows:
        return _none_differ(surface)
    by_rows = own_arms.is_exact and fit.arms.calibration is None and fit.cluster is None
    form = _by_rows if by_rows and pair.has_coin_scores else _by_shares
    arms, mean, draws = form(opened, fit)
    at = np.searchsorted(surface.arms, arms)
    # Labels of rows outside the pool make an open arm larger than the pool says.
    share = 1.0 / np.maximum(size[at], opened.size_of(arms))
    every = np.zeros(surface.arms.shape)
    every[at] = mean * share
    return PairedDifferences(every, at, draws * share, surface.level)


@dataclass(frozen=True, eq=False)
class _Open:
    """The open rows as a problem, with the labels among them."""

    problem: Problem
    rows: IntArray
    labelled: Affiliation
    difference: FloatArray
    is_always_decided: bool

    @classmethod
    def among(cls, pair: Pair, fit: PairedFit, labelled: Affiliation) -> _Open:
        at = np.flatnonzero(pair.is_open)
        n_pool = int(np.count_nonzero(at < fit.arms.n_pool))
        arms = replace(
            fit.arms, evidence=fit.arms.evidence.take(at), gold=fit.arms.gold[at], n_pool=n_pool
        )
        is_labelled = pair.is_open[pair.rows]
        signals = pl.DataFrame() if pair.sides is None else pair.sides.gather(at).to_frame()
        cluster = None if fit.cluster is None else fit.cluster.gather(at)
        problem = _problem(arms, signals, cluster, is_pool=fit.is_pool)
        return cls(
            problem,
            np.searchsorted(at, pair.rows[is_labelled]),
            labelled.take(np.flatnonzero(is_labelled)),
            pair.difference[is_labelled],
            pair.is_always_decided,
        )

    @property
    def n_rows(self) -> int:
        return int(self.problem.arms.gold.shape[0])

    def size_of(self, arms: IntArray) -> FloatArray:
        """Return how many open rows each arm has, counting at least the labelled ones."""
        return self.observe(np.zeros(self.difference.shape)).support.size_of(arms)

    def with_support(self, support: Support) -> _Open:
        return replace(self, problem=replace(self.problem, support=support))

    def settle(self, support: Support) -> tuple[FloatArray, FloatArray]:
        """Return the rows without a label and the summed difference of the others, by cell."""
        seen = self.observe(0.5 + 0.5 * self.difference)
        at = np.searchsorted(support.cells, seen.affiliation.indices)
        n_free, settled = support.size.copy(), np.zeros(support.size.shape)
        n_free[at] -= seen.count
        settled[at] = 2.0 * seen.score - seen.count
        return np.maximum(n_free, 0.0), settled

    def observe(self, scores: FloatArray, stays: BoolArray | None = None) -> Observations:
        """Return the observations of the labelled open rows, or of some of them."""
        kept = np.arange(scores.size) if stays is None else np.flatnonzero(stays)
        return self.problem.observe(self.rows[kept], scores[kept], self.labelled.take(kept))


def _problem(
    arms: Arms, signals: pl.DataFrame, cluster: pl.Series | None, *, is_pool: bool
) -> Problem:
    is_divided = cluster is not None and cluster.n_unique() > 1
    clusters = cluster if is_divided else None
    if not arms.n_pool:
        return Problem.build(arms, is_pool=is_pool)
    every = signals if clusters is None else pl.DataFrame([*signals.get_columns(), clusters])
    made = divide([every], signals.columns, clusters, signals[: arms.n_pool])
    return Problem.build(arms, *made, is_pool=is_pool)


def _by_rows(opened: _Open, fit: PairedFit) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return arms, expected sums of differences (B,), and draws of them (S, B), row by row."""
    rng = np.random.default_rng([fit.seed, 1])
    is_decided = opened.difference != 0.0
    opened = opened.with_support(replace(opened.problem.support, is_pool=False))
    decided = opened.observe(is_decided.astype(np.float64))
    support = decided.support
    # The same cells for both, including those with only labels.
    opened = opened.with_support(support)
    u, u_draws = _decided_rates(opened, decided, fit, rng)
    p, p_draws = _either_way(
        lambda sign: opened.observe(0.5 + 0.5 * sign * opened.difference, is_decided),
        lambda surface: draw_cells(surface, support, rng),
        fit,
    )
    n_free, settled = support.size, np.zeros(support.size.shape)
    if fit.is_pool:
        n_free, settled = opened.settle(support)
    start = np.flatnonzero(np.diff(support.arm_of_cell, prepend=-1))
    mean = np.add.reduceat(settled + n_free * u * (2.0 * p - 1.0), start)
    if not fit.is_pool:
        drawn = n_free * u_draws * (2.0 * p_draws - 1.0)
        return support.arms, mean, np.add.reduceat(drawn, start, axis=1)
    trials = np.round(n_free).astype(np.int64)
    parts = []
    for _ in range(_REPEATS if start.size <= _FEW_ARMS else 1):
        n_decided = rng.binomial(trials, u_draws)
        for_first = rng.binomial(n_decided, p_draws)
        parts.append(np.add.reduceat(settled + 2.0 * for_first - n_decided, start, axis=1))
    return support.arms, mean, np.concatenate(parts)


def _decided_rates(
    opened: _Open, decided: Observations, fit: PairedFit, rng: np.random.Generator
) -> Rates:
    """Return how often open rows are decided: always, if there are only two answers."""
    if opened.is_always_decided:
        return np.ones(decided.support.size.shape), np.ones((1, decided.support.size.size))
    surface = fit.estimator.fit(decided, np.random.default_rng(fit.seed))
    return draw_cells(surface, decided.support, rng)


def _either_way(
    observe: Callable[[float], Observations],
    draw: Callable[[AccuracySurface], Rates],
    fit: PairedFit,
) -> Rates:
    """Return rates of the first service, fitted as they are and as those of the second."""
    found, log_marginal = [], []
    for sign in (1.0, -1.0):
        surface = fit.estimator.fit(observe(sign), np.random.default_rng(fit.seed))
        mean, draws = draw(surface)
        found.append((0.5 + sign * (mean - 0.5), 0.5 + sign * (draws - 0.5)))
        log_marginal.append(float(surface.details.get("log_evidence", 0.0)))
    weight = 1.0 / (1.0 + np.exp(np.clip(log_marginal[1] - log_marginal[0], -50.0, 50.0)))
    (mean, draws), (other_mean, other_draws) = found
    n_first = round(weight * draws.shape[0])
    mixed = np.concatenate([draws[:n_first], other_draws[n_first:]])
    return weight * mean + (1.0 - weight) * other_mean, mixed


def _by_shares(opened: _Open, fit: PairedFit) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the same from one surface of (1 + d) / 2."""
    rng = np.random.default_rng([fit.seed, 1])
    arms = np.zeros(0, dtype=np.int64)

    def draw(surface: AccuracySurface) -> Rates:
        nonlocal arms
        at = np.flatnonzero(surface.support > 0.0)
        arms = surface.arms[at]
        return surface.mean[at], draw_arms(surface, rng)[:, at]

    mean, draws = _either_way(
        lambda sign: opened.observe(0.5 + 0.5 * sign * opened.difference), draw, fit
    )
    size = opened.size_of(arms)
    return arms, size * (2.0 * mean - 1.0), size * (2.0 * draws - 1.0)


def _none_differ(surface: AccuracySurface) -> PairedDifferences:
    nowhere = np.zeros(0, dtype=np.int64)
    return PairedDifferences(
        np.zeros(surface.arms.shape), nowhere, np.zeros((1, 0)), surface.level
    )
