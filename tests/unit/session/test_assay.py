"""A session with people: what ask, tell, skip and undo promise, on every store."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.domain.events import AssayOpened, Skipped
from accuracy_assay.errors import AssayError, ConflictError, InputError, UnknownNameError
from accuracy_assay.storage.memory import MemoryStore


def test_an_answer_is_there_for_the_next_who_opens(every_bench) -> None:
    assay = every_bench.create()
    ids = assay.ask(5)["id"]
    assert assay.tell(ids, every_bench.truth(ids)) == 5
    again = every_bench.open()
    assert sorted(again.labels()["id"]) == sorted(ids)
    assert dict(again.status()) == dict(assay.status())
    assert_frame_equal(again.surface("good").to_frame(), assay.surface("good").to_frame())


def test_telling_twice_changes_nothing(every_bench) -> None:
    assay = every_bench.create()
    assert assay.tell(["x1", "x2"], ["cat", "dog"], "ann") == 2
    events = assay.status().events
    assert assay.tell(["x1", "x2"], ["cat", "dog"], "ann") == 0
    assert every_bench.open().tell(["x2", "x1"], ["dog", "cat"], "ann") == 0
    assert assay.status().events == events
    assert assay.tell(["x1", "x3"], ["cat", "dog"], "ann") == 1


def test_another_second_answer_is_a_conflict_and_records_nothing(every_bench) -> None:
    assay, other = every_bench.create(), every_bench.open()
    assay.tell("x1", "cat", "ann")
    with pytest.raises(ConflictError, match=r"instance 'x1' must stay 'cat'.*replace=True"):
        other.tell(["x0", "x1"], ["dog", "dog"], "ann")
    assert assay.status().labels == 1
    assert other.tell("x1", "dog", "ann", replace=True) == 1
    assert assay.labels()["label"].to_list() == ["dog"]


def test_a_conflict_that_came_in_between_is_found_after_writing(bench) -> None:
    assay, other = bench.create(), bench.open()
    append = assay.session.journal.store.append

    def late(*arguments: Any) -> int:
        assay.session.journal.store.append = append
        other.tell("x1", "dog", "ann")
        return append(*arguments)

    assay.session.journal.store.append = late
    with pytest.raises(ConflictError, match="must stay 'dog'"):
        assay.tell(["x0", "x1"], ["cat", "cat"], "ann")
    assert dict(bench.open().labels().select("id", "label").iter_rows()) == {"x1": "dog"}


def test_a_label_that_was_never_asked_for_counts_but_costs_no_budget(bench) -> None:
    assay = bench.create()
    assay.tell(["x1", "x2"], ["cat", "dog"])
    status = assay.status()
    assert (status.labels, status.asked, status.spent) == (2, 0, 0)
    assert not set(assay.ask(40)["id"]) & {"x1", "x2"}


def test_several_annotators_are_resolved_by_majority_and_disagreement_is_reported(bench) -> None:
    assay = bench.create()
    for name, label in (("ann", "cat"), ("bob", "dog"), ("cem", "dog")):
        assay.tell("x1", label, name)
    assay.tell("x2", "cat", "ann")
    assert dict(assay.labels().select("id", "label").iter_rows()) == {"x1": "dog", "x2": "cat"}
    assert assay.labels().row(0) == ("x1", "dog", 3, True, "cat: 1, dog: 2", None, False)
    assert assay.labels()["is_disputed"].to_list() == [True, False]
    status = assay.status()
    assert (status.labels, status.answers, status.disputed) == (2, 4, 1)
    assert status.annotators == {"ann": 2, "bob": 1, "cem": 1}


def test_a_tie_goes_to_the_earlier_answer(bench) -> None:
    assay = bench.create()
    assay.tell("x1", "dog", "bob")
    assay.tell("x1", "cat", "ann")
    assert assay.labels()["label"].to_list() == ["dog"]


def test_pending_gives_back_what_is_held(every_bench) -> None:
    assay = every_bench.create()
    batch = assay.ask(4, annotator="ann")
    assay.tell(batch["id"][:1], ["cat"], "ann")
    assert every_bench.open().pending("ann").rows() == batch[1:].rows()
    assert assay.pending("bob").height == 0


def test_undo_takes_back_the_last_answer_and_holds_it_again(every_bench) -> None:
    assay = every_bench.create()
    batch = assay.ask(3, annotator="ann")
    for i, label in zip(batch["id"], ["cat", "dog", "cat"], strict=True):
        assay.tell(i, label, "ann")
    assert every_bench.open().undo("ann", 2) == (batch["id"][2], batch["id"][1])
    assert assay.labels()["id"].to_list() == [batch["id"][0]]
    assert sorted(assay.pending("ann")["id"]) == sorted(batch["id"][1:])
    assert assay.tell(batch["id"][2], "dog", "ann") == 1
    assert assay.undo("ann") == (batch["id"][2],)


def test_undo_without_an_answer_is_an_error(bench) -> None:
    with pytest.raises(InputError, match="told an answer to undo; got 'ann'"):
        bench.create().undo("ann")


def test_one_label_scores_every_service(bench) -> None:
    assay = bench.create()
    ids = assay.ask(40)["id"]
    assay.tell(ids, bench.truth(ids))
    good, bad = assay.surface("good"), assay.surface("bad")
    assert good.n_labels == bad.n_labels == 40
    assert good.overall.mean > bad.overall.mean + 0.2
    with pytest.raises(InputError, match="named unless there is just one"):
        assay.surface()
    with pytest.raises(UnknownNameError, match=r"got 'god'\. Did you mean 'good'"):
        assay.surface("god")


def test_the_order_of_answers_does_not_matter_to_the_surface(bench) -> None:
    assay = bench.create()
    ids = list(assay.ask(20)["id"])
    labels = bench.truth(ids)
    assay.tell(ids, labels)
    forwards = assay.surface("good").to_frame()
    assay.undo(count=20)
    for i, label in reversed(list(zip(ids, labels, strict=True))):
        assay.tell(i, label)
    assert_frame_equal(assay.surface("good").to_frame(), forwards)


def test_a_pool_with_other_instances_is_refused(bench) -> None:
    bench.create()
    with pytest.raises(InputError, match=r"60 instances .* got 59 with other ids"):
        aa.Assay.open(bench.open_store(), pool=bench.pool[1:])
    shuffled = bench.pool.sample(fraction=1.0, shuffle=True, seed=0)
    assert aa.Assay.open(bench.open_store(), pool=shuffled).status().pool == 60


def test_files_named_in_the_spec_are_found_again(bench, tmp_path: Path) -> None:
    bench.pool.write_parquet(tmp_path / "pool.parquet")
    (tmp_path / "assay.toml").write_text(
        '[assay]\nestimator = "constant"\nstrategy = "random"\n[pool]\npath = "pool.parquet"\n'
        '[[attribute]]\nname = "sex"\n[[service]]\nname = "good"\ncolumn = "good"\n',
        encoding="utf-8",
    )
    with aa.Assay.create(tmp_path / "a.assay", tmp_path / "assay.toml") as assay:
        assert assay.ask(3).height == 3
    with aa.Assay.open(tmp_path / "a.assay") as again:
        assert again.status().held == 3
    (tmp_path / "pool.parquet").unlink()
    with pytest.raises(InputError, match=r"existing file; got '.*pool\.parquet'"):
        aa.Assay.open(tmp_path / "a.assay")


def test_a_batch_of_the_spec_is_asked_for_unless_a_number_is_given(bench) -> None:
    assay = bench.create()
    assert (assay.ask().height, assay.ask(2).height, assay.ask(0).height) == (5, 2, 0)
    with pytest.raises(InputError, match=r"n must be .* got -1"):
        assay.ask(-1)
    with pytest.raises(InputError, match="annotator must have a name"):
        assay.ask(1, annotator=" ")


def test_a_skip_says_who_and_why_and_names_a_bad_id(bench) -> None:
    assay = bench.create()
    assay.skip(["x1", "x2"], "ann", reason="too noisy")
    assert assay.session.events()[-1].event == Skipped(("x1", "x2"), "ann", "too noisy")
    with pytest.raises(InputError, match="id of the pool; got 'nope'"):
        assay.skip("nope")


def test_history_begins_with_the_spec_and_can_be_read_from_any_event(bench) -> None:
    assay = bench.create()
    assay.tell("x1", "cat")
    assay.tell("x2", "cat")
    events = assay.session.events()
    assert isinstance(events[0].event, AssayOpened)
    assert events[0].event.n_rows == 60
    assert [r.seq for r in events] == [1, 2, 3]
    assert [r.seq for r in assay.session.events(3)] == [3]


def test_a_store_that_does_not_begin_with_an_assay_is_refused(bench) -> None:
    store = MemoryStore()
    store.create("pets", [Skipped(("x1",), "ann")])
    with pytest.raises(InputError, match=r"'pets' must begin with AssayOpened; got Skipped"):
        aa.Assay.open(store, pool=bench.pool)


def test_the_pool_is_shown_without_the_seed_set(guessed) -> None:
    assay = guessed.create()
    assert assay.pool.height == 80
    assert assay.pool["id"].to_list() == guessed.pool["id"].to_list()


def test_a_calibration_is_reported_and_written_where_attributes_are_guessed(
    bench, guessed, tmp_path: Path
) -> None:
    assert bench.create().calibrate() is None
    report = guessed.create().calibrate(tmp_path / "kept.calibration")
    assert report is not None
    assert report.method == "temperature"
    assert (tmp_path / "kept.calibration").is_file()


def test_leaving_a_session_ends_its_worker_and_closes_its_store(bench) -> None:
    bench.create()
    closed: list[bool] = []
    with bench.open(use_background_fits=True) as assay:
        assay.session.journal.store.close = lambda: closed.append(True)
        assay.tell("x1", "cat")
    assert closed == [True]
    with pytest.raises(RuntimeError, match="after shutdown"):
        assay.session._worker.submit(lambda: None)


def test_an_edit_is_an_event_that_every_session_follows(every_bench) -> None:
    assay, other = every_bench.create(assay={"budget": 5}), every_bench.open()
    assert assay.ask(20, annotator="ann").height == 5
    assert other.ask(20, annotator="bob").height == 0
    assert assay.edit({"assay": {"budget": 9, "strategy": "largest-variance"}}) == (
        "assay.budget",
        "assay.strategy",
    )
    assert other.ask(20, annotator="bob").height == 4
    assert other.spec.assay.strategy == "largest-variance"
    assert every_bench.open().spec.assay.budget == 9
    assert assay.edit({"assay": {"budget": 9}}) == ()


def test_a_new_estimator_makes_another_surface_of_the_same_labels(bench) -> None:
    assay = bench.create()
    ids = assay.ask(20)["id"]
    assay.tell(ids, bench.truth(ids))
    before = assay.surface("good")
    assay.edit({"assay": {"estimator": "constant"}})
    after = assay.surface("good")
    assert after.n_labels == before.n_labels
    assert np.ptp(after.mean) == 0.0 < np.ptp(before.mean)


def test_a_service_is_added_and_scored_by_the_labels_so_far(bench) -> None:
    assay = bench.create()
    ids = assay.ask(20)["id"]
    assay.tell(ids, bench.truth(ids))
    assay.edit({"service": [{"name": "perfect", "column": "truth"}]})
    assert assay.surface("perfect").correct.sum() == 20.0
    assert bench.open().surface("perfect").correct.sum() == 20.0


def test_an_edit_that_changes_what_labels_mean_is_refused_and_changes_nothing(bench) -> None:
    assay = bench.create()
    events = assay.status().events
    for changes in (
        {"attribute": [{"name": "sex"}]},
        {"label": {"agreement": "wer"}},
        {"service": [{"name": "new", "column": "nowhere"}]},
    ):
        with pytest.raises(AssayError):
            assay.edit(changes)
    assert assay.status().events == events


@pytest.mark.parametrize("n", [2.5, -1, "3", True, float("nan")])
def test_a_number_of_questions_that_is_none_is_refused(bench, n: Any) -> None:
    assay = bench.create()
    with pytest.raises(InputError, match=r"^n must be a whole number from 0; got "):
        assay.ask(n)
    assert assay.status().asked == 0
    assert assay.ask(2.0).height == 2


def test_what_is_given_back_is_free_for_all_and_costs_nothing(every_bench) -> None:
    assay = every_bench.create(assay={"budget": 6})
    ids = assay.ask(6, annotator="ann")["id"].to_list()
    assay.give_back(ids[:4], "ann")
    assert (assay.status().held, assay.status().spent, assay.status().skipped) == (2, 2, 0)
    assert assay.pending("ann")["id"].to_list() == ids[4:]
    assert every_bench.open().ask(6, annotator="bob").height == 4
    assay.give_back(ids[:1], "nobody")
    assert assay.status().held == 6
