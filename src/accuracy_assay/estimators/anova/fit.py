"""From observations to a fitted model: where theta is learned, how often, and at what size.

Notation: J observed cells, T pool cells (those of the support), R label rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.estimators.anova.cell_arrays import cell_arrays, to_layout
from accuracy_assay.estimators.anova.label_rows import LabelRows, label_rows
from accuracy_assay.estimators.anova.low_rank_node import LowRankNode, fit_low_rank_node
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.estimators.anova.node import Node
from accuracy_assay.estimators.anova.repeated_labels import as_independent
from accuracy_assay.estimators.anova.slice_fits import (
    MOST_CELLS_FOR_NODES,
    begin_refit,
    over_sets,
    rows_for_theta,
    with_slices,
)
from accuracy_assay.numerics.gp.anova import Layout
from accuracy_assay.numerics.gp.marginal_likelihood import (
    Begun,
    FittedGP,
    fit_at,
    maximise_marginal,
)
from accuracy_assay.numerics.gp.slice_effects import with_effects
from accuracy_assay.numerics.gp.theta_grid import weigh, weigh_around
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.device import has_accelerator
from accuracy_assay.runtime.padding import padded_size
from accuracy_assay.runtime.precision import precision

__all__ = ["fit_model"]

# Most observed cells, and pairs of an observed and a pool cell, of an exact posterior. Bounds
# memory: a fit takes six matrices of all pairs of observed cells and one of those with the pool's.
# Above that, a rank of 1,024 is as good (docs/decisions/0010).
_MOST_EXACT_CELLS, _MOST_EXACT_PAIRS = 4096, 2**27
_MOST_EXACT_CELLS_ON_GPU, _MOST_EXACT_PAIRS_ON_GPU = 40_960, 2**31
# Growth of the labels at which the search starts over. Chosen by hand: theta of far fewer labels
# may be near another maximum.
_MANY_MORE = 1.5


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
    use_coin_prior: bool = False,
) -> AnovaModel:
    """Return the model fitted to ``observations``, starting from ``previous`` if it fits.

    Without a pool of its own a cell's rate is the mean over all clusters that there may be. theta
    is learned again, in ``later_steps``, once the labels have grown by the share ``growth``;
    once they have grown by half, it takes as many steps as the first time.
    """
    n_labels, support = observations.n_labels, observations.support
    pool = support if support.is_pool else support.without_clusters()
    is_average = pool is not support
    if is_average and (alone := as_independent(observations, pool)) is not None:
        observations, support = alone, pool
    rows = label_rows(observations, use_mixture=likelihood == "mixture")
    rows = rows.among_clusters(support.n_clusters // pool.n_clusters)
    has_coins = use_coin_prior or rows.has_coin_scores
    layout = to_layout(support, has_coins=has_coins, is_guessed=rows.P is not None)
    if previous is not None and not _is_alike(previous, pool, layout):
        previous = None
    steps = first_steps
    if previous is not None and n_labels < (1.0 + growth) * previous.theta_labels:
        steps, n_labels = 0, previous.theta_labels
    elif previous is not None and n_labels < _MANY_MORE * previous.theta_labels:
        steps = later_steps
    starts = [] if previous is None else [previous.fitted.theta]
    if steps == first_steps:
        starts += layout.starts
    if _is_large(rows, support, most_exact_cells):
        node = _fit_low_rank(support, layout, rows, starts, steps, previous, rank)
        return AnovaModel(pool, (node,), rows.cells, rows, n_labels, is_average)
    with precision():
        fitted = _fit(support, layout, rows, starts, steps, previous)
        fitted, *others = with_slices(support, rows, fitted, min(steps, later_steps))
        weighed = over_sets(_weigh(fitted, rows, previous if steps == 0 else None), others)
        targets = cell_arrays(pool, pool.cells, is_average=layout.has_clusters and is_average)
        nodes = tuple(
            Node(
                _lean_on_split(fit, rows, split_share),
                weight,
                with_effects(targets, fit.effects),
                pool.cells.size,
                is_average,
            )
            for fit, weight in weighed
        )
    return AnovaModel(pool, nodes, rows.cells, rows, n_labels, is_average)


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
    part = rows_for_theta(rows)
    with precision():
        fitted = _fit(support, layout, part, starts, steps, previous, is_part=part is not rows)
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
    if rows.cells.size > MOST_CELLS_FOR_NODES:
        return [(fitted, 1.0)]

    def at(theta: FloatArray) -> Begun:
        return begin_refit(replace(fitted, theta=theta), rows, fitted.effects)

    if previous is None:
        return weigh_around(fitted, at)
    thetas = [node.fitted.theta for node in previous.nodes[1:]]
    others = [theta for theta in thetas if not np.array_equal(theta, fitted.theta)]
    return weigh([Begun(fitted.value, lambda: fitted), *map(at, others)])


def _fit(
    support: Support,
    layout: Layout,
    rows: LabelRows,
    starts: list[FloatArray],
    steps: int,
    previous: AnovaModel | None,
    *,
    is_part: bool = False,
) -> FittedGP:
    """Return the fit to the rows, or to all that are fitted exactly if they are ``is_part``."""
    theta = starts[0]
    if steps > 0 or previous is None:
        part = rows_for_theta(rows)
        fitted = maximise_marginal(
            cell_arrays(support, part.cells),
            part.as_labels(),
            layout,
            starts,
            max_steps=steps,
            guess=_guess(part.cells, previous),
            is_part=is_part or part is not rows,
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
