"""What the answers of many people say about each item, before any truth is known.

Each person j has a confusion C_j[k, l], the probability of answering l where k is true, and each
class a share pi_k (Dawid and Skene, 1979). Expectation maximisation from the majority gives

    log P(k | answers of item i) = log pi_k + sum over its answers (j, l) of log C_j[k, l]

up to a constant. A person with few answers is taken for a typical one: the rows of C_j are shrunk
towards those of the whole crowd. Items that are hard make everybody err together, so these
probabilities are too sure of themselves. They order items, and gold says what they are worth.

Where the truth of some items is known, people's confusions are counted with it, but each of these
items is judged as if its own truth were not known.

Notation: N items, m people, K classes; an answer is an item, a person and a class. ``belief``
(N, K) holds the logs above, ``votes`` (N, K) the number of answers of each class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Answers", "log_odds", "settle_votes", "standing", "weigh_answers"]

_STEPS = 60
"""Most steps of expectation maximisation; the order of the items is settled after about twenty."""
_SETTLED = 1e-3
"""Largest change of a probability at which they end early: a hundredth of what moves a stratum."""
_TYPICAL = 2.0
"""Answers per class that the crowd's own confusion counts for in that of a person: people with
three or four answers are common, and have nothing to say about themselves."""
_SPREAD = 0.5
"""Pseudo-answers of each class in the crowd's confusion, so that no answer is impossible."""

_LOWEST, _HIGHEST = -4.0, 2.0
"""Bounds of a standing, in deviations: few items are far below, where nearly all say the service
errs."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers as arrays: item, person and class of each, (n,), and how many there are of each."""

    item: IntArray
    person: IntArray
    answer: IntArray
    n_items: int
    n_people: int
    n_classes: int

    @property
    def votes(self) -> FloatArray:
        """How many people gave each answer to each item, (N, K)."""
        at = self.item * self.n_classes + self.answer
        found = np.bincount(at, minlength=self.n_items * self.n_classes)
        return found.reshape(self.n_items, self.n_classes).astype(np.float64)


def weigh_answers(given: Answers, truth: IntArray | None = None) -> FloatArray:
    """Return the log-probability of each class for each item, up to a constant, (N, K).

    An item without answers has the shares of the classes. ``truth`` (N,) is the class of each item
    where it is known, -1 elsewhere; what is said of an item leaves its own out.

    Examples
    --------
    >>> item, person = np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40)
    >>> truth = np.arange(40) % 2
    >>> said = np.where(person == 2, 0, truth[item])  # the third always says the same
    >>> belief = weigh_answers(Answers(item, person, said, 40, 3, 2))
    >>> bool((belief.argmax(axis=1) == truth).all())
    True
    """
    n_classes = given.n_classes
    votes = given.votes
    belief = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)
    belief[votes.sum(axis=1) == 0.0] = 1.0 / n_classes
    logs = np.log(np.maximum(belief, 1e-12))
    known = np.flatnonzero(truth >= 0) if truth is not None else np.zeros(0, dtype=np.int64)
    certain = np.eye(n_classes)[truth[known]] if truth is not None else belief[known]
    belief[known] = certain
    for _ in range(_STEPS):
        share = (belief.sum(axis=0) + 1.0) / (given.n_items + n_classes)
        counts = _counts(given, belief)
        logs = np.log(share) + _evidence(given, np.log(_confusions(counts)))
        logs -= logs.max(axis=1, keepdims=True)
        before, belief = belief, np.exp(logs)
        belief /= belief.sum(axis=1, keepdims=True)
        belief[known] = certain
        if np.abs(belief - before).max() < _SETTLED:
            break
    if truth is not None and known.size:
        logs[known] = _without_own_truth(given, truth, counts, share)[known]
    return np.asarray(logs)


def log_odds(belief: FloatArray, said: IntArray) -> FloatArray:
    """Return the log-odds that what a service said is true, (N,).

    ``said`` (N,) are classes, negative where the service said something that nobody answered: such
    an item is placed below all others.

    Examples
    --------
    >>> log_odds(np.log([[0.8, 0.2], [0.5, 0.5]]), np.array([0, -1])).round(3).tolist()
    [1.386, 0.386]
    """
    at = np.arange(said.size)
    known = said >= 0
    own = belief[at, np.maximum(said, 0)]
    others = belief.copy()
    others[at, np.maximum(said, 0)] = -np.inf
    found = own - np.logaddexp.reduce(others, axis=1)
    lowest = found[known].min() - 1.0 if known.any() else 0.0
    return np.where(known, found, lowest)


def standing(x: FloatArray, every: FloatArray) -> FloatArray:
    """Return how many deviations log-odds lie above the mean of all, within bounds.

    Examples
    --------
    >>> standing(np.array([-90.0, 10, 30]), np.array([10.0, 20, 30])).round(2).tolist()
    [-4.0, -1.22, 1.22]
    """
    spread = float(every.std())
    away = (x - every.mean()) / spread if spread > 0.0 else np.zeros(x.shape)
    return np.clip(away, _LOWEST, _HIGHEST)


def settle_votes(votes: FloatArray, belief: FloatArray) -> IntArray:
    """Return the answer that most people gave to each item, (N,); -1 without answers.

    Ties go to the answer of the more reliable people.

    Examples
    --------
    >>> votes, belief = np.array([[2.0, 1], [1, 1], [0, 0]]), np.log([[1, 1], [1, 3], [1, 1]])
    >>> settle_votes(votes, belief).tolist()
    [0, 1, -1]
    """
    most = votes == votes.max(axis=1, keepdims=True)
    found = np.where(most, belief, -np.inf).argmax(axis=1)
    return np.where(votes.sum(axis=1) > 0.0, found, -1).astype(np.int64)


def _counts(given: Answers, belief: FloatArray) -> FloatArray:
    """Return how often each person answered what where each class is believed true, (m, K, K)."""
    m, k = given.n_people, given.n_classes
    at = given.person * k + given.answer
    return np.stack(
        [
            np.bincount(at, belief[given.item, true], minlength=m * k).reshape(m, k)
            for true in range(k)
        ],
        axis=1,
    )


def _confusions(counts: FloatArray) -> FloatArray:
    """Return C (m, K, K): how each person answers where each class is true."""
    crowd = _crowd_of(counts)
    counts = counts + _TYPICAL * crowd.shape[0] * crowd
    found: FloatArray = counts / counts.sum(axis=2, keepdims=True)
    return found


def _crowd_of(counts: FloatArray) -> FloatArray:
    """Return how a typical person answers, (K, K)."""
    k = counts.shape[1]
    crowd = counts.sum(axis=0) + _SPREAD + _SPREAD * k * np.eye(k)
    return np.asarray(crowd / crowd.sum(axis=1, keepdims=True))


def _evidence(given: Answers, logs: FloatArray) -> FloatArray:
    """Return the sum of log C_j[k, l] over the answers of each item, (N, K)."""
    of_answer = logs[given.person, :, given.answer]
    return _summed(given, of_answer)


def _summed(given: Answers, logs: FloatArray) -> FloatArray:
    """Return the sums over the answers of each item of one row per answer, (N, K)."""
    columns = [np.bincount(given.item, logs[:, k], given.n_items) for k in range(given.n_classes)]
    return np.stack(columns, axis=1)


def _without_own_truth(
    given: Answers, truth: IntArray, counts: FloatArray, share: FloatArray
) -> FloatArray:
    """Return the logs of items, each by the confusions without what its own truth says, (N, K).

    Only the row of its true class counts the answer, so one is taken from there.
    """
    k = given.n_classes
    weight = _TYPICAL * k * _crowd_of(counts)
    person, answer, true = given.person, given.answer, truth[given.item]
    rows = counts[person] + weight  # (answers, K, K)
    every = np.arange(person.size)
    rows[every[true >= 0], true[true >= 0], answer[true >= 0]] -= 1.0
    chance = rows[every, :, answer] / rows.sum(axis=2)
    logs = np.log(share) + _summed(given, np.log(np.maximum(chance, 1e-12)))
    return np.asarray(logs - logs.max(axis=1, keepdims=True))
