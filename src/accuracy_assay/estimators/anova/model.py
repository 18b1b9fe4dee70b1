"""The fitted model behind ``anova-gp``: from observations to a posterior over the pool's cells.

Notation: J observed cells, T pool cells (those of the support), R label rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from accuracy_assay.domain.cells import SIGNAL_LEVELS, Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.subcubes import SubCubes
from accuracy_assay.estimators.anova.label_rows import LabelRows, label_rows
from accuracy_assay.estimators.anova.low_rank_node import LowRankNode, fit_low_rank_node
from accuracy_assay.estimators.anova.node import Node
from accuracy_assay.estimators.anova.slice_search import (
    likely_effects,
    searched_slices,
)
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.marginal_likelihood import (
    FittedGP,
    fit_at,
    maximise_marginal,
)
from accuracy_assay.numerics.gp.slice_effects import SliceEffect, with_effects
from accuracy_assay.numerics.gp.theta_grid import weigh, weigh_around
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.device import has_accelerator, put
from accuracy_assay.runtime.padding import pad_rows, padded_size
from accuracy_assay.runtime.precision import precision

__all__ = ["AnovaModel", "fit_model"]


# Most observed cells that theta is learned from. Chosen by hand: the search is cubic in them, and
# theta has so few entries that more cells hardly move it.
_MOST_CELLS_FOR_THETA = 1536
# Most observed cells for which theta and sets of slice effects are integrated out: with more, each
# fit around the best is expensive, and hardly any of them counts.
_MOST_CELLS_FOR_NODES = 1536
# In pools with more cells, correlations within a node are those of the best one: all pairs of
# 3,000 cells take half a second per node, and averages move by up to 6% of their deviation at 30
# labels, 2% at 300 (docs/decisions/0004).
_MANY_CELLS = 1024
# Most observed cells, and pairs of an observed and a pool cell, of an exact posterior. Bounds
# memory: a fit takes six matrices of all pairs of observed cells and one of those with the pool's.
# Above that, a rank of 1,024 is as good (docs/decisions/0010).
_MOST_EXACT_CELLS, _MOST_EXACT_PAIRS = 4096, 2**27
_MOST_EXACT_CELLS_ON_GPU, _MOST_EXACT_PAIRS_ON_GPU = 40_960, 2**31
# Searches for slices: each may add to, or replace, those that the one before found.
_MOST_SEARCHES = 3
# How much quieter, in natural logs of a variance, theta is at which slices are searched too. In
# made worlds planted pairs doubled or trebled the variances of what they look like.
_QUIETER = 1.0
# Log evidence that learning theta anew may add to a set of effects, one to three in those worlds:
# theta is not learned beside sets that are farther behind.
_PROMISING = 2.0
# Sets of effects less probable than the best by this factor are left out: each is another fit.
_FAR_BELOW = float(np.log(10.0))
# Growth of the labels at which the search starts over. Chosen by hand: theta of far fewer labels
# may be near another maximum.
_MANY_MORE = 1.5
# Largest own variance of an arm, relative to that of a typical one; without a limit adult5 and
# digits with signals are 1% worse (docs/decisions/0004).
_MOST_OWN_VARIANCE = 2.0


@dataclass(frozen=True)
class AnovaModel:
    """A fitted model and its posterior at the pool's cells.

    Parameters
    ----------
    support
        The pool.
    nodes
        Fits at several values of theta, and with several sets of slice effects, with their
        probabilities; the best first. With very many cells a single one, of low rank and without
        slice effects.
    observed
        Cell ids of the observed cells, (J,).
    rows
        The label rows that were fitted.
    theta_labels
        Number of labels from which theta was last learned.
    """

    support: Support
    nodes: tuple[Node | LowRankNode, ...]
    observed: IntArray
    rows: LabelRows
    theta_labels: float

    @property
    def fitted(self) -> FittedGP:
        """The fit at the best theta."""
        return self.nodes[0].fitted

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho at the pool's cells, (T,) each."""
        return self._mix([node.moments for node in self.nodes])

    def moments_at(self, cells: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of rho at cells by id, in a new cluster, (m,) each."""
        arrays = cell_arrays(self.support, cells, is_new_cluster=True)
        return self._mix([node.moments_at(arrays, cells.size) for node in self.nodes])

    def _mix(
        self, moments: Sequence[tuple[FloatArray, FloatArray]]
    ) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance over all nodes from those of each."""
        weights = [node.weight for node in self.nodes]
        mean = sum(w * m for w, (m, _) in zip(weights, moments, strict=True))
        spread = sum(w * (v + (m - mean) ** 2) for w, (m, v) in zip(weights, moments, strict=True))
        return np.asarray(mean), np.asarray(spread)

    @cached_property
    def away(self) -> FloatArray:
        """Mean of each node minus that of all, times the root of its weight, (n_nodes, T)."""
        rows = [np.sqrt(n.weight) * (n.moments[0] - self.moments[0]) for n in self.nodes]
        return np.stack(rows)

    def covariance(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the posterior covariance of rho between pool cells, (m, n)."""
        if len(self.nodes) == 1:
            return self.nodes[0].covariance(rows, columns)
        between = self.away[:, rows].T @ self.away[:, columns]
        if self.support.cells.size <= _MANY_CELLS:
            within = sum(node.weight * node.covariance(rows, columns) for node in self.nodes)
            return np.asarray(within + between)
        scale = self.deviation_to_best
        within = scale[rows][:, None] * self.nodes[0].covariance(rows, columns)
        within *= scale[columns]
        within += between
        return np.asarray(within)

    def reach(self, weight: FloatArray) -> FloatArray:
        """Return how far sums of rho (m, T) move if a label of each cell scores one higher.

        A label moves the logits by its column of their covariance, and a rate follows its logit
        by the mean slope: the first order of both, at the best theta.
        """
        best = self.nodes[0]
        linear = weight * (best.terms[:, 1] / best.logit_sd)
        return np.asarray(best.times(linear.T).T / self.rows.dispersion)

    @cached_property
    def deviation_to_best(self) -> FloatArray:
        """Root mean variance within nodes over that of the best one, (T,)."""
        within = sum(node.weight * node.moments[1] for node in self.nodes)
        return np.asarray(np.sqrt(within / self.nodes[0].moments[1]))

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Return joint draws of rho at the pool's cells, (S, T), from each node by its weight."""
        ends = np.round(count * np.cumsum([node.weight for node in self.nodes])).astype(int)
        shares = np.diff(ends, prepend=0)
        with precision():
            labels = self.rows.as_labels()
        parts = zip(self.nodes, shares, strict=True)
        drawn = [node.draw(labels, int(s), rng) for node, s in parts if s]
        return np.concatenate(drawn) if len(drawn) > 1 else drawn[0]

    def mixed_variance(self, index: IntArray, weight: FloatArray) -> FloatArray:
        """Return the variance of the weighted sum of rho over each row of ``index``, (a,)."""
        within = sum(node.weight * node.mixed_variance(index, weight) for node in self.nodes)
        between = ((self.away[:, index] * weight).sum(axis=2) ** 2).sum(axis=0)
        return np.asarray(within + between)

    @cached_property
    def posterior(self) -> CellPosterior:
        """What a strategy needs."""
        rate, spread = self.moments
        coin = np.maximum(rate * (1.0 - rate) - spread, 0.0)
        labelled = self.rows.on_cells(self.support.cells).n
        noise = coin * self.rows.dispersion
        return CellPosterior(
            self.support,
            rate,
            spread,
            noise + spread,
            labelled,
            self.covariance,
            self.reach,
        )

    @property
    def details(self) -> Mapping[str, Any]:
        """JSON values that describe the fit."""
        layout = self.fitted.layout
        theta = {name: self.fitted.theta[part] for name, part in layout.slices.items()}
        names = list(self.support.space.names)
        signals = [signal.name for signal in self.support.signals]
        names += signals
        means = [f"mean of {signals[k]} over the arm" for k in self.support.averaged_signals]
        return {
            "log_evidence": round(self.fitted.value, 4),
            "own_variance": round(float(np.exp(theta["o"][0])), 4),
            "joint_variance": round(float(np.exp(theta["s"][0])), 4),
            "joint_weight": _by_name(names, np.exp(theta["w"])),
            "alone_variance": _by_name([*names, *means], np.exp(theta["v"])),
            "cluster_variance": round(float(np.exp(theta["c"]).sum()), 4),
            "dispersion": round(self.rows.dispersion, 4),
            "prior_logit_sd": round(layout.prior_logit_sd, 4),
            "slice_effects": self._slice_effects,
        }

    @property
    def _slice_effects(self) -> list[dict[str, Any]]:
        """The slices with an effect of their own, and how probable each effect is."""
        chance: dict[SliceEffect, float] = {}
        for node in self.nodes:
            for effect in node.fitted.effects:
                chance[effect] = chance.get(effect, 0.0) + node.weight
        attributes = self.support.space.attributes
        return [
            {
                "slice": {
                    attributes[k].name: str(attributes[k].values[code])
                    for k, code in zip(effect.columns, effect.codes, strict=True)
                },
                "probability": round(probability, 4),
            }
            for effect, probability in sorted(chance.items(), key=lambda each: -each[1])
        ]


def fit_model(
    observations: Observations,
    previous: AnovaModel | None,
    *,
    likelihood: str,
    split_share: float,
    first_steps: int,
    later_steps: int,
    growth: float,
    most_exact_cells: int | None = None,
    rank: int = 1024,
) -> AnovaModel:
    """Return the model fitted to ``observations``, starting from ``previous`` if it fits.

    theta is learned again, in ``later_steps``, once the labels have grown by the share ``growth``;
    once they have grown by half, it takes as many steps as the first time.
    """
    rows = label_rows(observations, use_mixture=likelihood == "mixture")
    layout = to_layout(
        observations.support, has_coins=rows.has_coin_scores, is_guessed=rows.P is not None
    )
    if previous is not None and not _is_alike(previous, observations.support, layout):
        previous = None
    n_labels = observations.n_labels
    steps = first_steps
    if previous is not None and n_labels < (1.0 + growth) * previous.theta_labels:
        steps, n_labels = 0, previous.theta_labels
    elif previous is not None and n_labels < _MANY_MORE * previous.theta_labels:
        steps = later_steps
    starts = [] if previous is None else [previous.fitted.theta]
    if steps == first_steps:
        starts += layout.starts
    support = observations.support
    if _is_large(rows, support, most_exact_cells):
        node = _fit_low_rank(support, layout, rows, starts, steps, previous, rank)
        return AnovaModel(support, (node,), rows.cells, rows, n_labels)
    with precision():
        fitted = _fit(support, layout, rows, starts, steps, previous)
        fitted, *others = _with_slices(support, rows, fitted, min(steps, later_steps))
        weighed = _over_sets(_weigh(fitted, rows, previous if steps == 0 else None), others)
        pool = cell_arrays(support, support.cells, is_new_cluster=not support.is_pool)
        nodes = tuple(
            Node(
                _lean_on_split(fit, rows, split_share),
                weight,
                with_effects(pool, fit.effects),
                support.cells.size,
            )
            for fit, weight in weighed
        )
    return AnovaModel(support, nodes, rows.cells, rows, n_labels)


def _with_slices(support: Support, rows: LabelRows, base: FittedGP, steps: int) -> list[FittedGP]:
    """Return fits with the likely sets of slice effects, the best first.

    Without effects there is one fit: effects count only if some are more probable than none. theta
    is learned beside the best set, in ``steps``; the fits on the way there keep their own.
    """
    cubes = searched_slices(support, rows)
    if cubes is None:
        return [base]
    best, tried = base, {base.effects: base}
    for _ in range(_MOST_SEARCHES):
        other = _next_set(cubes, best, rows, steps)
        if other is None or other.effects in tried:
            break
        tried[other.effects] = other
        if other.value <= best.value:
            break
        best = other
    if not best.effects:
        return [base]
    if rows.cells.size <= _MOST_CELLS_FOR_NODES:
        for each in likely_effects(cubes, best):
            if each.effects not in tried:
                tried[each.effects] = _refit(best, rows, each.effects)
    others = [fit for fit in tried.values() if fit is not best]
    return [best, *(fit for fit in others if fit.value > best.value - _FAR_BELOW)]


def _next_set(cubes: SubCubes, fitted: FittedGP, rows: LabelRows, steps: int) -> FittedGP | None:
    """Return a fit with another set of effects if one looks better than that of ``fitted``.

    An effect that the model lacks looks like arms that differ in every way, and theta has adapted
    to it. So if theta is learned, slices are searched at a quieter theta too.
    """
    fits = [fitted]
    if steps:
        quiet = fitted.theta - _QUIETER * fitted.layout.between_arms
        fits.append(_refit(replace(fitted, theta=quiet), rows, fitted.effects))
    found = [
        (fit.value + each.log_weight, fit, each.effects)
        for fit in fits
        for each in likely_effects(cubes, fit)
        if each.effects != fit.effects
    ]
    if not found:
        return None
    value, start, effects = max(found, key=lambda each: each[0])
    if value <= fitted.value - _PROMISING:
        return None
    return _refit(start, rows, effects, steps)


def _refit(
    fitted: FittedGP, rows: LabelRows, effects: tuple[SliceEffect, ...], steps: int = 0
) -> FittedGP:
    """Return the fit at its theta with other effects; with ``steps``, theta is learned again."""
    cells, labels = with_effects(fitted.cells, effects), rows.as_labels()
    start, layout = np.asarray(fitted.mode.g), fitted.layout
    if steps and rows.cells.size <= _MOST_CELLS_FOR_THETA:
        made = maximise_marginal(
            cells, labels, layout, [fitted.theta], max_steps=steps, guess=start
        )
    else:
        made = fit_at(fitted.theta, cells, labels, start, layout)
    odds = sum(each.log_odds for each in effects)
    return replace(made, effects=effects, value=made.value + odds)


def _over_sets(
    weighed: list[tuple[FittedGP, float]], others: list[FittedGP]
) -> list[tuple[FittedGP, float]]:
    """Return weighted fits over sets of slice effects too, not only over thetas.

    ``weighed`` are fits with the best set at several thetas. Each of the others has one theta, and
    the weight that its set has at its best.
    """
    value = np.array([weighed[0][0].value, *(fit.value for fit in others)])
    share = np.exp(value - value.max())
    share /= share.sum()
    mixed = [(fit, weight * float(share[0])) for fit, weight in weighed]
    return mixed + list(zip(others, share[1:].tolist(), strict=True))


def _is_large(rows: LabelRows, support: Support, most_exact_cells: int | None) -> bool:
    """Return whether cells are too many for an exact posterior.

    Mixtures and clusters always have an exact one.
    """
    if rows.P is not None or support.n_clusters > 1:
        return False
    if most_exact_cells is not None:
        return rows.cells.size > most_exact_cells
    has_gpu = has_accelerator()
    most_cells = _MOST_EXACT_CELLS_ON_GPU if has_gpu else _MOST_EXACT_CELLS
    most_pairs = _MOST_EXACT_PAIRS_ON_GPU if has_gpu else _MOST_EXACT_PAIRS
    return rows.cells.size > most_cells or rows.cells.size * support.cells.size > most_pairs


def _fit_low_rank(
    support: Support,
    layout: Layout,
    rows: LabelRows,
    starts: list[FloatArray],
    steps: int,
    previous: AnovaModel | None,
    rank: int,
) -> LowRankNode:
    part = rows.part(_MOST_CELLS_FOR_THETA)
    with precision():
        fitted = _fit(support, layout, part, starts, steps, previous)
    return fit_low_rank_node(
        fitted,
        cell_arrays(support, support.cells),
        support.cells.size,
        np.searchsorted(support.cells, rows.cells),
        rows.y / rows.dispersion,
        rows.n / rows.dispersion,
        _guess(rows.cells, previous)[: rows.cells.size],
        rank=rank,
    )


def _is_alike(previous: AnovaModel, support: Support, layout: Layout) -> bool:
    """Return whether theta means the same in a previous fit."""
    return previous.fitted.layout == layout and previous.support.strata == support.strata


def _weigh(
    fitted: FittedGP, rows: LabelRows, previous: AnovaModel | None
) -> list[tuple[FittedGP, float]]:
    """Return the fit with others around it, or alone if more would cost too much.

    With a previous model, whose theta is kept, the others are at its thetas.
    """
    if rows.cells.size > _MOST_CELLS_FOR_NODES:
        return [(fitted, 1.0)]

    def refit(theta: FloatArray) -> FittedGP:
        return _refit(replace(fitted, theta=theta), rows, fitted.effects)

    if previous is None:
        return weigh_around(fitted, refit)
    thetas = [node.fitted.theta for node in previous.nodes[1:]]
    others = [theta for theta in thetas if not np.array_equal(theta, fitted.theta)]
    return weigh([fitted, *map(refit, others)])


def _fit(
    support: Support,
    layout: Layout,
    rows: LabelRows,
    starts: list[FloatArray],
    steps: int,
    previous: AnovaModel | None,
) -> FittedGP:
    theta = starts[0]
    if steps > 0 or previous is None:
        part = rows.part(_MOST_CELLS_FOR_THETA)
        fitted = maximise_marginal(
            cell_arrays(support, part.cells),
            part.as_labels(),
            layout,
            starts,
            max_steps=steps,
            guess=_guess(part.cells, previous),
        )
        if part is rows:
            return fitted
        theta = fitted.theta
    cells, guess = cell_arrays(support, rows.cells), _guess(rows.cells, previous)
    return fit_at(theta, cells, rows.as_labels(), guess, layout)


def _lean_on_split(fitted: FittedGP, rows: LabelRows, share: float) -> FittedGP:
    """Return the fit of mixtures with its mean moved by ``share`` towards that of split labels."""
    if rows.P is None or share == 0.0:
        return fitted
    labels, start = rows.split().as_labels(), np.asarray(fitted.mode.g)
    split = fit_at(fitted.theta, fitted.cells, labels, start, fitted.layout)
    return replace(fitted, weights=(1.0 - share) * fitted.weights + share * split.weights)


def _guess(cells: IntArray, previous: AnovaModel | None) -> FloatArray:
    """Return g of the previous mode at shared cells, zero elsewhere, padded."""
    guess = np.zeros(padded_size(cells.size))
    if previous is None:
        return guess
    shared, here, there = np.intersect1d(cells, previous.observed, return_indices=True)
    if shared.size:
        guess[here] = previous.nodes[0].g[there]
    return guess


def to_layout(support: Support, *, has_coins: bool = True, is_guessed: bool = False) -> Layout:
    """Return the kernel's layout for the attributes and signals of a pool, and its labels.

    An arm's mean of a signal is another coordinate: an opinion may say more between arms than
    within them.
    """
    attributes = support.space.attributes
    signals = support.signals
    groups = int(np.prod([a.size for a in signals if not a.is_ordered], dtype=np.int64))
    coordinates = (*attributes, *signals)
    n_means = len(support.averaged_signals)
    sizes = (*(a.size for a in coordinates), *(SIGNAL_LEVELS,) * n_means)
    ordered = (*(a.is_ordered and a.size > 2 for a in coordinates), *(True,) * n_means)
    has_clusters = support.n_clusters > 1
    return Layout(
        sizes, ordered, len(attributes), groups, has_coins, has_clusters, is_guessed, n_means
    )


def cell_arrays(support: Support, ids: IntArray, *, is_new_cluster: bool = False) -> CellArrays:
    """Return cells by id as padded arrays of codes, arms, signal groups and own variances.

    A new cluster has no labels.
    """
    arm, stratum = ids // support.n_strata, ids % support.n_strata
    columns = [support.space.codes(arm)]
    group = np.zeros(ids.size, dtype=np.int64)
    if support.strata is not None:
        codes = support.strata.codes(stratum)[:, : len(support.signals)]
        columns.append(codes)
        for k, signal in enumerate(support.signals):
            if not signal.is_ordered:
                group = group * signal.size + codes[:, k]
        columns.append(support.signal_levels_of(arm))
    codes = np.concatenate(columns, axis=1)
    size = padded_size(ids.size)
    return CellArrays(
        put(pad_rows(codes, size, -1.0)),
        put(pad_rows(arm, size, -1.0)),
        put(pad_rows(group, size)),
        put(pad_rows(_own_variance(support, arm), size, 1.0)),
        put(pad_rows(_cluster(support, stratum, is_new=is_new_cluster), size, -1.0))
        if support.n_clusters > 1
        else None,
    )


def _cluster(support: Support, stratum: IntArray, *, is_new: bool) -> IntArray:
    """Return the cluster of each cell; -1 for all if it is a new one."""
    return np.full(stratum.shape, -1) if is_new else stratum % support.n_clusters


def _own_variance(support: Support, arm: IntArray) -> FloatArray:
    """Return the variance of arms' own terms relative to that of an arm of typical size.

    An arm's own term is the mean of those of its hidden groups (speakers, writers), and a larger
    arm has more of them: the variance is inverse to the size. It is at most twice the typical,
    since guesses make many arms that hardly exist. Arms outside the pool are typical.
    """
    size, typical = support.size_of(arm), support.typical_arm_size
    known = np.maximum(size, typical / _MOST_OWN_VARIANCE)
    return np.asarray(typical / np.where(size > 0.0, known, typical))


def _by_name(names: list[str], values: FloatArray) -> dict[str, float]:
    return {name: round(float(v), 4) for name, v in zip(names, values, strict=True)}
