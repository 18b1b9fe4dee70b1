"""The answers of several people: who has a vote, and how far they differ."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.read.crowd import Crowd

COLUMNS = Columns.of(["any"], y_true="answer", id="id", annotator="who")


def crowd_of(said: dict[str, str]) -> Crowd:
    """Return answers, a letter to each item and a dot for none, by who gave them."""
    given = [
        (str(i), who, answer)
        for who, answers in said.items()
        for i, answer in enumerate(answers)
        if answer != "."
    ]
    return Crowd.read(COLUMNS, pl.DataFrame(given, schema=["id", "who", "answer"], orient="row"))


def test_who_agrees_is_not_judged() -> None:
    crowd = crowd_of({"ann": "aab", "bob": "aab"})
    assert not crowd.is_contradicted.any()
    assert crowd.judged is crowd


def test_answers_that_differ_are_counted_where_an_item_has_several() -> None:
    crowd = crowd_of({"ann": "aabb", "bob": "aaa.", "cem": "aab."})
    assert crowd.trust(None).differ == pytest.approx(1 / 9)


def test_guessers_have_no_vote() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b"], 200)
    other = np.where(truth == "a", "b", "a")
    said = {
        name: "".join(np.where(rng.random(200) < 0.95, truth, other)) for name in ("ann", "bob")
    }
    guess = {name: "".join(rng.choice(["a", "b"], 200)) for name in ("dan", "eve", "fay")}
    plain, judged = crowd_of({**said, **guess}), crowd_of({**said, **guess}).judged
    assert judged.people is not None
    assert judged.people.is_random.tolist() == [False, False, True, True, True]
    wrong, fewer = ((each.vote.to_numpy() != truth).mean() for each in (plain, judged))
    assert fewer < wrong
    assert judged.trust(None) == plain.trust(None)  # the stated range counts every answer


def test_where_everybody_looks_like_a_guesser_all_have_a_vote() -> None:
    crowd = crowd_of({"ann": "ab" * 20, "bob": "ab" * 20, "cem": "bb" * 20}).judged
    assert crowd.people is not None
    guessers = crowd._replace(people=replace(crowd.people, random=np.ones(3)))
    assert guessers.vote.to_list() == ["a", "b"] * 20
