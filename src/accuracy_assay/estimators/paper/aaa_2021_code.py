"""The estimator of ``aaa-2021-code``: BetaGP-SLP as the authors' published code computes it.

It differs from the text in the supervision of the scale (a Gamma density of clipped counts), the
pooling (the arm and two more, a third each, up to five labels), the learning rate (0.01), the
steps (two stages of 1,000, then of 50 for every 12 labels), the link (phi = sigmoid(6 f - 3)),
learned means of f and g, one kernel length per dimension, attribute values as plain numbers, and
in how it reads the posterior. ``docs/the-papers-system.md`` lists where this differs from the
code.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from accuracy_assay.estimators.paper.aaa_2021 import AAA2021
from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.numerics.paper.svgp import Link

__all__ = ["AAA2021Code"]

# Counts include lambda: an arm with five labels has 5.1.
_POOLING = Pooling(threshold=5.5, n_neighbours=2, use_kernel=False)


@dataclass(frozen=True, kw_only=True)
class AAA2021Code(AAA2021):
    """BetaGP-SLP as in the authors' code; parameters are those of `BetaGPSLP`."""

    first_steps: int = 2000
    round_steps: int = 100
    learning_rate: float = 1e-2
    values: Literal["one-hot", "numbers"] = "numbers"
    latent_mean: Literal["learned", "zero"] = "learned"
    link: Link = (6.0, -3.0)
    reading: Literal["exact", "code"] = "code"
    use_ard: bool = True
    supervision: Literal["dirichlet", "gamma"] = "gamma"
    pooling: Pooling = field(default_factory=lambda: _POOLING)

    name: ClassVar[str] = "aaa-2021-code"
