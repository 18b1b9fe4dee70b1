"""Verdicts of several people are metrics of their own, and what most of them say is another."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.join import join_answers
from accuracy_assay.readers.people import settled, with_people


def verdict(item: int, person: str | None, score: float, topic: str = "art") -> Answer:
    return Answer(
        "m", str(item), "yes", {"right": score}, facts={"topic": topic}, annotator=person
    )


def judged(n_items: int) -> EvalLog:
    """Return a log of answers that three people judged, one of them carelessly."""
    rng = np.random.default_rng(0)
    answers = []
    for item in range(n_items):
        truth = float(rng.random() < 0.7)
        topic = "art" if item % 2 else "law"
        for person, share in (("ann", 0.95), ("ben", 0.9), ("eve", 0.6)):
            if rng.random() < 0.8:
                said = truth if rng.random() < share else 1.0 - truth
                answers.append(verdict(item, person, said, topic))
    return join_answers(answers)


def test_each_person_has_a_metric_and_so_has_what_most_say() -> None:
    said = [verdict(1, "ann", 1.0), verdict(1, "ben", 0.0), verdict(1, "eve", 1.0)]
    log = join_answers(said)
    found = log.by_service["m"]
    assert list(found.scores) == ["right", "right by ann", "right by ben", "right by eve"]
    assert found.metrics == log.metrics == ("right",)
    assert log.rows.get_column("score:m:right").to_list() == [1.0]
    assert "disagree about 1" in log.left_out["a truth behind right"]
    assert list(join_answers(said[:1]).by_service["m"].scores) == ["right"]


def test_scores_of_a_program_keep_their_name() -> None:
    said = [verdict(1, None, 0.25), verdict(1, "ann", 1.0), verdict(1, "ben", 1.0)]
    rows = join_answers(said).rows
    assert rows.get_column("score:m:right").to_list() == [0.25]
    assert rows.get_column("score:m:right by ann").to_list() == [1.0]


def test_one_person_needs_no_name() -> None:
    answers = [verdict(1, "ann", 1.0), verdict(2, None, 0.0)]
    assert with_people(answers) == (answers, {})


def test_verdicts_between_right_and_wrong_are_averaged() -> None:
    assert settled({"ann": {3: 0.25}, "ben": {3: 0.75, 4: 1.0}}) == {3: 0.5, 4: 1.0}
    assert settled({"ann": {}}) == {}


def test_the_score_takes_votes_for_the_truth_and_rows_of_annotators_do_not() -> None:
    log = judged(120)
    by_score = aa.estimate(log.rows_of("m"), log.columns("m", attributes=["topic"]))
    answers = log.answers_of("m")
    said = {"y_true": "verdict", "y_pred": "claimed", "id": "id", "annotator": "annotator"}
    by_answers = aa.estimate(answers, ["topic"], **said)
    # Careless people find faults where there are none; 70% of the answers are right.
    votes = log.rows.get_column("score:m:right").mean()
    assert by_score.overall.mean == pytest.approx(votes, abs=0.02)
    assert by_score.overall.mean < by_answers.overall.mean < 0.7
    assert by_answers.label_trust is not None
    assert not by_answers.label_trust.is_verified


def test_every_verdict_is_one_row_of_the_answers() -> None:
    log = judged(30)
    answers = log.answers_of("m", "right")
    for person, column in log.by_service["m"].people["right"].items():
        own = answers.filter(pl.col("annotator") == person)
        assert own.height == log.rows.get_column(column).drop_nulls().len()
        assert (own.get_column("verdict") == "right").sum() == log.rows.get_column(column).sum()
    with pytest.raises(InputError, match="people must have scored"):
        join_answers([verdict(1, None, 1.0)]).answers_of()
