"""Asking for instances that somebody has answered: checks, random overlap, second opinions.

They come only where the spec says something of its annotators (`Spec.overlap`, ``checks``,
``experts``). Each batch has its share of

- checks: instances whose truth is known, so that everybody's answers can be judged;
- overlap: instances drawn at random from those that others answered, so that agreement can be
  judged, and an expert's answers are gold for what others say;
- second opinions where they teach most: where people contradict each other or the service, and
  the more so the less is known of them, whether the service is right is in doubt
  (`accuracy_assay.numerics.crowd_score`). An answer of this person is asked for if it lowers that
  doubt by more than their answer to a new instance, and by more for its price than anyone's.
  Where truth will calibrate what answers are worth (``checks``, ``experts``), the doubt is about
  the label, whatever the service said.

Whoever answers at random is asked for checks alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

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
    if crowd is None or crowd.people is None or crowd.is_certain or not crowd.beliefs:
        return
    tendencies, beliefs = crowd.people.tendencies, crowd.beliefs
    kappa, usual = _USUAL, tendencies.share
    if annotator in crowd.names:
        person = crowd.names.index(annotator)
        kappa, usual = float(tendencies.knows[person]), tendencies.usual[person]
    kappa = _SURE if annotator in ledger.experts else kappa
    gain = np.mean([each.gain(kappa, usual) for each in beliefs], axis=0)
    of_usual = [each.gain_of_new(_USUAL, tendencies.share) for each in beliefs]
    least = spec.price_of(annotator) * float(np.mean(of_usual))
    if not spec.seeks_truth:
        least = max(least, float(np.mean([each.gain_of_new(kappa, usual) for each in beliefs])))
    ids = crowd.crowd.ids.to_list()
    for at in np.argsort(-gain, kind="stable"):
        if gain[at] <= least:
            return
        yield ids[at]
