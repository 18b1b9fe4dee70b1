"""A made task of any size whose true surface and attribute noise are known exactly.

Notation: K attributes with V values each; an arm's logit is
``mu + sum_k u_k(a_k) + sum_(j<k) w_jk(a_j, a_k) + own(a)`` with normal effects. A row's own logit
adds N(0, 1) to it, so rho_a, the accuracy of the arm, is the mean of the sigmoid over that. A row
has independent, uneven attribute values. A guessed attribute shows itself through
``x = d e_v + N(0, I)``, so that with even odds ``P(v|x)`` is the softmax of d x; the published
probabilities use ``sharpness`` times these logits, as overconfident predictors do.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from scipy.special import expit, softmax

from accuracy_assay.errors import InputError
from accuracy_assay.numerics.quadrature import normal_rule
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.tasks.task import Task

__all__ = ["synthetic"]

_SD_MAIN, _SD_PAIR, _SD_OWN = 0.8, 0.3, 0.3
"""Standard deviations, in logits, of the effects of a value, of a pair of values and of an arm
alone. Chosen by hand: single attributes tell most of an arm's accuracy and interactions the rest,
as on the real tables."""

_SHARES = (6.0, 1.5)
"""Dirichlet weights of the first and the last value of an attribute: values are about four times
as frequent at one end as at the other, so that some arms are rare."""

_NODES = 20
"""The mean of a sigmoid under N(0, 1) is then exact to 1e-9."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """Size and difficulty of a task."""

    rows: int
    attributes: int
    values: int
    distance: float
    sharpness: float
    accuracy: float

    def __post_init__(self) -> None:
        for name, least in (("rows", 1), ("attributes", 1), ("values", 2)):
            if getattr(self, name) < least:
                raise InputError(
                    f"{name} of a synthetic task must be at least {least}; "
                    f"got {getattr(self, name)}."
                )
        if not 0.0 < self.accuracy < 1.0:
            raise InputError(
                f"accuracy of a synthetic task must lie between 0 and 1; got {self.accuracy}."
            )


def synthetic(
    rows: int = 20_000,
    attributes: int = 4,
    values: int = 4,
    distance: float = 0.0,
    sharpness: float = 2.0,
    accuracy: float = 0.8,
    seed: int = 0,
) -> Task:
    """Return a made task.

    Parameters
    ----------
    rows : int
        Rows of the pool.
    attributes, values : int
        Number of attributes, and of values of each.
    distance : float
        Distance d between the evidence of two values; 0 leaves the attributes exact.
    sharpness : float
        How overconfident the published probabilities are; 1 is calibrated under even odds.
    accuracy : float
        Accuracy of an average arm.
    seed : int
        Seed of the surface and of the rows.

    Returns
    -------
    Task
        Columns ``id``, ``a1`` to ``aK``, ``rho`` (the true accuracy of the row's arm),
        ``confidence`` (a noisy logit of the row's own chance), ``correct`` and, where attributes
        are guessed, ``p_a<k>__<value>``.

    Raises
    ------
    InputError
        If a size is too small, or ``accuracy`` is not between 0 and 1.

    Examples
    --------
    >>> synthetic(rows=100, attributes=2, values=3).attributes
    ('a1', 'a2')
    """
    shape = _Shape(rows, attributes, values, distance, sharpness, accuracy)
    rng = np.random.default_rng(seed)
    codes = _draw_codes(shape, rng)
    arm_logit = _logits(codes, shape, rng)
    row_logit = arm_logit + rng.normal(0.0, 1.0, shape.rows)
    correct = rng.random(shape.rows) < expit(row_logit)
    names = [f"a{k + 1}" for k in range(shape.attributes)]
    columns: dict[str, object] = {"id": [f"s{i:07d}" for i in range(shape.rows)]}
    columns |= {name: np.char.add("v", codes[:, k].astype(str)) for k, name in enumerate(names)}
    columns["rho"] = _average_sigmoid(arm_logit)
    columns["confidence"] = expit(row_logit + rng.normal(0.0, 1.0, shape.rows))
    columns["correct"] = correct.astype(np.int64)
    if shape.distance > 0.0:
        for k, name in enumerate(names):
            columns |= _evidence(name, codes[:, k], shape, rng)
    return Task(
        name="synthetic",
        description=f"Made rows with a known surface of {shape.values}^{shape.attributes} arms.",
        rows=pl.DataFrame(columns),
        attributes=tuple(names),
        evidence={name: f"p_{name}__*" for name in names} if shape.distance > 0.0 else {},
        signals=("confidence",),
    )


def _draw_codes(shape: _Shape, rng: Generator) -> IntArray:
    """Draw attribute codes (n, K) with shares that fall with the value, differently by k."""
    share = rng.dirichlet(np.linspace(*_SHARES, shape.values), shape.attributes)
    columns = [rng.choice(shape.values, shape.rows, p=share[k]) for k in range(shape.attributes)]
    return np.stack(columns, axis=1)


def _logits(codes: IntArray, shape: _Shape, rng: Generator) -> FloatArray:
    """Return the logit of each row's arm (n,)."""
    n_attributes, n_values = shape.attributes, shape.values
    total = np.full(shape.rows, np.log(shape.accuracy / (1.0 - shape.accuracy)))
    for effect, code in zip(
        rng.normal(0, _SD_MAIN, (n_attributes, n_values)), codes.T, strict=True
    ):
        total += effect[code]
    for j in range(n_attributes):
        for k in range(j + 1, n_attributes):
            total += rng.normal(0, _SD_PAIR, (n_values, n_values))[codes[:, j], codes[:, k]]
    _, arm = np.unique(codes, axis=0, return_inverse=True)
    own = rng.normal(0.0, _SD_OWN, int(arm.max()) + 1)
    return np.asarray(total + own[arm.ravel()])


def _evidence(name: str, code: IntArray, shape: _Shape, rng: Generator) -> dict[str, FloatArray]:
    seen = rng.normal(size=(shape.rows, shape.values))
    seen[np.arange(shape.rows), code] += shape.distance
    probability = softmax(shape.sharpness * shape.distance * seen, axis=1)
    return {f"p_{name}__v{v}": probability[:, v] for v in range(shape.values)}


def _average_sigmoid(logit: FloatArray) -> FloatArray:
    """Return the mean of sigmoid(logit + N(0, 1)) by Gauss-Hermite nodes."""
    node, weight = normal_rule(_NODES)
    return np.asarray(expit(logit[:, None] + node) @ weight)
