"""Labelled rows that were picked by their class: the weights with which they speak for the pool.

Rows of class k, picked because of it, are a sample of the rows of that class: they show what the
service answers to them, P(p | k), and not how common the class is. That shows in the answers to
all rows of the pool, of which the share q_p is p:

    q_p = sum_k s_k P(p | k)

Given P(p | k), the shares s are found by expectation-maximisation (Saerens, Latinne and
Decaestecker, 2002). Rows of class k with the answer p are then a sample of just those rows of the
pool, so they count with the weight P(k | p) n_p / n_kp: the n_p labels with the answer p are
shared out as the pool would have them. What is not known of P(p | k), a Dirichlet posterior, is
carried over by draws: n_p is the number of coins that would leave the accuracy of the answer p as
unsure as the draws do, and all of them are scaled so that the overall accuracy is, too.

Notation: K classes, P answers, S draws; counts (K, P) of labelled rows, pool (P,) rows by answer.
"""

from __future__ import annotations

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["class_shares", "picked_weights"]

_DRAWS = 400
"""Draws of P(p | k): they know a variance to 7%."""
_STEPS = 200
"""Steps of expectation-maximisation; shares move by less than 0.001 after about 100."""
_PSEUDO = 0.5
"""Labels that the prior of P(p | k) is worth, shared by the answers."""
_LEAST = 1e-12


def class_shares(confusion: FloatArray, pool: FloatArray) -> FloatArray:
    """Return the share of each class (S, K) in a pool with these answers, (P,).

    ``confusion`` (S, K, P) holds P(p | k).
    """
    answers = pool / max(pool.sum(), _LEAST)
    shares = np.full(confusion.shape[:2], 1.0 / confusion.shape[1])
    for _ in range(_STEPS):
        expected = np.einsum("sk,skp->sp", shares, confusion)
        shares = shares * np.einsum(
            "skp,sp->sk", confusion, answers / np.maximum(expected, _LEAST)
        )
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), _LEAST)
    return np.asarray(shares)


def picked_weights(counts: FloatArray, pool: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the weight of a labelled row by class and answer, (K, P); 0 where there is none.

    The first K answers name the classes.
    """
    n_classes, n_answers = counts.shape
    shape = counts + _PSEUDO / n_answers
    drawn = rng.gamma(shape, size=(_DRAWS, *shape.shape))
    confusion = drawn / np.maximum(drawn.sum(axis=2, keepdims=True), _LEAST)
    joint = class_shares(confusion, pool)[:, :, None] * confusion
    of_answer = joint / np.maximum(joint.sum(axis=1, keepdims=True), _LEAST)  # P(k | p)
    right = np.diagonal(of_answer[:, :, :n_classes], axis1=1, axis2=2)  # (S, K)
    labels = counts.sum(axis=0)
    worth = np.minimum(_coins(right.mean(axis=0), right.var(axis=0)), labels[:n_classes])
    worth = np.append(worth, labels[n_classes:])  # an answer that names no class is never right
    answers = pool / max(pool.sum(), _LEAST)
    worth = worth * _shrink(right, worth[:n_classes], answers[:n_classes])
    share = np.where(counts > 0.0, of_answer.mean(axis=0), 0.0)
    share /= np.maximum(share.sum(axis=0), _LEAST)
    return np.asarray(np.where(counts > 0.0, worth * share / np.maximum(counts, 1.0), 0.0))


def _coins(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Return how many coins leave a rate with this mean as unsure as the variance says."""
    return np.maximum(mean * (1.0 - mean) / np.maximum(variance, _LEAST) - 1.0, 0.0)


def _shrink(right: FloatArray, worth: FloatArray, answers: FloatArray) -> float:
    """Return the factor, at most 1, with which answers that err together are worth less."""
    mean = right.mean(axis=0)
    apart = answers**2 @ (mean * (1.0 - mean) / (worth + 1.0))
    together = float(np.var(right @ answers))
    return min(float(apart) / max(together, _LEAST), 1.0)
