"""Asking for instances that somebody has answered: checks, random overlap, second opinions.

They come only where the spec says something of its annotators (`Spec.overlap`, ``checks``,
``experts``). Each batch has its share of

- checks: instances whose truth is known, so that everybody's answers can be judged;
- overlap: instances drawn at random from those that others answered, so that agreement can be
  judged, and an expert's answers are gold for what others say;
- second opinions where they teach most: answers that contradict each other, or come from someone
  unreliable, are worth more than a new instance, if an answer of this person lowers the doubt by
  more per price.

Whoever answers at random is asked for checks alone.

Notation: p the probability of the likeliest label of an instance, kappa how often a person knows
the answer, c the chance of a lucky guess. The doubt is p (1 - p).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from accuracy_assay.numerics.annotators import label_chances
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.session.crowd_labels import CrowdLabels, known_truths
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec

__all__ = ["Extra", "choose_extras"]

_CHECKING = 0.5
"""Share of an expert's answers that check what others said: gold that nobody else answered says
nothing of them."""
_MOST_MORE = 2
"""Answers to an instance beyond those that the spec wants: one breaks a tie, one makes sure."""
_NEW = 0.8
"""Probability that a service is right about a new instance, whose doubt an answer lowers."""
_USUAL = 0.7
"""kappa of someone of whom nothing is known."""
_SURE = 1.0
"""kappa of an expert, by what the word means."""


@dataclass(frozen=True)
class Extra:
    """An instance to be asked again: why, and the probability with which it was drawn."""

    instance: str
    purpose: str
    probability: float


def choose_extras(
    spec: Spec,
    rows: AssayRows,
    ledger: Ledger,
    crowd: CrowdLabels | None,
    annotator: str,
    count: int,
    now: float,
) -> list[Extra]:
    """Return at most ``count`` instances that an annotator is asked for besides new ones."""
    if not spec.asks_again or count <= 0:
        return []
    name = zlib.crc32(annotator.encode("utf-8", "replace"))
    rng = np.random.default_rng([spec.assay.seed, 8, ledger.n_rounds, name])
    is_expert = annotator in ledger.experts
    truth = known_truths(spec, rows, ledger)
    checks: list[Extra] = []
    if spec.label.checks and not is_expert:
        known = [i for i in truth if ledger.is_free(i, annotator, now, is_extra=True)]
        checks = _drawn(known, _share(spec.label.checks, count, rng), "check", rng)
    if crowd is not None and annotator in crowd.guessers:
        return checks
    begun = [
        i
        for i, by in ledger.answers.items()
        if i not in truth
        and any(who not in ledger.experts for who in by)
        and len(by) < ledger.answers_wanted + _MOST_MORE
        and ledger.is_free(i, annotator, now, is_extra=True)
        and not ledger.leases.n_holders(i, now)
    ]
    share = max(spec.overlap, _CHECKING) if is_expert else spec.overlap
    drawn = _drawn(begun, _share(share, count - len(checks), rng), "overlap", rng)
    taken = {extra.instance for extra in drawn}
    left = count - len(checks) - len(drawn)
    telling = _most_telling(spec, ledger, crowd, annotator)
    most = [i for i in telling if i not in taken and i in set(begun)][: -(-left // 2)]
    return [*checks, *drawn, *(Extra(i, "second", 1.0) for i in most)]


def _share(share: float, count: int, rng: np.random.Generator) -> int:
    """Return a share of a number, rounded at random so that it holds on average."""
    wanted = share * max(count, 0)
    return int(wanted) + int(rng.random() < wanted - int(wanted))


def _drawn(ids: list[str], count: int, purpose: str, rng: np.random.Generator) -> list[Extra]:
    count = min(count, len(ids))
    if not count:
        return []
    at = rng.choice(len(ids), count, replace=False)
    return [Extra(ids[k], purpose, count / len(ids)) for k in at]


def _most_telling(
    spec: Spec, ledger: Ledger, crowd: CrowdLabels | None, annotator: str
) -> Iterator[str]:
    """Yield answered instances of which an answer tells more than of a new one, best first."""
    if crowd is None or crowd.people is None or crowd.is_certain:
        return
    known: Mapping[str, float] = dict(zip(crowd.names, crowd.people.knows.tolist(), strict=True))
    kappa = _SURE if annotator in ledger.experts else known.get(annotator, _USUAL)
    guess = 1.0 / crowd.crowd.answers.n_classes
    p = label_chances(crowd.crowd.answers, crowd.people.knows)
    new = float(_gain(np.asarray([_NEW]), _USUAL, guess)[0])
    gain = _gain(p, kappa, guess) / spec.price_of(annotator)
    ids = crowd.crowd.ids.to_list()
    for at in np.argsort(-gain, kind="stable"):
        if gain[at] <= new:
            return
        yield ids[at]


def _gain(p: FloatArray, kappa: float, guess: float) -> FloatArray:
    """Return by how much one answer is expected to lower the doubt p (1 - p)."""
    agrees, errs = kappa + (1.0 - kappa) * guess, (1.0 - kappa) * guess
    says = p * agrees + (1.0 - p) * errs
    after = p * agrees * (1.0 - p) * errs / np.maximum(says, 1e-12)
    other = p * (1.0 - agrees) * (1.0 - p) * (1.0 - errs) / np.maximum(1.0 - says, 1e-12)
    return np.asarray(p * (1.0 - p) - after - other)
