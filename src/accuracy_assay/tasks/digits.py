"""The embedded task: a digit reader assayed on turned, thinned, noisy and covered digits.

The 1,797 digit images inside scikit-learn are split by image into three parts that never mix:
one trains the service (a real classifier), one trains the attribute predictors, and the rest is
transformed into the pool. Gold attributes are the settings of the transformation, so the true
accuracy surface is known, while the evidence is what real, imperfect predictors say.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.tasks.features import describe
from accuracy_assay.tasks.task import Task
from accuracy_assay.tasks.transforms import (
    Images,
    Strength,
    add_noise,
    change_stroke,
    cover,
    enlarge,
    rotate,
    shrink,
)

__all__ = ["digits"]

# All strengths and shares of this file were chosen by hand so that the task is like a real one:
# the service is right in about four rows of five, fails in a tenth of the arms, and loses far more
# by rotation on some digits than on others; predictors are right for 70 to 95% of the rows; some
# arms have fewer than five rows. The tests hold these properties.
_MOST_INK = 16.0
"""Of a pixel in scikit-learn's images, which are 8 x 8 pixels of the ten digits."""

N_SERVICE_IMAGES = 400
N_PREDICTOR_IMAGES = 500
"""Of 1,797 images; the other 897 are left to the pool."""

N_COPIES = 8
"""Changed copies of each image that the service learns from."""

N_TREES = 150
"""Of the service's forest; more would cost time at every start of the demonstration."""

DIGIT_SHARE = (0.16, 0.17, 0.13, 0.11, 0.10, 0.09, 0.075, 0.065, 0.055, 0.045)
"""Of the digits 0 to 9; uneven, so that the arms of some digits are rare."""

ROTATION = (-50, -25, 0, 25, 50)
STROKE = ("thin", "bold")
NOISE = ("clean", "noisy")
OCCLUSION = ("none", "top", "bottom")
LEVELS: dict[str, tuple[int | str, ...]] = {
    "rotation": ROTATION,
    "stroke": STROKE,
    "noise": NOISE,
    "occlusion": OCCLUSION,
}


def digits(seed: int = 0, n_rows: int = 24_000) -> Task:
    """Return the embedded task: 600 arms of digit, rotation, stroke, noise and occlusion.

    Parameters
    ----------
    seed : int
        Seed of the split, of the transformations and of the classifiers.
    n_rows : int
        Rows of the pool; 24,000 are 40 per arm on average, and fewer than five in the rarest.

    Returns
    -------
    Task
        Columns ``id``, ``source`` (index of the original image), ``digit`` (the label, and an
        attribute known from it), the other attributes, ``service_pred``, ``service_confidence``,
        ``correct`` and ``p_<attribute>__<value>``; ``images`` of shape (n_rows, 16, 16).

    Examples
    --------
    >>> task = digits(n_rows=2_000)
    >>> task.attributes
    ('digit', 'rotation', 'stroke', 'noise', 'occlusion')
    """
    rng = np.random.default_rng(seed)
    pixels, label = load_digits(return_X_y=True)
    ink = (pixels.reshape(-1, 8, 8) / _MOST_INK).astype(np.float32)
    originals = enlarge(ink)
    order = rng.permutation(len(label))
    for_service, for_predictors, for_pool = np.split(
        order, [N_SERVICE_IMAGES, N_SERVICE_IMAGES + N_PREDICTOR_IMAGES]
    )
    service = _train_service(originals[for_service], label[for_service], rng)
    training = _transform(originals, label, for_predictors, N_PREDICTOR_IMAGES, rng)
    pool = _transform(originals, label, for_pool, n_rows, rng)
    return Task(
        name="digits",
        description=(
            "A digit reader trained on 400 upright images, assayed on digits that were turned, "
            "thinned or thickened, made noisy, or partly covered."
        ),
        rows=_rows(pool, service, _evidence(training, pool, seed)),
        attributes=("digit", *LEVELS),
        kinds={"rotation": "ordinal"},
        y_true="digit",
        y_pred="service_pred",
        evidence={name: f"p_{name}__*" for name in LEVELS},
        signals=("service_confidence",),
        from_label=("digit",),
        services={"service": "service_pred"},
        images=np.round(255 * pool.images).astype(np.uint8),
    )


@dataclass(frozen=True, slots=True)
class _Stack:
    """Transformed images with their gold: ``codes`` (n, 4) index the levels of ``LEVELS``."""

    images: Images
    source: IntArray
    digit: IntArray
    codes: IntArray


def _transform(
    originals: Images, label: IntArray, allowed: IntArray, n: int, rng: Generator
) -> _Stack:
    """Draw n transformed images from the originals in ``allowed``.

    Within its level a strength varies: 11 degrees to either side, a stroke of 0.1 to 0.8, noise of
    up to 0.1 or up to 0.4, and 2 to 6 of the 16 pixel rows covered.
    """
    digit = rng.choice(10, size=n, p=DIGIT_SHARE)
    source = _pick(label, allowed, digit, rng)
    share = _share()
    codes = np.stack(
        np.unravel_index(rng.choice(share.size, size=n, p=share.ravel()), share.shape), axis=1
    )
    turn, stroke, noise, hidden = codes.T
    depth = rng.uniform(2.0, 6.0, n)
    images = _operate(
        originals[source],
        degrees=np.asarray(ROTATION)[turn] + rng.uniform(-11.0, 11.0, n),
        weight=np.where(stroke == 0, -1.0, 1.0) * rng.uniform(0.1, 0.8, n),
        sigma=np.where(noise == 0, rng.uniform(0.0, 0.1, n), rng.uniform(0.1, 0.4, n)),
        top=np.where(hidden == 1, depth, 0.0),
        bottom=np.where(hidden == 2, depth, 0.0),
        rng=rng,
    )
    return _Stack(images, source, digit, codes)


def _pick(
    label: IntArray,
    allowed: IntArray,
    digit: IntArray,
    rng: Generator,
) -> IntArray:
    """Return for each wanted digit the index of an allowed original that shows it."""
    source = np.empty_like(digit)
    for d in range(10):
        wanted = digit == d
        source[wanted] = rng.choice(allowed[label[allowed] == d], size=int(wanted.sum()))
    return source


def _share() -> FloatArray:
    """Return the share of each (rotation, stroke, noise, occlusion); shape (5, 2, 2, 3).

    Attributes depend on one another, as they do in the world: covered digits are often noisy
    too, strongly turned ones bold, and a thin digit that leans right seldom has its top hidden.
    """
    log = (
        np.log([0.06, 0.20, 0.48, 0.20, 0.06])[:, None, None, None]
        + np.log([0.55, 0.45])[:, None, None]
        + np.log([0.68, 0.32])[:, None]
        + np.log([0.70, 0.17, 0.13])
    )
    log[:, :, 1, 1:] += 0.6
    log[[0, 4], 1] += 0.3
    log[3:, 0, :, 1] -= 0.7
    share = np.exp(log)
    return np.asarray(share / share.sum())


def _operate(
    images: Images,
    *,
    degrees: Strength,
    weight: Strength,
    sigma: Strength,
    top: Strength,
    bottom: Strength,
    rng: Generator,
) -> Images:
    turned = rotate(change_stroke(images, weight), degrees)
    return add_noise(cover(turned, top, bottom), sigma, rng)


def _train_service(images: Images, label: IntArray, rng: Generator) -> ExtraTreesClassifier:
    """Train the service on mildly changed copies of its own images.

    It sees about half of the strengths that the pool has, so that it fails beyond them.
    """
    copies = np.repeat(images, N_COPIES, axis=0)
    n = len(copies)
    depth = rng.uniform(0.0, 4.0, n) * (rng.random(n) < 0.3)
    is_top = rng.random(n) < 0.5
    seen = _operate(
        copies,
        degrees=rng.normal(0.0, 14.0, n),
        weight=rng.uniform(-0.5, 0.5, n),
        sigma=rng.uniform(0.0, 0.2, n),
        top=depth * is_top,
        bottom=depth * ~is_top,
        rng=rng,
    )
    forest = ExtraTreesClassifier(N_TREES, random_state=int(rng.integers(2**31)))
    return forest.fit(_seen_by_service(seen), np.repeat(label, N_COPIES))


def _seen_by_service(images: Images) -> NDArray[np.float32]:
    return shrink(images).reshape(len(images), -1)


def _evidence(training: _Stack, pool: _Stack, seed: int) -> dict[str, FloatArray]:
    """Return the columns ``p_<attribute>__<value>`` of the pool, from one predictor each."""
    known, unknown = describe(training.images), describe(pool.images)
    columns = {}
    for k, (name, levels) in enumerate(LEVELS.items()):
        with threadpool_limits(
            limits=1
        ):  # small matrices: threads would only wait for one another
            predictor = _predictor(seed).fit(known, training.codes[:, k])
        probability = predictor.predict_proba(unknown).astype(np.float64)
        probability /= probability.sum(axis=1, keepdims=True)
        for code, values in zip(predictor.classes_, probability.T, strict=True):
            columns[f"p_{name}__{levels[code]}"] = values
    return columns


def _predictor(seed: int) -> Pipeline:
    return make_pipeline(
        StandardScaler(), LogisticRegression(C=0.3, max_iter=2_000, random_state=seed)
    )


def _rows(
    pool: _Stack, service: ExtraTreesClassifier, evidence: dict[str, FloatArray]
) -> pl.DataFrame:
    probability = service.predict_proba(_seen_by_service(pool.images))
    predicted = service.classes_[probability.argmax(axis=1)]
    n = len(pool.digit)
    gold = {
        name: np.asarray(levels)[pool.codes[:, k]]
        for k, (name, levels) in enumerate(LEVELS.items())
    }
    return pl.DataFrame(
        {
            "id": [f"d{i:05d}" for i in range(n)],
            "source": pool.source,
            "digit": pool.digit,
            **gold,
            "service_pred": predicted,
            "service_confidence": probability.max(axis=1),
            "correct": (predicted == pool.digit).astype(np.int64),
            **evidence,
        }
    )
