"""Labels of a small space for ``anova-gp``: exact or blurred arms, and one with a weak slice."""

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova.fit import fit_model
from accuracy_assay.estimators.anova.model import AnovaModel

SPACE = AttributeSpace(
    (Attribute("a", values=("p", "q", "r", "s")), Attribute("b", values=("x", "y", "z")))
)
STRATA = AttributeSpace(
    (
        Attribute("says", values=("no", "yes")),
        Attribute("sure", kind="continuous", edges=(0.2, 0.5, 0.8)),
    )
)
RATE = np.array([0.95, 0.9, 0.6, 0.9, 0.85, 0.5, 0.97, 0.95, 0.7, 0.8, 0.7, 0.3])
SUPPORT = Support(SPACE, None, np.arange(12), np.full(12, 100.0))


def observe(rng: np.random.Generator, n: int = 300) -> Observations:
    arms = rng.integers(0, 12, n)
    scores = (rng.random(n) < RATE[arms]).astype(float)
    return Observations.exact(SUPPORT, arms, np.ones(n), scores, scores)


def blurred(rng: np.random.Generator, n: int = 300) -> Observations:
    arms = rng.integers(0, 12, n)
    columns = np.stack([arms, (arms + 5) % 12], axis=1).reshape(-1)
    rows = Affiliation(np.arange(0, 2 * n + 1, 2), columns, np.tile([0.9, 0.1], n))
    scores = (rng.random(n) < RATE[arms]).astype(float)
    return Observations.from_instances(SUPPORT, rows, scores)


def fit(observed: Observations, previous: AnovaModel | None = None) -> AnovaModel:
    return fit_model(
        observed,
        previous,
        likelihood="mixture",
        split_share=1.0 / 3.0,
        first_steps=30,
        later_steps=6,
        growth=0.1,
    )


WIDE = AttributeSpace(
    (
        Attribute("a", values=("p", "q", "r", "s")),
        Attribute("b", values=("x", "y", "z")),
        Attribute("c", values=("1", "2", "3")),
    )
)
IN_SLICE = {"a": "r", "b": "y"}


def observe_slice(
    rng: np.random.Generator, *, is_pool: bool = True, is_guessed: bool = False
) -> Observations:
    """Return 900 labels, 40% right where a = r and b = y and 90% elsewhere."""
    arms = rng.integers(0, 36, 900)
    inside = WIDE.matches(arms, IN_SLICE)
    scores = (rng.random(900) < np.where(inside, 0.4, 0.9)).astype(float)
    # One arm of the slice has no pool row.
    size = np.where(np.arange(36) == slice_arms()[-1], 0.0, 200.0)
    pool = np.flatnonzero(size)
    support = Support(WIDE, None, pool, size[pool], is_pool=is_pool)
    kept = np.isin(arms, pool)
    arms, scores = arms[kept], scores[kept]
    if not is_guessed:
        return Observations.exact(support, arms, np.ones(arms.size), scores, scores)
    other = pool[(np.searchsorted(pool, arms) + 5) % pool.size]
    columns = np.stack([arms, other], axis=1).reshape(-1)
    rows = Affiliation(
        np.arange(0, 2 * arms.size + 1, 2), columns, np.tile([0.95, 0.05], arms.size)
    )
    return Observations.from_instances(support, rows, scores)


def slice_arms() -> np.ndarray:
    return np.flatnonzero(WIDE.matches(np.arange(36), IN_SLICE))
