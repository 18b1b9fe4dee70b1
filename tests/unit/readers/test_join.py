"""Answers of several services become rows, one per item and epoch."""

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.join import join_answers


def answer(service: str, item: str, score: float | None = 1.0, **more: object) -> Answer:
    said = more.pop("said", "yes")
    return Answer(service, item, said, {"exact": score}, **more)  # type: ignore[arg-type]


def test_services_join_by_item_and_what_one_was_not_asked_is_empty() -> None:
    log = join_answers(
        [answer("a", "1"), answer("a", "2", 0.0), answer("b", "2"), answer("b", "3")]
    )
    assert log.rows.get_column("id").to_list() == ["1", "2", "3"]
    assert log.rows.get_column("score:a:exact").to_list() == [1.0, 0.0, None]
    assert log.rows.get_column("score:b:exact").to_list() == [None, 1.0, 1.0]
    assert (log.services, log.predictions) == (("a", "b"), ("pred:a", "pred:b"))
    assert log.rows_of("b").get_column("id").to_list() == ["2", "3"]


def test_answers_repeated_whole_count_once() -> None:
    whole = [answer("a", "1"), answer("a", "2", 0.0)]
    log = join_answers([*whole, *whole])
    assert log.scores == ("score:a:exact",)
    assert log.rows.height == 2
    assert not log.left_out


def test_repeats_that_differ_anywhere_are_numbered_everywhere() -> None:
    first, second = [answer("a", "1"), answer("a", "2", 0.0)], [answer("a", "1"), answer("a", "2")]
    log = join_answers([*first, *second, *first])
    assert log.by_service["a"].scores == {"exact": "score:a:exact", "exact.2": "score:a:exact.2"}
    assert log.rows.get_column("score:a:exact").to_list() == [1.0, 0.0]
    assert log.rows.get_column("score:a:exact.2").to_list() == [1.0, 1.0]


def test_other_metrics_of_an_item_stand_beside_the_first() -> None:
    lines = [Answer("a", "1", "x", {"strict": 0.0}), Answer("a", "1", "x", {"loose": 1.0})]
    assert list(join_answers(lines).by_service["a"].scores) == ["strict", "loose"]


def test_an_answer_after_an_error_replaces_it() -> None:
    log = join_answers([answer("a", "1", None, said=None), answer("a", "1", 0.5)])
    assert log.rows.row(0, named=True) == {"id": "1", "pred:a": "yes", "score:a:exact": 0.5}


def test_epochs_are_rows_of_one_cluster() -> None:
    log = join_answers([answer("a", "q", epoch=1), answer("a", "q", 0.0, epoch=2)])
    assert log.cluster == "item"
    assert log.rows.get_column("id").to_list() == ["q#1", "q#2"]
    assert log.rows.get_column("item").to_list() == ["q", "q"]
    assert join_answers([answer("a", "q", epoch=1)]).cluster is None


def test_metrics_outside_the_unit_interval_are_left_out_for_every_service() -> None:
    lines = [
        Answer("a", "1", scores={"words": 120.0, "exact": 1.0}),
        Answer("b", "1", scores={"words": 1.0, "exact": 1.0 + 1e-12}),
    ]
    log = join_answers(lines)
    assert log.metrics == ("exact",)
    assert log.rows.get_column("score:b:exact").to_list() == [1.0]
    assert log.left_out == {"score words": "values from 1 to 120; a score lies in [0, 1]"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, "0.5", [1.0]])
def test_scores_that_are_no_figures_are_left_out_and_said(value: object) -> None:
    lines = [answer("a", "1"), Answer("a", "2", "x", {"exact": value})]  # type: ignore[dict-item]
    log = join_answers(lines)
    assert log.rows.get_column("score:a:exact").to_list() == [1.0, None]
    assert log.left_out == {"score exact": "1 values that are not finite numbers"}


def test_a_target_on_which_the_files_differ_is_empty_and_said() -> None:
    lines = [
        answer("a", "1", target="x"),
        answer("b", "1", target="y"),
        answer("a", "2", target="z"),
    ]
    log = join_answers(lines)
    assert log.rows.get_column("target").to_list() == [None, "z"]
    assert log.left_out["target"].endswith("for 1 items, such as 1")


def test_facts_that_differ_between_answers_are_no_facts_about_the_item() -> None:
    lines = [
        answer("a", "1", facts={"topic": "art", "seconds": 1}),
        answer("b", "1", facts={"topic": "art", "seconds": 2}),
    ]
    log = join_answers(lines)
    assert "topic" in log.rows.columns
    assert "seconds" not in log.rows.columns
    assert log.left_out["seconds"].startswith("differs between the answers to one item")


def test_names_that_are_taken_get_a_prefix() -> None:
    facts = {"id": 7, "target": "t", "pred:a": "p", "question": "f"}
    log = join_answers([answer("a", "1", facts=facts, texts={"question": "Why?"}, target="x")])
    row = log.rows.row(0, named=True)
    assert (row["id"], row["fact.id"], row["target"], row["fact.target"]) == ("1", 7, "x", "t")
    assert (row["pred:a"], row["fact.pred:a"]) == ("yes", "p")
    assert (row["question"], row["fact.question"]) == ("Why?", "f")
    assert log.texts == ("question",)


def test_services_and_metrics_that_spell_one_column_stay_apart() -> None:
    log = join_answers(
        [Answer("a:b", "1", scores={"c": 1.0}), Answer("a", "1", scores={"b:c": 0.0})]
    )
    assert log.scores == ("score:a:b:c", "score.score:a:b:c")
    assert log.rows.row(0)[1:] == (1.0, 0.0)


def test_ids_stay_unique_whatever_items_are_called() -> None:
    log = join_answers([answer("a", "q", epoch=1), answer("a", "q", epoch=2), answer("a", "q#1")])
    assert log.rows.get_column("id").n_unique() == 3


def test_judges_are_columns_of_their_own() -> None:
    lines = [
        Answer("a", "1", "x", {"exact": 1.0}, {"gpt": 0.5}),
        Answer("a", "2", "x", {"exact": 0}),
    ]
    log = join_answers(lines)
    assert log.judges == ("judge:a:gpt",)
    assert log.rows.get_column("judge:a:gpt").to_list() == [0.5, None]
    assert log.columns(attributes=["id"]).judges == ()
    assert join_answers(lines[:1]).columns(attributes=["id"]).judges == ("judge:a:gpt",)


def test_endless_repeats_end() -> None:
    log = join_answers(answer("a", "1", i % 2, said=str(i)) for i in range(2000))
    assert len(log.scores) == 50
    assert log.left_out["further answers of a"] == "1999 after the first"


def test_long_texts_are_cut_and_long_facts_left_out() -> None:
    log = join_answers([answer("a", "1", said="x" * 200_000, facts={"page": "x" * 200_000})])
    assert log.rows.get_column("pred:a").str.len_chars().to_list() == [100_000]
    assert set(log.left_out) == {"end of answers of a", "page"}


def test_no_answer_is_refused() -> None:
    with pytest.raises(InputError, match="at least one answer; got none"):
        join_answers([])


def test_without_scores_silence_is_an_empty_answer_and_an_item_not_asked_is_null() -> None:
    every = [Answer("a", "1", "yes"), Answer("a", "2"), Answer("b", "1", "no")]
    rows = join_answers(every).rows
    assert rows.get_column("pred:a").to_list() == ["yes", ""]
    assert rows.get_column("pred:b").to_list() == ["no", None]
    assert join_answers(every).rows_of("a").height == 2


def test_with_scores_an_error_stays_an_item_without_a_score() -> None:
    log = join_answers([answer("a", "1"), answer("a", "2", None, said=None)])
    assert log.rows_of("a").get_column("id").to_list() == ["1"]
