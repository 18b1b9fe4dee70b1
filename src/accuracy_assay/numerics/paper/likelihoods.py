"""Expected log-likelihoods of fractional counts at one arm, one function per likelihood.

Each takes the means and variances of the latent values under q and returns E_q[log p(c, n | .)]
per arm. The binomial coefficient is left out, as in the paper: the observations are single labels.

======================  =======================================  ==================
name                    log p(c, n | latent values)              latent functions
======================  =======================================  ==================
``bernoulli``           c log phi + (n - c) log(1 - phi)         f
``beta_mean_scale``     log B(phi psi + c, (1 - phi) psi + n - c)  f, g
                        - log B(phi psi, (1 - phi) psi)
``beta_alpha_beta``     log B(alpha + c, beta + n - c)           f, g
                        - log B(alpha, beta)
======================  =======================================  ==================

Special to this module: Q1, Q2 quadrature nodes of f and of g.
"""

import jax
from jax import Array

from accuracy_assay.numerics.paper.rising import log_rising
from accuracy_assay.numerics.quadrature import expect, expect_pair, place

__all__ = [
    "LIKELIHOODS",
    "bernoulli",
    "beta_alpha_beta",
    "beta_binomial",
    "beta_mean_scale",
]

Nodes = tuple[int, int]


def beta_binomial(alpha: Array, beta: Array, n: Array, c: Array) -> Array:
    """Return log B(alpha + c, beta + n - c) - log B(alpha, beta)."""
    return log_rising(alpha, c) + log_rising(beta, n - c) - log_rising(alpha + beta, n)


def bernoulli(mean: Array, variance: Array, n: Array, c: Array, nodes: Nodes) -> Array:
    """Expect the Bernoulli log-likelihood with phi = sigmoid(f), equation (bernLL)."""
    f = place(mean[0], variance[0], nodes[0])
    return n * expect(jax.nn.log_sigmoid(-f)) + c * mean[0]


def beta_mean_scale(mean: Array, variance: Array, n: Array, c: Array, nodes: Nodes) -> Array:
    """Expect the Beta-binomial in mean phi(f) and scale psi(g), equation (pointLLSimple)."""
    phi = jax.nn.sigmoid(place(mean[0], variance[0], nodes[0]))[:, :, None]
    psi = jax.nn.softplus(place(mean[1], variance[1], nodes[1]))
    agree = log_rising(phi * psi[:, None], c[:, None, None])
    differ = log_rising((1.0 - phi) * psi[:, None], (n - c)[:, None, None])
    return expect_pair(agree + differ) - expect(log_rising(psi, n[:, None]))


def beta_alpha_beta(mean: Array, variance: Array, n: Array, c: Array, nodes: Nodes) -> Array:
    """Expect the Beta-binomial in alpha(f) and beta(g), appendix B."""
    alpha = jax.nn.softplus(place(mean[0], variance[0], nodes[0]))
    beta = jax.nn.softplus(place(mean[1], variance[1], nodes[1]))
    both = alpha[:, :, None] + beta[:, None]
    return (
        expect(log_rising(alpha, c[:, None]))
        + expect(log_rising(beta, (n - c)[:, None]))
        - expect_pair(log_rising(both, n[:, None, None]))
    )


LIKELIHOODS = {
    "bernoulli": bernoulli,
    "beta_mean_scale": beta_mean_scale,
    "beta_alpha_beta": beta_alpha_beta,
}
"""Likelihoods by the name that a model carries."""
