"""The simple setting of the paper's appendix: ten arms on a line, six of them with one label.

Its two tables are reproduced with the settings of the paper's research code: inputs are the arms'
positions, the ten arms are fixed inducing points, Adam takes 200 steps of 0.1, the likelihood is
averaged over the 10 arms and the KL divided by the 86 labels, phi = sigmoid(6 f - 3), scale is
supervised by the Gamma form, and a sparse arm is pooled with its two neighbours at 1/3 each. The
labels are the paper's too: the first n_a columns of draws from NumPy's old generator, seeds 0 to
19. The research code reads an estimate off q(f) with the variance where a standard deviation is
due; the tables of the paper are of that reading, so ``as_read`` has it, and ``exact`` beside it
has the expectation.

Notation: A = 10 arms, S seeds; rho (S, A) estimates; bias² and variance are sums over the arms,
variance over S - 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy.special import expit

from accuracy_assay.errors import InputError
from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.numerics.paper.svgp import Model
from accuracy_assay.numerics.paper.training import fit_counts
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.figures import draw_scales
from assay_bench.tasks import simple

__all__ = [
    "ACCURACY",
    "LABELS",
    "VARIANTS",
    "Decomposition",
    "SimpleFit",
    "Variant",
    "fit_simple",
    "fit_variants",
    "write_simple",
]

Supervision: TypeAlias = Literal["none", "dirichlet", "gamma"]

ACCURACY: FloatArray = np.array(simple.ACCURACY)
LABELS: FloatArray = np.array(simple.SHARES, dtype=np.float64)
"""Labels of each arm: the task's shares, taken once."""

_STEPS, _LEARNING_RATE, _SEEDS = 200, 0.1, 20
_LINK = (6.0, -3.0)
_NEIGHBOURS = Pooling(threshold=5.5, n_neighbours=2, use_self=True, use_kernel=False)
"""Those of the research code, which pools arms of at most five labels."""

_NODES = 20
"""Nodes per normal variable, as many as GPyTorch, which the research code builds on, takes."""

_JITTER = 1e-3
"""Added to the diagonal of kernels so that they have a factor in every step; chosen by hand, far
below the variance of 0.7 that the kernels start from."""


class Variant(NamedTuple):
    """What a row of the tables changes."""

    supervision: Supervision = "none"
    pooling: Pooling | None = None


VARIANTS: Mapping[str, Variant] = {
    "beta-gp": Variant(),
    "beta-gp-sl": Variant("gamma"),
    "beta-gp-slp": Variant("gamma", _NEIGHBOURS),
    "beta-gp-sl-dirichlet": Variant("dirichlet"),
    "beta-gp-slp-dirichlet": Variant("dirichlet", _NEIGHBOURS),
}
"""The paper's three rows, then the two of them with the Dirichlet of its text."""


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Squared error of an estimate over seeds, split into bias² and variance."""

    bias2: float
    variance: float

    @property
    def mse(self) -> float:
        """The sum of both."""
        return self.bias2 + self.variance


@dataclass(frozen=True, slots=True)
class SimpleFit:
    """A row of both tables.

    Parameters
    ----------
    method
        Name in ``VARIANTS``.
    as_read, exact
        Error of the estimates as the research code reads them, and of E[rho].
    length
        Length of the kernel of f: softplus of the raw lengths' mean over seeds.
    scales
        Mean scale of each arm over seeds, as the research code reads it.
    """

    method: str
    as_read: Decomposition
    exact: Decomposition
    length: float
    scales: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the row for programs: ``bias2``, ..., as it is read, and ``exact_bias2``, ..."""
        errors = {
            f"{prefix}{name}": getattr(part, name)
            for prefix, part in (("", self.as_read), ("exact_", self.exact))
            for name in ("bias2", "variance", "mse")
        }
        return {
            "method": self.method,
            **errors,
            "length": self.length,
            "scales": list(self.scales),
        }


def fit_variants(on_progress: Callable[[int, int, str], None] | None = None) -> list[SimpleFit]:
    """Fit every variant; ``on_progress`` is called with (finished, all, the one at work)."""
    fits: list[SimpleFit] = []
    for name in VARIANTS:
        if on_progress is not None:
            on_progress(len(fits), len(VARIANTS), name)
        fits.append(fit_simple(name))
    if on_progress is not None:
        on_progress(len(VARIANTS), len(VARIANTS), "")
    return fits


def fit_simple(method: str, n_seeds: int = _SEEDS) -> SimpleFit:
    """Fit ``method`` once for each seed and return its row.

    Parameters
    ----------
    method
        Name in ``VARIANTS``.
    n_seeds
        Seeds of the labels, from 0; at least two, because a variance is taken over them.
    """
    if n_seeds < 2:
        raise InputError(f"seeds must be at least 2; got {n_seeds}.")
    how = VARIANTS[method]
    n_labels = float(LABELS.sum())
    model = Model(
        supervision=how.supervision,
        pooling=how.pooling,
        nodes=(_NODES, _NODES // 2),
        kl_weight=LABELS.size / n_labels,
        learning_rate=_LEARNING_RATE,
        learn_inducing=False,
        link=_LINK,
    )
    fits = [_fit(model, _draw_labels(seed)) for seed in range(n_seeds)]
    as_read, exact, scales, raw_length = (np.stack(column) for column in zip(*fits, strict=True))
    return SimpleFit(
        method,
        _decompose(as_read),
        _decompose(exact),
        float(np.logaddexp(0.0, raw_length.mean())),
        tuple(scales.mean(0).tolist()),
    )


def write_simple(fits: Sequence[SimpleFit], out: Path) -> tuple[Path, Path]:
    """Write ``simple-setting.csv`` and a figure of the scale by arm; return both paths."""
    out.mkdir(parents=True, exist_ok=True)
    table, figure = out / "simple-setting.csv", out / "simple-setting.png"
    pl.DataFrame([_flat_row(fit) for fit in fits]).write_csv(table)
    draw_scales({fit.method: fit.scales for fit in fits}, LABELS.tolist(), figure)
    return table, figure


def _draw_labels(seed: int) -> FloatArray:
    """Return how many labels of each arm are right, (A,)."""
    draws = np.random.RandomState(seed).binomial(1, ACCURACY, (int(LABELS.max()), LABELS.size))
    is_seen = np.arange(draws.shape[0])[:, None] < LABELS
    return np.asarray((draws * is_seen).sum(0), dtype=np.float64)


def _fit(model: Model, correct: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return estimates as the research code reads them, E[rho], scales, all (A,), and a length."""
    X = np.arange(float(LABELS.size))[:, None]
    fit = fit_counts(model, X, LABELS, correct, _STEPS, _JITTER)
    (f, g), (variance, variance_of_scale) = fit.mean, fit.variance
    slope, _ = model.link
    # With v the variance of f, the research code spreads f by v where √v is due.
    return (
        _expect(expit, f, variance / slope),
        _expect(expit, f, np.sqrt(variance)),
        _expect(lambda x: np.logaddexp(0.0, x), g, variance_of_scale),
        float(fit.raw_length[0, 0]),
    )


def _expect(
    function: Callable[[FloatArray], FloatArray], mean: FloatArray, sd: FloatArray
) -> FloatArray:
    """Return E[function(x)], x ~ N(mean, sd^2), by Gauss-Hermite nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return np.asarray(function(mean[:, None] + sd[:, None] * nodes) @ (weights / weights.sum()))


def _decompose(rho: FloatArray) -> Decomposition:
    bias = rho.mean(0) - ACCURACY
    return Decomposition(float((bias**2).sum()), float(rho.var(0, ddof=1).sum()))


def _flat_row(fit: SimpleFit) -> dict[str, Any]:
    row = fit.to_dict()
    scales = {f"scale_{arm}": scale for arm, scale in enumerate(row.pop("scales"), start=1)}
    return row | scales
