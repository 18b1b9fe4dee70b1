"""``faces``: a made task of the paper's size, twelve guessed attributes of faces, truth known.

Notation: n rows, K = 12 attributes, 2^K = 4,096 arms; N_a rows of arm a.

- attributes: ``t_k`` is true for the rows with the largest ``s l_k.z + sqrt(1 - |s l_k|^2) e_k``,
  with factors z (dress and shaving, age, mood), so that attributes go together;
- service: an arm's logit is ``mu + g log(1 + N_a) + effects(a)``, where effects are of single
  attributes, of pairs and of the arm alone, and g is what the service gains by having met such
  faces. A row adds ``N(0, 1.5^2)``, half of it the quality q of its image, which nobody sees;
- predictors: ``x_k = +-d_k e^(0.35 q) + N(0, 1)``, so that a poor image spoils all twelve at once
  and is also hard for the service; they publish a logit of twice what x_k and the attribute's
  share would say on an image of average quality.

The levels s, g, mu and d are solved for, so that every seed has the same number of active arms,
the same accuracies and the same share of rows whose twelve guesses are all right.
"""

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.random import Generator
from scipy.special import expit, logit

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.tasks.task import Task

__all__ = ["faces"]

_SHARE_AND_LOADINGS: dict[str, tuple[float, tuple[float, float, float]]] = {
    "male": (0.42, (1.0, 0.0, 0.0)),
    "young": (0.77, (0.0, 1.0, 0.2)),
    "smiling": (0.48, (-0.2, 0.0, 1.0)),
    "eyeglasses": (0.065, (0.4, -0.6, 0.0)),
    "wearing_hat": (0.05, (0.4, 0.3, -0.4)),
    "mustache": (0.04, (0.9, -0.1, -0.2)),
    "no_beard": (0.835, (-0.9, 0.1, 0.2)),
    "chubby": (0.06, (0.3, -0.6, 0.4)),
    "bald": (0.022, (0.6, -0.7, 0.0)),
    "black_hair": (0.24, (0.2, 0.4, -0.1)),
    "blond_hair": (0.15, (-0.6, 0.2, 0.3)),
    "heavy_makeup": (0.39, (-0.9, 0.4, 0.2)),
}
"""Share of true, about CelebA's, and loadings on the three factors, chosen by hand."""

_REFERENCE_ROWS = 50_000
_ACTIVE_ROWS = 5
_ACTIVE_ARMS = 320
_MICRO, _MACRO = 0.95, 0.85
_ALL_RIGHT = 0.54
"""What is solved for, on the first 50,000 rows: arms with at least five rows; accuracy over rows
and over those arms; share of rows whose twelve most likely values are all right."""

_SD_LOADING = 0.1
"""By which loadings differ from seed to seed: the world changes, its character does not."""

_SD_MAIN, _SD_PAIR, _SD_OWN = 0.4, 0.12, 0.5
_SD_EFFECTS = 1.6
"""Standard deviations, in logits, of an attribute, of a pair and of an arm alone; then of their
sum over the active arms. The 50 worst arms are right in about half of their rows."""

_SD_ROW = 1.5
_SHARE_OF_QUALITY = 0.5
"""Of a row's own logit, and how much of its variance the quality of the image explains."""

_NODES = 32
"""Of the average over rows: exact to 1e-6."""

_EASE = (0.8, 1.6)
_QUALITY_OF_SIGNAL = 0.35
_SHARPNESS = 2.0
"""The range of d_k before it is scaled, how strongly quality acts on it, and how many times too
large the predictors' logits are."""

_HALVINGS = 20
"""Of an interval in which a level is sought: a millionth of it is left."""


def faces(rows: int = _REFERENCE_ROWS, seed: int = 0) -> Task:
    """Return the made task of faces.

    Parameters
    ----------
    rows : int
        Rows of the pool. Fewer than 50,000 are the first of that pool.
    seed : int
        Seed of the world: surface, rows and predictors.

    Returns
    -------
    Task
        Columns ``id``, the twelve attributes, ``rho`` (the true accuracy of the row's arm),
        ``confidence`` (a noisy view of the row's own chance), ``correct`` and
        ``p_<attribute>__false`` and ``__true``.

    Raises
    ------
    InputError
        If ``rows`` is below one.

    Examples
    --------
    >>> task = faces(rows=1_000)
    >>> len(task.attributes), task.evidence["young"]
    (12, 'p_young__*')
    """
    if rows < 1:
        raise InputError(f"rows of the task 'faces' must be at least 1; got {rows}.")
    rng = np.random.default_rng(seed)
    n = max(rows, _REFERENCE_ROWS)
    attributes = _draw_attributes(n, rng)
    quality = rng.normal(size=n)
    arm_logit, row_logit, correct = _serve(_arms(attributes), quality, rng)
    names = list(_SHARE_AND_LOADINGS)
    columns: dict[str, object] = {"id": [f"f{i:06d}" for i in range(n)]}
    columns |= dict(zip(names, attributes.T, strict=True))
    columns["rho"] = _accuracy(arm_logit)
    columns["confidence"] = expit(row_logit + rng.normal(size=n))
    columns["correct"] = correct.astype(np.int64)
    for name, guess in zip(names, _guess(attributes, quality, rng).T, strict=True):
        columns[f"p_{name}__false"], columns[f"p_{name}__true"] = expit(-guess), expit(guess)
    return Task(
        name="faces",
        description="Made faces: twelve guessed attributes, and a service with a known surface.",
        rows=pl.DataFrame(columns).head(rows),
        attributes=tuple(names),
        kinds=dict.fromkeys(names, "boolean"),
        evidence={name: f"p_{name}__*" for name in names},
        signals=("confidence",),
    )


def _draw_attributes(n: int, rng: Generator) -> BoolArray:
    """Draw attributes (n, K) with factors so strong that 320 arms are active."""
    share, loadings = _shares(), np.array([row for _, row in _SHARE_AND_LOADINGS.values()])
    loadings = loadings + rng.normal(0.0, _SD_LOADING, loadings.shape)
    loadings /= np.maximum(1.0, np.linalg.norm(loadings, axis=1))[:, None]
    common = rng.normal(size=(n, loadings.shape[1])) @ loadings.T
    own, length = rng.normal(size=(n, share.size)), (loadings**2).sum(axis=1)

    def attributes(strength: float) -> BoolArray:
        latent = strength * common + np.sqrt(1.0 - strength**2 * length) * own
        known = latent[:_REFERENCE_ROWS]
        cut = [np.quantile(known[:, k], 1.0 - p) for k, p in enumerate(share)]
        return np.asarray(latent >= np.array(cut))

    def has_too_many_arms(strength: float) -> bool:
        return int(_is_active(_arms(attributes(strength))).sum()) > _ACTIVE_ARMS

    return attributes(_solve(has_too_many_arms, 0.0, 1.0))


def _serve(
    arm: IntArray, quality: FloatArray, rng: Generator
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the logit of each row's arm, of the row itself, and whether the service is right.

    A row is right where its logit passes a logistic threshold, so the constant mu that makes 95%
    of the rows right is a quantile.
    """
    is_active = _is_active(arm)
    size = np.bincount(arm[:_REFERENCE_ROWS], minlength=is_active.size)
    effect = _draw_effects(rng)
    effect *= _SD_EFFECTS / effect[is_active].std()
    familiarity = np.log1p(size)
    hidden = rng.normal(size=arm.size)
    noise = _SD_ROW * (
        np.sqrt(_SHARE_OF_QUALITY) * quality + np.sqrt(1.0 - _SHARE_OF_QUALITY) * hidden
    )
    threshold = logit(rng.random(arm.size))

    def surface(gain: float) -> FloatArray:
        logits = effect + gain * familiarity
        shortfall = (threshold - noise - logits[arm])[:_REFERENCE_ROWS]
        return np.asarray(logits + np.quantile(shortfall, _MICRO))

    def is_too_even(gain: float) -> bool:
        known = arm[:_REFERENCE_ROWS]
        is_right = (threshold < surface(gain)[arm] + noise)[:_REFERENCE_ROWS]
        right = np.bincount(known, is_right, minlength=size.size)
        return float((right[is_active] / size[is_active]).mean()) > _MACRO

    arm_logit = surface(_solve(is_too_even, -2.0, 4.0))[arm]
    row_logit = arm_logit + noise
    return arm_logit, row_logit, threshold < row_logit


def _accuracy(arm_logit: FloatArray) -> FloatArray:
    """Return the mean of sigmoid(arm_logit + N(0, 1.5^2)), by Gauss-Hermite nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    chance = expit(arm_logit[:, None] + _SD_ROW * nodes)
    return np.asarray(chance @ (weights / weights.sum()))


def _draw_effects(rng: Generator) -> FloatArray:
    """Draw the effects of attributes, of pairs and of each arm alone, summed by arm (2^K,)."""
    n_attributes = len(_SHARE_AND_LOADINGS)
    arms = np.arange(2**n_attributes)
    sign = 2.0 * ((arms[:, None] >> np.arange(n_attributes)) & 1) - 1.0
    first, second = np.triu_indices(n_attributes, 1)
    total = sign @ rng.normal(0.0, _SD_MAIN, n_attributes)
    total += (sign[:, first] * sign[:, second]) @ rng.normal(0.0, _SD_PAIR, first.size)
    return np.asarray(total + rng.normal(0.0, _SD_OWN, arms.size))


def _guess(attributes: BoolArray, quality: FloatArray, rng: Generator) -> FloatArray:
    """Return the predictors' logits (n, K), so good that 54% of the rows are right in all K."""
    n, n_attributes = attributes.shape
    ease = rng.uniform(*_EASE, n_attributes)
    signal = np.where(attributes, 1.0, -1.0) * np.exp(_QUALITY_OF_SIGNAL * quality)[:, None]
    noise = rng.normal(size=(n, n_attributes))

    def logits(distance: float) -> FloatArray:
        d = distance * ease
        return np.asarray(_SHARPNESS * (logit(_shares()) + 2.0 * d * (d * signal + noise)))

    def is_too_poor(distance: float) -> bool:
        is_right = (logits(distance) > 0.0) == attributes
        return float(is_right[:_REFERENCE_ROWS].all(axis=1).mean()) < _ALL_RIGHT

    return logits(_solve(is_too_poor, 0.0, 6.0))


def _shares() -> FloatArray:
    return np.array([share for share, _ in _SHARE_AND_LOADINGS.values()])


def _arms(attributes: BoolArray) -> IntArray:
    """Return the arm of each row: attribute k is bit k."""
    return np.asarray(attributes @ (1 << np.arange(attributes.shape[1])))


def _is_active(arm: IntArray) -> BoolArray:
    """Return which arms have at least five of the reference rows (2^K,)."""
    size = np.bincount(arm[:_REFERENCE_ROWS], minlength=2 ** len(_SHARE_AND_LOADINGS))
    return np.asarray(size >= _ACTIVE_ROWS)


def _solve(is_below: Callable[[float], bool], low: float, high: float) -> float:
    """Return the level in [low, high] below which ``is_below`` holds, by halving."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2.0
