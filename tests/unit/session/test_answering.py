"""A labelled file played through the loop."""

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.session.answering import answer_from


def answers_of(bench, ids=None) -> dict[str, str]:
    ids = bench.pool["id"].to_list() if ids is None else ids
    return dict(zip(ids, bench.truth(ids), strict=True))


def test_it_ends_with_the_budget(bench) -> None:
    assay = bench.create(assay={"budget": 12})
    assert answer_from(assay, answers_of(bench)) == 12
    status = assay.status()
    assert (status.labels, status.spent, status.held) == (12, 12, 0)
    assert status.annotators == {"file": 12}
    assert answer_from(assay, answers_of(bench)) == 0


def test_labels_are_those_of_the_file(bench) -> None:
    assay = bench.create()
    answer_from(assay, answers_of(bench))
    told = dict(assay.labels().select("id", "label").iter_rows())
    assert len(told) == 40
    assert told.items() <= answers_of(bench).items()


def test_what_the_file_lacks_is_skipped_and_never_asked_for_again(bench) -> None:
    assay = bench.create(assay={"budget": 100})
    known = answers_of(bench, [f"x{i}" for i in range(0, 60, 3)])
    assert answer_from(assay, known, "table") == 20
    status = assay.status()
    assert (status.labels, status.skipped, status.held) == (20, 40, 0)
    assert assay.ask(5, annotator="table").height == 0


def test_what_is_held_already_is_answered_first(bench) -> None:
    assay = bench.create()
    held = set(assay.ask(7, annotator="file")["id"])
    counts: list[int] = []
    answer_from(assay, answers_of(bench), on_round=counts.append)
    assert counts[0] == 7
    assert held == set(assay.labels()["id"][:7])


def test_rounds_are_batches_of_the_spec(bench) -> None:
    counts: list[int] = []
    answer_from(bench.create(assay={"budget": 12}), answers_of(bench), on_round=counts.append)
    assert counts == [5, 10, 12]


def test_a_second_replay_gives_the_same_surface(bench) -> None:
    first, second = bench.create(), bench.create(assay={"name": "again"})
    for assay in (first, second):
        answer_from(assay, answers_of(bench))
    assert second.surface("good").to_frame().equals(first.surface("good").to_frame())


def test_answers_are_checked_before_anything_is_asked_for(bench) -> None:
    assay = bench.create()
    with pytest.raises(InputError, match=r"got 2 mistakes.*\n.*'x1'.*'cta'.*\n.*'x2'.*'dgo'"):
        answer_from(assay, {"x0": "cat", "x1": "cta", "x2": "dgo"})
    with pytest.raises(InputError, match=r"for instances of the pool; got none, but ids .*'y1'"):
        answer_from(assay, {"y1": "cat"})
    assert assay.status().events == 1


def test_a_file_may_hold_more_than_the_pool_and_write_its_labels_otherwise(bench) -> None:
    assay = bench.create(assay={"budget": 12})
    answers = {i: label.upper() for i, label in answers_of(bench).items()} | {"y1": "cow"}
    assert answer_from(assay, answers) == 12
