"""The fitted model behind ``anova-gp``: its posterior over the pool's cells.

Notation: J observed cells, T pool cells (those of the support).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.estimators.anova.cell_arrays import cell_arrays
from accuracy_assay.estimators.anova.label_rows import LabelRows
from accuracy_assay.estimators.anova.low_rank_node import LowRankNode
from accuracy_assay.estimators.anova.node import Node
from accuracy_assay.numerics.gp.marginal_likelihood import FittedGP
from accuracy_assay.numerics.gp.slice_effects import SliceEffect
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.precision import precision

__all__ = ["AnovaModel"]

# In pools with more cells, correlations within a node are those of the best one: all pairs of
# 3,000 cells take half a second per node, and averages move by up to 6% of their deviation at 30
# labels, 2% at 300 (docs/decisions/0004).
_MANY_CELLS = 1024


@dataclass(frozen=True)
class AnovaModel:
    """A fitted model and its posterior at the pool's cells.

    Parameters
    ----------
    support
        The pool; without clusters where rates are averages over all that there may be.
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
    is_average
        Whether rates are averages over all clusters that there may be.
    """

    support: Support
    nodes: tuple[Node | LowRankNode, ...]
    observed: IntArray
    rows: LabelRows
    theta_labels: float
    is_average: bool = False

    @property
    def fitted(self) -> FittedGP:
        """The fit at the best theta."""
        return self.nodes[0].fitted

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of rho at the pool's cells, (T,) each."""
        return self._mix([node.moments for node in self.nodes])

    def moments_at(self, cells: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of rho at cells by id, averaged over clusters, (m,) each."""
        has_clusters = self.fitted.layout.has_clusters
        arrays = cell_arrays(self.support, cells, is_average=has_clusters)
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
        means += ["correctness predicted from signals"] * (self.support.opinion is not None)
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


def _by_name(names: list[str], values: FloatArray) -> dict[str, float]:
    return {name: round(float(v), 4) for name, v in zip(names, values, strict=True)}
