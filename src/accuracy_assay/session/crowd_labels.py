"""What the answers of several people to the same instances add up to in a session.

The truth of an instance is what someone settled, what an expert answered, or, where checks are
asked, the label of the seed set. As long as nobody is seen to err, everybody's answer is a label
that counts fully. Once someone is, three things change:

- An answer counts by how reliable its people are (`accuracy_assay.numerics.annotators`); those who
  answer at random have no vote, and ties go to the more reliable.
- With enough instances whose truth is known, and which were not picked because people disagree, a
  label that isn't certain becomes the probability that the service is right
  (`accuracy_assay.numerics.crowd_gold`), with a doubt that all of them share.
- Without, it becomes a score by what all answers to the instance, and the service's, say together
  (`accuracy_assay.numerics.crowd_score`), and the surface says that nothing verifies it.

The signal behind these probabilities is that of tables (``study.read.annotations``). There it is a
signal of every item; in a session most of the pool has no answer, so it speaks for the answered
instances alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.files.texts import digest_texts, normal_column, normal_text
from accuracy_assay.numerics.annotators import People, judge_all, judge_people
from accuracy_assay.numerics.crowd import Answers, standing, weigh_answers
from accuracy_assay.numerics.crowd_gold import calibrate_crowd
from accuracy_assay.numerics.crowd_score import Believed, believe, believe_labels, lean
from accuracy_assay.numerics.soft_scores import SoftScores, score_items
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.session.ledger import Ledger, Resolved
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.crowd import NOBODY, Crowd

__all__ = ["LEAST_CHECKED", "CrowdLabels", "crowd_of", "known_truths", "read_crowd"]

LEAST_CHECKED = 10
"""Fewest instances with known truth that say what answers are worth: with 15, 90% intervals of
three real crowds held in 91 to 99% of 80 draws; most samples below 10 see no error at all."""

SAYS = Mapping[str, Mapping[str, tuple[str, float | None]]]
"""What each service answered, and how sure it was if it says so, by instance."""

_BEFORE = 0.8
"""How often a service is taken to be right before people are known, to say whose second opinions
agree with whom."""
_COLUMNS = Columns.of(["arm"], y_true="answer", id="id", annotator="who", gold="truth")


@dataclass(frozen=True, eq=False)
class CrowdLabels:
    """What everybody's answers make of every answered instance.

    Parameters
    ----------
    labels
        What each instance is taken to be; those that only guessers answered are left out.
    trust
        How far the labels are verified.
    weight
        How much the label of an instance counts that isn't certain; empty while nobody errs.
    gauge
        Instances with known truth by which answers are judged; empty if they are too few.
    crowd
        The answers.
    people
        How reliable each person is, in the order of ``names``; None if answers are texts.
    beliefs
        What is believed about the instances of ``crowd``: of each service's answers, or, where
        truth will calibrate them, of the labels.
    state
        A fingerprint of all answers.
    """

    labels: Mapping[str, Resolved]
    trust: LabelTrust
    weight: Mapping[str, float]
    gauge: frozenset[str]
    crowd: Crowd
    people: People | None
    names: tuple[str, ...]
    beliefs: tuple[Believed, ...]
    state: str

    @property
    def is_certain(self) -> bool:
        """Whether every label counts fully."""
        return not self.weight

    @property
    def guessers(self) -> frozenset[str]:
        """People who answer at random."""
        if self.people is None:
            return frozenset()
        return frozenset(np.asarray(self.names)[self.people.is_random].tolist())

    def checks(self, chosen: BoolArray) -> tuple[int, int]:
        """Return how many of some answers known truth can check, and how many are right."""
        if self.crowd.gold is None:
            return 0, 0
        own = normal_column(self.crowd.gold).gather(self.crowd.answers.item)
        is_checked = own.is_not_null().to_numpy() & chosen
        is_right = (own == self.crowd.said).fill_null(value=False).to_numpy() & is_checked
        return int(is_checked.sum()), int(is_right.sum())

    def soft(
        self,
        ids: list[str],
        said: list[str],
        score: FloatArray,
        groups: IntArray | None,
        cells: IntArray,
    ) -> SoftScores | None:
        """Return scores of labelled instances with what is not certain; None if all of it is.

        Parameters
        ----------
        ids, said
            The labelled instances, and what the service answered, (m,).
        score
            Whether that is what the label says, (m,).
        groups
            Codes of the attributes, (m, K); None if they are guessed.
        cells
            The cell of each, (m,); where cells are guessed each is one of its own.
        """
        if self.is_certain:
            return None
        weight = np.asarray([self.weight.get(i, 1.0) for i in ids])
        is_soft = np.asarray([i in self.weight for i in ids])
        number = {i: at for at, i in enumerate(self.crowd.ids.to_list())}
        answered = np.asarray([i in number for i in ids])
        judged = np.asarray([i in self.gauge for i in ids])
        if judged.sum() < LEAST_CHECKED:
            if self.people is None:
                return SoftScores(score, weight)
            return _unverified(self, ids, said, score, is_soft, cells)
        at = np.flatnonzero(answered)
        table = pl.DataFrame({"id": [ids[k] for k in at], "said": [said[k] for k in at]})
        x = self.crowd.signal(table, "said")
        s = standing(x, x)
        found = calibrate_crowd(s[judged[at]], score[judged])
        chance, away = found.chance(s), found.directions(s, None if groups is None else groups[at])
        explains = found.explained(s)
        soft, made = score.copy(), np.zeros((away.shape[0], len(ids)))
        soft[at] = np.where(is_soft[at], chance, score[at])
        made[:, at] = np.where(is_soft[at], away, 0.0)
        usual = float(weight[is_soft].mean()) if is_soft.any() else 1.0
        counts = np.minimum(explains * weight / max(usual, np.finfo(float).tiny), 1.0)
        return SoftScores(soft, np.where(is_soft, counts, 1.0), made, explains)


def _unverified(
    known: CrowdLabels,
    ids: list[str],
    said: list[str],
    score: FloatArray,
    is_soft: BoolArray,
    cells: IntArray,
) -> SoftScores:
    """Return scores by all answers to each instance, and how far people's reliability moves them.

    The instances are those whose label isn't certain (``is_soft``); ``score`` has the others'.
    """
    crowd, people = known.crowd, known.people
    assert people is not None
    of_item = {i: at for at, i in enumerate(crowd.ids.to_list())}
    at = np.asarray([of_item[i] for i, soft in zip(ids, is_soft, strict=True) if soft], np.int64)
    cell = np.full(crowd.ids.len(), -1, dtype=np.int64)
    cell[at] = np.unique(cells[is_soft], return_inverse=True)[1]
    codes = _codes_said(crowd, dict(zip(ids, said, strict=True)))
    found = score_items(crowd.answers, people, codes, cell)
    assert found.away is not None
    soft, weight, away = score.copy(), np.ones(len(ids)), np.zeros((len(found.away), len(ids)))
    soft[is_soft], weight[is_soft] = found.score[at], found.weight[at]
    away[:, is_soft] = found.away[:, at]
    return SoftScores(soft, weight, away)


def _codes_said(crowd: Crowd, said: Mapping[str, str]) -> IntArray:
    """Return the classes of what a service said of each instance, as `believe` takes them."""
    texts = [said.get(i) for i in crowd.ids.to_list()]
    return crowd.codes_said(pl.Series(texts, dtype=pl.String))


def known_truths(spec: Spec, rows: AssayRows, ledger: Ledger) -> dict[str, str]:
    """Return the truth of every instance that has one: settled, by an expert, of the seed set."""
    found = {}
    if spec.label.checks:
        of_pool = (row for row in rows.seed_labels if row < rows.n_pool)
        found = {rows.ids[row]: rows.seed_labels[row] for row in of_pool}
    if ledger.experts or ledger.settled:
        every = ((i, ledger.truth_of(i)) for i in ledger.answers)
        found |= {i: truth for i, truth in every if truth is not None}
    return found


def crowd_of(ledger: Ledger, truth: Mapping[str, str]) -> Crowd | None:
    """Return the answers of all but experts; None without any."""
    given = [
        (i, who, answer.label, truth.get(i))
        for i, by in ledger.answers.items()
        for who, answer in by.items()
        if who not in ledger.experts
    ]
    if not given:
        return None
    names = dict.fromkeys(("id", "who", "answer", "truth"), pl.String)
    return Crowd.read(_COLUMNS, pl.DataFrame(given, schema=names, orient="row"))


def read_crowd(
    spec: Spec, rows: AssayRows, ledger: Ledger, says: SAYS = MappingProxyType({})
) -> CrowdLabels | None:
    """Return what people's answers add up to; None if no two of them can be compared.

    ``says`` has what services said, of the instances that they have answered.
    """
    truth = known_truths(spec, rows, ledger)
    by_id = ledger.answers
    if not any(len(by) > 1 or i in truth for i, by in by_id.items()):
        return None
    crowd = crowd_of(ledger, truth)
    if crowd is None:
        return None
    codes = _truth_codes(crowd)
    names = tuple(sorted({w for by in by_id.values() for w in by} - ledger.experts))
    people, said = None, dict[str, IntArray]()
    again = np.zeros(crowd.answers.item.size, dtype=bool)
    if not spec.seeks_truth:
        again = _is_again(crowd, names, ledger)
    if crowd.classes is not None:
        said = {
            name: _codes_said(crowd, {i: made[i][0] for i in by_id if i in made})
            for name, made in says.items()
        }
        people, of_others = _judged(crowd.answers, codes, again, said)
        crowd = crowd._replace(belief=weigh_answers(of_others, codes))
    errs = crowd.is_contradicted
    known = crowd.gold
    checked = [] if known is None else crowd.ids.filter(known.is_not_null()).to_list()
    gauge = frozenset(i for i in checked if i not in ledger.routed) if errs.any() else frozenset()
    if len(gauge) < LEAST_CHECKED or spec.has_label_attribute:
        gauge = frozenset()
    beliefs: tuple[Believed, ...] = ()
    if people is not None and spec.seeks_truth:
        beliefs = (believe_labels(crowd.answers, people.tendencies),)
    elif people is not None:
        beliefs = tuple(believe(crowd.answers, people.tendencies, each) for each in said.values())
    trust = crowd.trust(None)
    right = None
    if known is not None:
        own = normal_column(known).gather(crowd.answers.item)
        is_right = (own == crowd.said).filter(own.is_not_null())
        right = float(is_right.to_numpy().mean())
    is_verified = bool(gauge) or (not errs.any() and len(checked) >= LEAST_CHECKED)
    trust = replace(trust, checked=len(checked), right=right, is_verified=is_verified)
    labels = _labels(ledger, crowd, truth, people)
    trust = replace(trust, differ=crowd.differing(again))
    weight: dict[str, float] = {}
    if errs.any() and people is not None:
        weight = {
            i: w
            for i, w in zip(crowd.ids.to_list(), _worth(crowd, people).tolist(), strict=True)
            if i not in truth
        }
    elif errs.any():
        weight = {i: 1.0 for i in crowd.ids.to_list() if i not in truth}
    every = [(i, sorted((w, a.label) for w, a in by.items())) for i, by in by_id.items()]
    state = digest_texts(pl.Series([repr(each) for each in every]))
    return CrowdLabels(labels, trust, weight, gauge, crowd, people, names, beliefs, state)


def _is_again(crowd: Crowd, names: tuple[str, ...], ledger: Ledger) -> BoolArray:
    """Return which answers were asked for because others differ from what a service said."""
    chosen = {at for at, purpose in ledger.purposes.items() if purpose == "second"}
    if not chosen:
        return np.zeros(crowd.answers.item.size, dtype=bool)
    ids, given = crowd.ids.to_list(), crowd.answers
    pairs = zip(given.item.tolist(), given.person.tolist(), strict=True)
    return np.asarray([(ids[i], names[p]) in chosen for i, p in pairs])


def _judged(
    given: Answers, truth: IntArray, again: BoolArray, said: Mapping[str, IntArray]
) -> tuple[People, Answers]:
    """Return how reliable people are, and the answers of those who don't answer at random."""
    leaning = None
    if again.any() and said:
        share = judge_people(given, truth, again).share
        each = [np.exp(lean(codes, _BEFORE, share)) for codes in said.values()]
        leaning = np.log(np.mean(each, axis=0))[:, :-1]
    return judge_all(given, truth, again, leaning)


def _truth_codes(crowd: Crowd) -> IntArray:
    """Return the class of each item whose truth is known, -1 elsewhere."""
    found = np.full(crowd.ids.len(), -1, dtype=np.int64)
    if crowd.classes is None or crowd.gold is None:
        return found
    number = {text: k for k, text in enumerate(crowd.classes.to_list())}
    for at, text in enumerate(normal_column(crowd.gold).to_list()):
        found[at] = -1 if text is None else number.get(text, -1)
    return found


def _worth(crowd: Crowd, people: People) -> FloatArray:
    """Return how much the answers to each item count, by who gave them.

    A person who knows a share kappa of the items explains kappa^2 of the variance; people add up
    as if they erred independently.
    """
    left = np.log1p(-(people.knows[crowd.answers.person] ** 2))
    return np.asarray(1.0 - np.exp(np.bincount(crowd.answers.item, left, crowd.ids.len())))


def _labels(
    ledger: Ledger, crowd: Crowd, truth: Mapping[str, str], people: People | None
) -> dict[str, Resolved]:
    """Return what each answered instance is taken to be; without those of guessers alone."""
    found = {i: ledger.resolve(i) for i in ledger.answers}
    if crowd.classes is not None and people is not None:
        own, classes = found.copy(), crowd.classes.to_list()
        for i, code in zip(crowd.ids.to_list(), crowd.voted(people).tolist(), strict=True):
            if code == NOBODY:
                del found[i]
            elif code >= 0 and normal_text(own[i].label) != classes[code]:
                found[i] = replace(own[i], label=_spelled(ledger, i, classes[code]))
    for i, label in truth.items():
        if i in found:
            found[i] = replace(found[i], label=label, is_settled=True)
    return found


def _spelled(ledger: Ledger, instance: str, text: str) -> str:
    """Return an answer as the first who gave it wrote it."""
    given = (answer.label for answer in ledger.answers[instance].values())
    return next((label for label in given if normal_text(label) == text), text)
