"""A small case of P(a|x) that can be enumerated: 4 attributes, 48 arms, 20 rows."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

SHAPE = (2, 3, 2, 4)


@dataclass(frozen=True)
class Case:
    """Log-scores of 20 rows, sharpness and potential, with P(a|x) by brute force."""

    log_m: list[NDArray[np.float64]]
    s: NDArray[np.float64]
    N: NDArray[np.float64]
    shape: tuple[int, ...] = SHAPE
    n_arms: int = 48
    n_rows: int = 20

    @property
    def codes(self) -> NDArray[np.int64]:
        """Codes of every arm, (A, K)."""
        return np.stack(np.unravel_index(np.arange(self.n_arms), self.shape), axis=1)

    @property
    def factors(self) -> list[NDArray[np.float64]]:
        """F_k = M_k^s_k, not scaled."""
        return [np.exp(s * table) for s, table in zip(self.s, self.log_m, strict=True)]

    def scores(self, s: NDArray[np.float64], N: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return log P(a|x) + log Z of every row and arm, (n, A)."""
        codes = self.codes
        return sum(s[k] * table[:, codes[:, k]] for k, table in enumerate(self.log_m)) + N

    @property
    def log_z(self) -> NDArray[np.float64]:
        """Log Z of each row, (n,)."""
        return np.logaddexp.reduce(self.scores(self.s, self.N), axis=1)

    @property
    def posterior(self) -> NDArray[np.float64]:
        """P(a|x), (n, A)."""
        return np.exp(self.scores(self.s, self.N) - self.log_z[:, None])


@pytest.fixture
def case(rng: np.random.Generator) -> Case:
    log_m = [np.log(rng.dirichlet(np.ones(size), 20)) for size in SHAPE]
    return Case(log_m, rng.uniform(0.5, 2.0, 4), rng.normal(0, 1.5, 48))
