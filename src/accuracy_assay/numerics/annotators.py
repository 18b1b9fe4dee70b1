"""How reliable each of several people is, where nobody is blamed for items that are hard for all.

Person j knows the class of an item with probability kappa_j. Otherwise they answer as they usually
do, whatever the item is: with m_j(l) the share of class l among their answers,

    P(j answers l | k is true) = kappa_j [l = k] + (1 - kappa_j) m_j(l)

What is true of an item, q_i(k), is known, or follows from what the others answered, weighed in the
same way. Where the others disagree, q is flat and says little about anyone: that is the effect of
hard items. A person may be one who guesses (kappa = 0) or one of the crowd, whose kappa is
Beta-distributed around what is usual.

Who mixes up classes, as one breed with its like, may be right as seldom as one who guesses; but
their answers depend on the item. So the odds of guessing are divided by what says that they do:
the evidence of an own distribution of answers for each true class, against one for all of them.

Without known items this is agreement: a crowd that errs together looks better than it is.

Items that were asked again because of their one answer are no random sample. There the first
answer is compared with nothing, and the others with it given all that the choice depended on:
what is true before any answer then depends on the item (``leaning``).

Notation: n answers, m people, K classes, a grid of kappa (S,).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from accuracy_assay.numerics.crowd import Answers
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["People", "Tendencies", "judge_all", "judge_people"]

_NAMED = 0.95
"""Probability from which someone is said to answer at random."""
_GUESSES_BEFORE = 0.2
"""Share of people who guess, before any answer: in crowds that nobody vets it is 10 to 40%, among
colleagues lower, and the first answers decide."""
_SPREAD = 2.0
"""Answers by a person's own shares that are added to those of each true class."""
_HARDLY = 0.2
"""Largest kappa of someone who answers at random: four answers in five have nothing to do with the
item."""
_GRID = np.linspace(0.0, 0.98, 50)
_STRENGTH = 6.0
"""Answers that the crowd counts for in one person's kappa."""
_MEASURE = 0.7
"""Quantile of the crowd's kappas that stands for a person who doesn't guess: with up to a third
of guessers it is one of the others."""
_STEPS = 12
"""Rounds of weighing people and items; kappa moves by less than 0.01 after about eight."""
_OWN = 2.0
"""Answers by the shares of all that are added to a person's own."""
_FIRST = 0.7
_LEAST, _MOST = 0.5, 0.9
"""Bounds of that kappa, so that a crowd of guessers isn't the measure, nor perfection."""
_TAILS = (0.05, 0.95)
_MOST_LOG = 50.0
"""Largest log evidence: more overflows, and says no more."""


@dataclass(frozen=True, eq=False)
class Tendencies:
    """How people answer: kappa (m,), their usual answers (m, K), and those of all (K,)."""

    knows: FloatArray
    usual: FloatArray
    share: FloatArray

    def evidence(self, given: Answers) -> FloatArray:
        """Return what the answers say of each class of each item, up to a constant, (N, K)."""
        usual = self.usual[given.person, given.answer]
        return _evidence(given, np.minimum(self.knows, _GRID[-1]), usual)[0]


@dataclass(frozen=True, eq=False)
class People:
    """What is known of each person, (m,) each.

    Parameters
    ----------
    accuracy, lower, upper
        Share of right answers to a typical item, with a 90% interval.
    knows, spread
        kappa: how often they know the answer, and its deviation.
    random
        Probability that they answer at random.
    compared
        Answers to items that others answered, or whose truth is known.
    at_grid
        Log-likelihood of each answer by kappa, (n, S), zero where it can't be compared.
    usual, share
        Shares of the classes among the answers of each person, (m, K), and of all, (K,).
    prior
        What is known of kappa before any answer, (S,).
    """

    accuracy: FloatArray
    lower: FloatArray
    upper: FloatArray
    knows: FloatArray
    spread: FloatArray
    random: FloatArray
    compared: IntArray
    at_grid: FloatArray
    usual: FloatArray
    share: FloatArray
    prior: FloatArray

    @property
    def is_random(self) -> BoolArray:
        """Who is said to answer at random, (m,)."""
        return np.asarray(self.random >= _NAMED)

    @property
    def tendencies(self) -> Tendencies:
        """How they answer; who answers at random knows nothing."""
        return Tendencies(np.where(self.is_random, 0.0, self.knows), self.usual, self.share)

    def of_part(self, person: int, answers: BoolArray | IntArray) -> tuple[float, float, float]:
        """Return accuracy and its interval by some answers of a person alone."""
        weight = _posterior(self.at_grid[answers].sum(axis=0), self.prior)
        mean, low, high = _summary(weight, float(self.usual[person] @ self.share))
        return float(mean), float(low), float(high)


def judge_people(
    given: Answers,
    truth: IntArray | None = None,
    again: BoolArray | None = None,
    leaning: FloatArray | None = None,
) -> People:
    """Return how reliable each person is.

    Parameters
    ----------
    given
        The answers.
    truth
        The class of each item, -1 where unknown, (N,).
    again
        Which answers were asked for because of earlier ones, (n,).
    leaning
        Log-probabilities of the classes of such items before any answer, (N, K).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> item, person = np.repeat(np.arange(60), 3), np.tile(np.arange(3), 60)
    >>> true = rng.integers(0, 2, 60)
    >>> said = np.where(person == 2, rng.integers(0, 2, 180), true[item])  # the third guesses
    >>> judge_people(Answers(item, person, said, 60, 3, 2)).is_random.tolist()
    [False, False, True]
    """
    known = np.full(given.n_items, -1) if truth is None else truth
    own, share = _usual_answers(given)
    usual = own[given.person, given.answer]
    before = np.broadcast_to(np.log(share), (given.n_items, given.n_classes))
    counts = (np.bincount(given.item, minlength=given.n_items) > 1) | (known >= 0)
    counts = counts[given.item]
    if again is not None and again.any():
        chosen = np.bincount(given.item, again, given.n_items) > 0
        firsts = np.bincount(given.item, ~again, given.n_items)
        counts &= again | ~chosen[given.item] | (firsts[given.item] > 1)
        if leaning is not None:
            before = np.where(chosen[:, None], leaning, before)
    compared = np.bincount(given.person, counts, given.n_people)
    knows, usually = np.full(given.n_people, _FIRST), _FIRST
    every = np.arange(given.item.size)
    for _ in range(_STEPS):
        agrees = _truth_by_others(given, known, knows, usual, before)[every, given.answer]
        from_knowing = knows[given.person] * agrees
        part = from_knowing / (from_knowing + (1.0 - knows[given.person]) * usual)
        total = np.bincount(given.person, np.where(counts, part, 0.0), given.n_people)
        knows = (total + _STRENGTH * usually) / (compared + _STRENGTH)
        knows = np.minimum(knows, _GRID[-1])
        if compared.any():
            middle = float(np.quantile(knows[compared > 0], _MEASURE))
            usually = float(np.clip(middle, _LEAST, _MOST))
    by_others = _truth_by_others(given, known, knows, usual, before)
    agrees = by_others[every, given.answer]
    at_grid = np.log(agrees[:, None] * _GRID + usual[:, None] * (1.0 - _GRID))
    at_grid[~counts] = 0.0
    prior = _prior_around(usually)
    logs = np.stack([np.bincount(given.person, c, given.n_people) for c in at_grid.T], axis=1)
    weight = _posterior(logs.astype(np.float64), prior)
    evidence = _log_dependence(given, by_others * counts[:, None], own)
    depends = np.exp(np.clip(evidence, 0.0, _MOST_LOG))
    guesses = weight[:, _GRID <= _HARDLY].sum(axis=1)
    weight[:, 0] /= depends
    weight /= weight.sum(axis=1, keepdims=True)
    mean, low, high = _summary(weight, (own @ share)[:, None])
    knows = weight @ _GRID
    return People(
        mean,
        low,
        high,
        knows,
        np.sqrt(np.maximum(weight @ _GRID**2 - knows**2, 0.0)),
        guesses / (guesses + (1.0 - guesses) * depends),
        compared.astype(np.int64),
        at_grid,
        own,
        share,
        prior,
    )


def judge_all(
    given: Answers,
    truth: IntArray | None = None,
    again: BoolArray | None = None,
    leaning: FloatArray | None = None,
) -> tuple[People, Answers]:
    """Return how reliable people are, and the answers of those who don't answer at random.

    Those who do have no say in how reliable the others are: without them it would be the same.
    Arguments are those of `judge_people`.
    """
    first = judge_people(given, truth, again, leaning)
    is_random = first.is_random
    kept = ~is_random[given.person]
    if kept.all() or not kept.any():
        return first, given
    others = replace(
        given, item=given.item[kept], person=given.person[kept], answer=given.answer[kept]
    )
    chosen = None if again is None else again[kept]
    second = judge_people(others, truth, chosen, leaning)
    at_grid = first.at_grid.copy()
    at_grid[kept] = second.at_grid
    people = replace(
        second,
        accuracy=np.where(is_random, first.accuracy, second.accuracy),
        lower=np.where(is_random, first.lower, second.lower),
        upper=np.where(is_random, first.upper, second.upper),
        knows=np.where(is_random, 0.0, second.knows),
        random=np.where(is_random, first.random, second.random),
        compared=np.where(is_random, first.compared, second.compared),
        at_grid=at_grid,
    )
    return people, others


def _evidence(
    given: Answers, knows: FloatArray, usual: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what answers say of each class of each item, (N, K), and what each adds, (n,).

    All but the answered class lack what it adds.
    """
    kappa = knows[given.person]
    more = np.log(kappa + (1.0 - kappa) * usual) - np.log((1.0 - kappa) * usual)
    at = given.item * given.n_classes + given.answer
    total: FloatArray = np.bincount(at, more, given.n_items * given.n_classes).astype(np.float64)
    return total.reshape(given.n_items, given.n_classes), np.asarray(more)


def _truth_by_others(
    given: Answers, known: IntArray, knows: FloatArray, usual: FloatArray, before: FloatArray
) -> FloatArray:
    """Return the chances of the classes, for each answer, by known truth or the others, (n, K)."""
    total, more = _evidence(given, knows, usual)
    others = (total + before)[given.item]
    others[np.arange(given.item.size), given.answer] -= more
    others -= others.max(axis=1, keepdims=True)
    q = np.exp(others)
    q /= q.sum(axis=1, keepdims=True)
    truth = known[given.item, None]
    return np.asarray(np.where(truth >= 0, truth == np.arange(given.n_classes), q))


def _log_dependence(given: Answers, truth: FloatArray, own: FloatArray) -> FloatArray:
    """Return the log evidence that answers depend on the true class, (m,).

    ``truth`` are the chances of the classes for each answer, (n, K), ``own`` the shares of a
    person's answers, (m, K).
    """
    from scipy.special import gammaln  # here and not above: telling an answer needs none of it

    k = given.n_classes
    at, size = given.person * k + given.answer, given.n_people * k
    counts = np.stack([np.bincount(at, column, size).reshape(-1, k) for column in truth.T], axis=1)
    before = _SPREAD * own[:, None]
    apart = gammaln(before + counts) - gammaln(before)
    apart = apart.sum(axis=2) + gammaln(_SPREAD) - gammaln(_SPREAD + counts.sum(axis=2))
    alike = (counts * np.log(own)[:, None]).sum(axis=(1, 2))
    return np.asarray(apart.sum(axis=1) - alike)


def _usual_answers(given: Answers) -> tuple[FloatArray, FloatArray]:
    """Return the shares of the classes among the answers of each person, (m, K), and of all."""
    k = given.n_classes
    counts = np.bincount(given.person * k + given.answer, minlength=given.n_people * k)
    table = counts.reshape(given.n_people, k).astype(np.float64)
    share = (table.sum(axis=0) + 1.0) / (table.sum() + k)
    own = table + _OWN * share
    return np.asarray(own / own.sum(axis=1, keepdims=True)), share


def _prior_around(usually: float) -> FloatArray:
    """Return the probabilities of kappa on the grid; the first is of who guesses."""
    a, b = _STRENGTH * usually, _STRENGTH * (1.0 - usually)
    inner = _GRID[1:]
    density = inner ** (a - 1.0) * (1.0 - inner) ** (b - 1.0)
    others = (1.0 - _GUESSES_BEFORE) * density / density.sum()
    return np.concatenate([[_GUESSES_BEFORE], others])


def _posterior(logs: FloatArray, prior: FloatArray) -> FloatArray:
    weight = np.log(prior) + logs
    weight = np.exp(weight - weight.max(axis=-1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def _summary(
    weight: FloatArray, chance: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and ends of a 90% interval of the share of right answers."""
    right = np.broadcast_to(_GRID + (1.0 - _GRID) * chance, weight.shape)
    below = np.cumsum(weight, axis=-1)
    low, high = (
        np.minimum(np.asarray((below < tail).sum(axis=-1)), _GRID.size - 1) for tail in _TAILS
    )
    ends = (np.take_along_axis(right, at[..., None], -1)[..., 0] for at in (low, high))
    lower, upper = ends
    return np.asarray((weight * right).sum(axis=-1)), np.asarray(lower), np.asarray(upper)
