"""The answers of several people to each item: who gave which, and what they make of an item."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import agreement, equal_columns
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.person_names import one_name
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.files.texts import normal_column
from accuracy_assay.numerics.annotators import People, judge_all
from accuracy_assay.numerics.crowd import Answers, log_odds, settle_votes, weigh_answers
from accuracy_assay.numerics.crowd_gold import calibrate_crowd
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["NOBODY", "Crowd", "NamesWarning", "items_of"]

NOBODY = -2
"""In place of a class: nobody has a vote."""
_OPEN = -1
_SAME = 1e-6
"""Difference of log-odds up to which two people are equally reliable: rounding."""
_GUESS = 0.5
"""Part of a lucky guess in the odds of an answer, as of two choices."""

_MOST_CLASSES = 50
"""Most different answers that are classes; more are texts, compared one by one."""


class NamesWarning(UserWarning):
    """Names of annotators that are one person's."""


class Crowd(NamedTuple):
    """The answers, and a table with one row per item.

    ``answers`` number the items in the order of ``items``; ``said`` is the text of each answer.
    ``classes`` are the different answers, None if there are too many for classes. ``people`` are
    known where answers alone say how reliable they are, and some differ.
    """

    columns: Columns
    items: pl.DataFrame
    ids: pl.Series
    answers: Answers
    said: pl.Series
    classes: pl.Series | None
    belief: FloatArray
    people: People | None = None

    @classmethod
    def read(cls, columns: Columns, rows: pl.DataFrame, services: Collection[str] = ()) -> Crowd:
        """Return the answers in some rows, one each; ``services`` are columns that items keep."""
        needed = [columns.id, columns.annotator, columns.y_true, columns.y_pred, columns.gold]
        require_columns(rows, [name for name in needed if name is not None])
        answer, who = str(columns.y_true), str(columns.annotator)
        is_answer = normal_column(rows.get_column(answer)).is_not_null()
        given = rows.filter(is_answer)
        if given.get_column(who).null_count():
            raise InputError(
                f"annotator {who!r} must be known for every answer; got "
                f"{given.get_column(who).null_count():,} without one. Give each an id of its own."
            )
        if not given.height:
            raise InputError(f"column {answer!r} must have an answer in some row; got none.")
        items = items_of(columns, _blanks_to_null(rows, columns.gold), services)
        ids = normal_column(items.get_column(str(columns.id)))
        given = given.with_columns(_one_name_each(given.get_column(who)))
        given = given.unique([str(columns.id), who, answer], maintain_order=True)
        number = pl.DataFrame({"id": ids, "at": np.arange(ids.len())})
        of = pl.DataFrame({"id": normal_column(given.get_column(str(columns.id)))})
        item = of.join(number, on="id", how="left", maintain_order="left")["at"].to_numpy()
        people = given.get_column(who)
        person = people.rank("dense").to_numpy().astype(np.int64) - 1
        said = normal_column(given.get_column(answer))
        classes = said.unique().sort()
        code = classes.search_sorted(said).to_numpy().astype(np.int64)
        is_text = columns.agreement != "equal" or classes.len() > _MOST_CLASSES
        n_classes = max(classes.len(), 2)
        answers = Answers(
            np.asarray(item, np.int64), person, code, ids.len(), people.n_unique(), n_classes
        )
        belief = np.zeros((0, 0)) if is_text else weigh_answers(answers)
        return cls(columns, items, ids, answers, said, None if is_text else classes, belief)

    @property
    def gold(self) -> pl.Series | None:
        """The true answer of each item, null where unknown; None if none is known."""
        if self.columns.gold is None:
            return None
        found = self.items.get_column(self.columns.gold)
        return found if found.null_count() < found.len() else None

    def is_settled(self, pool: pl.DataFrame | None) -> bool:
        """Whether every item, of the pool if there is one, has gold: answers add nothing."""
        if self.gold is None:
            return False
        whole = self.items if pool is None else pool
        ids = normal_column(whole.get_column(str(self.columns.id)))
        return bool(ids.is_in(self.ids.filter(self.gold.is_not_null()).implode()).all())

    @property
    def judged(self) -> Crowd:
        """The same with how reliable people are, if there is no gold and answers differ."""
        if self.gold is not None or self.classes is None or not self.is_contradicted.any():
            return self
        return self._replace(people=judge_all(self.answers)[0])

    @property
    def vote(self) -> pl.Series:
        """What most people answered to each item, null without answers.

        Guessers have no vote, unless everybody looks like one.
        """
        if self.classes is None:
            of = pl.DataFrame({"item": self.answers.item, "said": self.said})
            most = of.group_by("item").agg(pl.col("said").mode().sort().first())
            at = pl.DataFrame({"item": np.arange(self.ids.len())})
            return at.join(most, on="item", how="left", maintain_order="left")["said"]
        if self.people is None or self.people.is_random.all():
            found = settle_votes(self.answers.votes, self.belief)
        else:
            found = self.voted(self.people)
            found = np.where(found == _OPEN, self._first, found)
        texts = self.classes.gather(np.maximum(found, 0))
        return pl.select(pl.when(pl.Series(found >= 0)).then(texts)).to_series()

    def voted(self, people: People) -> IntArray:
        """Return the class that most people answered to each item, (N,), ties by reliability.

        Who answers at random has no vote. It is `NOBODY` if nobody else answered, and -1 where
        equally reliable people contradict each other: then the earliest answer stands.
        """
        given, shape = self.answers, (self.answers.n_items, self.answers.n_classes)
        kept = ~people.is_random[given.person]
        at = (given.item * given.n_classes + given.answer)[kept]
        sure = np.log(people.knows[given.person] + _GUESS) - np.log1p(-people.knows[given.person])
        votes = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
        weight = np.bincount(at, sure[kept], shape[0] * shape[1]).reshape(shape)
        weight = np.where(votes == votes.max(axis=1, keepdims=True), weight, -np.inf)
        two = -np.sort(-weight, axis=1)[:, :2]
        found = np.where(two[:, 0] - two[:, 1] > _SAME, weight.argmax(axis=1), _OPEN)
        return np.asarray(np.where(votes.sum(axis=1) > 0, found, NOBODY))

    @property
    def _first(self) -> IntArray:
        """The earliest of the answers that most people gave to each item, (N,)."""
        given, votes = self.answers, self.answers.votes
        is_top = votes[given.item, given.answer] == votes.max(axis=1)[given.item]
        items, at = np.unique(given.item[is_top], return_index=True)
        found = np.full(given.n_items, NOBODY)
        found[items] = given.answer[is_top][at]
        return found

    def signal(self, table: pl.DataFrame, service: str) -> FloatArray:
        """Return the log-odds that a service's answer is true, for each row of a table."""
        ids = normal_column(table.get_column(str(self.columns.id)))
        number = pl.DataFrame({"id": self.ids, "at": np.arange(self.ids.len())})
        at = pl.DataFrame({"id": ids}).join(number, on="id", how="left", maintain_order="left")
        item = at["at"].fill_null(self.ids.len()).to_numpy().astype(np.int64)
        predicted = table.get_column(service)
        if self.classes is None:
            return self._shares(item, predicted)
        share = np.exp(self.belief)
        share /= share.sum(axis=1, keepdims=True)
        nobody = np.log(np.maximum(share.mean(axis=0, keepdims=True), 1e-12))
        belief = np.concatenate([self.belief, nobody])[item]
        return log_odds(belief, self.codes(predicted))

    def codes(self, texts: pl.Series) -> IntArray:
        """Return the classes of some texts; -1 for what nobody answered."""
        assert self.classes is not None
        said = normal_column(texts)
        code = self.classes.search_sorted(said).to_numpy().astype(np.int64)
        code = np.minimum(code, self.classes.len() - 1)
        is_class = (self.classes.gather(code) == said).fill_null(value=False).to_numpy()
        return np.where(is_class, code, -1)

    def codes_said(self, texts: pl.Series) -> IntArray:
        """Return the same of a service's answers: one more class for what nobody answered.

        It is -1 where the service said nothing.
        """
        is_said = normal_column(texts).is_not_null().to_numpy()
        codes = self.codes(texts)
        return np.where(is_said, np.where(codes < 0, self.answers.n_classes, codes), -1)

    @property
    def is_contradicted(self) -> BoolArray:
        """Which answers differ from another, or from the known truth, of their item."""
        table = pl.DataFrame({"item": self.answers.item, "said": self.said})
        several = table.select(pl.col("said").n_unique().over("item") > 1).to_series().to_numpy()
        if self.gold is None:
            return np.asarray(several)
        own = normal_column(self.gold).gather(self.answers.item)
        return np.asarray(several | (own != self.said).fill_null(value=False).to_numpy())

    def differing(self, again: BoolArray | None = None) -> float:
        """Return the share of answers that differ from the majority, among items with several.

        Those of guessers count too: without them the range that rests on it is too narrow. Items
        that were asked again because of their answer (``again``) are no random sample, unless
        there are no others.
        """
        given = self.answers
        own = normal_column(self._replace(people=None).vote).gather(given.item)
        differs = (own != self.said).fill_null(value=False).to_numpy()
        counts = np.bincount(given.item, minlength=given.n_items)[given.item] > 1
        chosen = np.zeros(differs.size, dtype=bool)
        if again is not None:
            chosen = np.bincount(given.item, again, given.n_items)[given.item] > 0
        for kept in (counts & ~chosen, counts):
            if kept.any():
                return float(differs[kept].mean())
        return 0.0

    def _shares(self, item: IntArray, predicted: pl.Series) -> FloatArray:
        """Return the log-odds of the share of answers that agree with a prediction."""
        n_items = self.ids.len()
        row_of = np.full(n_items + 1, -1)
        row_of[item] = np.arange(item.size)
        at = row_of[self.answers.item]
        is_here = at >= 0
        own, theirs = predicted.gather(at[is_here]), self.said.filter(pl.Series(is_here))
        if self.columns.agreement == "equal":
            same = equal_columns(theirs, own).fill_null(value=False).to_numpy().astype(float)
        else:
            texts = [t or "" for t in normal_column(own).to_list()]
            same = np.asarray(agreement(self.columns.agreement)(theirs.to_list(), texts), float)
        agrees = np.bincount(at[is_here], same, item.size)
        count = np.bincount(at[is_here], minlength=item.size)
        usual = (same.sum() + 1.0) / (same.size + 2.0)  # one typical answer beside those given
        return np.asarray(np.log((agrees + usual) / (count - agrees + 1.0 - usual)))

    def trust(self, gold: pl.Series | None) -> LabelTrust:
        """Return what is known about the answers; ``gold`` verifies them."""
        items = int(np.unique(self.answers.item).size)
        found = LabelTrust(
            items, self.answers.n_people, self.said.len(), 0, None, self.differing()
        )
        if gold is None:
            return found
        truth = normal_column(gold).gather(self.answers.item)
        is_checked = truth.is_not_null()
        checked = int(np.unique(self.answers.item[is_checked.to_numpy()]).size)
        is_right = (truth == self.said).filter(is_checked)
        right = float(is_right.mean()) if is_right.len() else None  # type: ignore[arg-type]
        return replace(found, checked=checked, right=right, is_verified=True)

    def trust_about(self, found: LabelTrust | None, service: str, s: FloatArray) -> LabelTrust:
        """Return `trust` with what answers say of a service, given how it stands on each item."""
        gold = self.gold
        assert gold is not None
        assert found is not None
        known = replace(self.columns, y_true=gold.name, y_pred=service, annotator=None, gold=None)
        scores = known.scores(self.items.filter(gold.is_not_null())).to_numpy()
        if np.ptp(scores) == 0.0:
            return found
        explains = calibrate_crowd(s[gold.is_not_null().to_numpy()], scores).explained(s)
        return replace(found, explains=explains)


def _blanks_to_null(rows: pl.DataFrame, name: str | None) -> pl.DataFrame:
    """Return rows with no blank texts in a column: a gold answer that nobody gave is unknown."""
    if name is None:
        return rows
    is_known = normal_column(rows.get_column(name)).is_not_null()
    return rows.with_columns(pl.when(is_known).then(pl.col(name)).alias(name))


def _one_name_each(names: pl.Series) -> pl.Series:
    """Return names in one form; a warning says whose names were written in several."""
    written = names.cast(pl.String).unique().drop_nulls()
    made = pl.Series([one_name(name) for name in written.to_list()], dtype=pl.String)
    several = made.filter(made.is_duplicated()).unique().sort()
    if several.len():
        warnings.warn(
            f"annotators {several.to_list()[:3]} have names in several forms, which differ in "
            "spaces or Unicode: each counts as one person.",
            NamesWarning,
            stacklevel=2,
        )
    return names.cast(pl.String).replace_strict(written, made, default=None)


def items_of(columns: Columns, rows: pl.DataFrame, services: Collection[str] = ()) -> pl.DataFrame:
    """Return one row per item, in the order in which items come; gold from whichever row has it.

    Raises
    ------
    InputError
        If rows of one item have different gold, predictions or attributes.
    """
    item = str(columns.id)
    require_columns(rows, [item])
    of_answers = {columns.annotator, columns.y_true} - {columns.gold}
    kept = [name for name in rows.columns if name not in of_answers]
    meant = {*columns.names, *columns.signals, columns.y_pred, columns.gold, columns.cluster}
    same = {*meant, *services} & set(kept)
    firsts = [pl.col(n).drop_nulls().first() for n in kept if n != item]
    values = [pl.col(n).drop_nulls().n_unique().alias(f"\0{n}") for n in sorted(map(str, same))]
    if rows.get_column(item).null_count():
        raise InputError(f"id {item!r} must be known for every row; got some without a value.")
    found = rows.group_by(item, maintain_order=True).agg(*firsts, *values)
    for name in sorted(map(str, same)):
        several = found.filter(pl.col(f"\0{name}") > 1)
        if several.height:
            which = several.get_column(item)[0]
            given = rows.filter(pl.col(item) == which).get_column(name).unique().to_list()
            raise InputError(
                f"column {name!r} must have one value per item; got {given[:3]} for item "
                f"{which!r}."
            )
    return found.select(item, *(n for n in kept if n != item))
