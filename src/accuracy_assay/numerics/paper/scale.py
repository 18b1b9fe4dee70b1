"""Supervision of the Beta scale by the counts, section 3.2 of the paper.

``dirichlet`` is the text: the observed shares n_a / n are one draw from a Dirichlet whose
parameters are the scales. ``gamma`` is the research code: each clipped count is a draw from
Gamma(psi_a, rate 1), the Dirichlet before normalisation.

``GivenScale`` supervises nothing: it sets the scales outright, which shows what any supervision
towards them could reach.

Under q the Dirichlet's normaliser is log Γ of a sum over all arms. log Γ is convex, so log Γ of
the expected sum is below the expected log Γ (Jensen), and the objective stays a lower bound.

Special to this module: psi (B,), or (B, Q) at nodes; total = sum over arms of n.
"""

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from accuracy_assay.numerics.paper.rising import log_gamma
from accuracy_assay.numerics.quadrature import expect, place

__all__ = [
    "GivenScale",
    "dirichlet_log_density",
    "expected_dirichlet",
    "expected_gamma",
    "given_latents",
]


# A thousandth of a label: such an arm's labels are all one coin, and softplus still inverts.
_SMALLEST_SCALE = 1e-3


class GivenScale(NamedTuple):
    """Scales that are not learned: psi_a = level, or level n_a over the mean of n.

    Parameters
    ----------
    shape
        ``constant``, or ``share``: in proportion to the counts of the arms.
    level
        The scale, or that of an arm with as many labels as the mean observed arm.
    """

    shape: Literal["constant", "share"]
    level: float


def dirichlet_log_density(psi: Array, n: Array) -> Array:
    """Return log Dirichlet(n / sum(n); psi), with its normaliser.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> round(float(dirichlet_log_density(jnp.ones(3), jnp.ones(3))), 4)  # log 2!
    0.6931
    """
    share = jnp.log(n / n.sum())
    gammaln = jax.scipy.special.gammaln
    return ((psi - 1.0) * share - gammaln(psi)).sum() + gammaln(psi.sum())


def expected_dirichlet(
    mean: Array, variance: Array, n: Array, w: Array, total: Array, n_nodes: int
) -> Array:
    """Bound E_q of the Dirichlet log-density of the shares from below.

    Parameters
    ----------
    mean, variance
        Marginals of g under q, (B,).
    n
        Counts (B,), positive where ``w`` is.
    w
        Weight of each row: how many arms it stands for.
    total
        Sum of the counts over all arms.
    n_nodes
        Quadrature nodes for each g.
    """
    psi = jax.nn.softplus(place(mean, variance, n_nodes))
    expected = expect(psi)
    # Any finite number will do for rows without weight and a total of zero: they count zero times.
    share = jnp.log(jnp.where(w > 0, n / jnp.where(total > 0, total, 1.0), 1.0))
    each = (expected - 1.0) * share - expect(log_gamma(psi))
    return w @ each + log_gamma(w @ expected)


def expected_gamma(
    mean: Array, variance: Array, n: Array, w: Array, clip: tuple[float, float], n_nodes: int
) -> Array:
    """Return E_q of the Gamma(psi, 1) log-density of the clipped counts."""
    psi = jax.nn.softplus(place(mean, variance, n_nodes))
    count = jnp.clip(n, *clip)
    each = (expect(psi) - 1.0) * jnp.log(count) - count
    return w @ (each - expect(log_gamma(psi)))


def given_latents(given: GivenScale, n: Array, mean_n: Array) -> Array:
    """Return the values of g (B,) whose softplus is the given scale.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> g = given_latents(GivenScale("share", 10.0), jnp.array([1.0, 4.0]), jnp.array(2.0))
    >>> [round(float(psi), 4) for psi in jax.nn.softplus(g)]
    [5.0, 20.0]
    """
    level = jnp.asarray(given.level, n.dtype)
    psi = jnp.full_like(n, level) if given.shape == "constant" else level * n / mean_n
    psi = jnp.maximum(psi, _SMALLEST_SCALE)  # padding has no count
    return psi + jnp.log(-jnp.expm1(-psi))
