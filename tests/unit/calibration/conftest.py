"""A small world whose joint distribution of attributes and whose distortions are known.

Attribute k with value v sends a signal r e_v + noise, so log p(x | v) = r x_v + constant. The
predictor reports softmax(r x T_k): it is right once its logarithm is divided by the temperature
T_k, and the truth is P(a|x) proportional to pi(a) prod_k M_k(a_k|x)^(1 / T_k).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace


@dataclass(frozen=True)
class World:
    """Space, true joint pi (A,), true sharpness 1 / T (K,), and the strength r of the signals."""

    space: AttributeSpace
    pi: NDArray[np.float64]
    sharpness: NDArray[np.float64]
    strength: float = 1.6

    @property
    def temperatures(self) -> NDArray[np.float64]:
        """The true T_k: 2 for the overconfident predictor of sex."""
        return 1.0 / self.sharpness

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Evidence, NDArray[np.int64]]:
        """Return evidence of n instances and their gold codes."""
        gold = self.space.codes(rng.choice(self.pi.size, n, p=self.pi))
        columns = []
        for k, size in enumerate(self.space.shape):
            x = self.strength * np.eye(size)[gold[:, k]] + rng.normal(size=(n, size))
            scores = np.exp(self.strength * x / self.sharpness[k])
            # Above the floor of 1e-6 under which calibrations take no probability literally.
            scores = np.maximum(scores, 1e-5 * scores.max(axis=1, keepdims=True))
            columns.append(scores / scores.sum(axis=1, keepdims=True))
        return Evidence(self.space, tuple(columns)), gold

    def posterior(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return the true P(a|x), (n, A), by brute force."""
        codes = self.space.codes(np.arange(self.pi.size))
        joint = np.tile(self.pi, (evidence.n_rows, 1))
        for k, column in enumerate(evidence.columns):
            joint *= column[:, codes[:, k]] ** self.sharpness[k]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def binary_space(n: int) -> AttributeSpace:
    return AttributeSpace(tuple(Attribute(f"a{k}", ("no", "yes")) for k in range(n)))


@pytest.fixture
def world() -> World:
    space = AttributeSpace(
        (
            Attribute("sex", ("f", "m")),
            Attribute("age", ("young", "mid", "old")),
            Attribute("native", (False, True)),
        )
    )
    pi = np.array([0.20, 0.01, 0.02, 0.12, 0.15, 0.02, 0.01, 0.10, 0.05, 0.02, 0.05, 0.25])
    return World(space, pi, np.array([0.5, 1.0, 1.8]))


@pytest.fixture
def make_binary_space() -> Callable[[int], AttributeSpace]:
    return binary_space
