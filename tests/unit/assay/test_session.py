"""A session with people: what ask, tell, skip and undo promise, on every store."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.assay.session import Assay
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.events import Asked
from accuracy_assay.domain.strata import stratify
from accuracy_assay.errors import ConflictError, InputError, UnknownNameError


def test_a_batch_shows_id_and_columns_and_hides_predictions(bench) -> None:
    batch = bench.create().ask(7, annotator="ann")
    assert batch.columns == ["id", "file", "arm", "why"]
    assert batch.height == 7
    row = bench.pool.row(by_predicate=pl.col("id") == batch["id"][0], named=True)
    band = "< 40" if row["age"] < 40 else ">= 40"
    assert batch["file"][0] == row["file"]
    assert batch["arm"][0] == f"sex={row['sex']}, age={band}"
    assert batch["why"][0] == "at random"


def test_two_annotators_never_hold_the_same_instance(every_bench) -> None:
    first, second = every_bench.create(), every_bench.open()
    given = [
        set(session.ask(5, annotator=name)["id"])
        for _ in range(3)
        for session, name in ((first, "ann"), (second, "bob"))
    ]
    assert sum(map(len, given)) == len(set().union(*given)) == 30


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
    append = assay._journal.store.append

    def late(*arguments: Any) -> int:
        assay._journal.store.append = append
        other.tell("x1", "dog", "ann")
        return append(*arguments)

    assay._journal.store.append = late
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
    assert assay.disagreements().rows() == [("x1", "dog", 3, "cat: 1, dog: 2")]
    status = assay.status()
    assert (status.labels, status.answers, status.disputed) == (2, 4, 1)
    assert status.annotators == {"ann": 2, "bob": 1, "cem": 1}


def test_a_tie_goes_to_the_earlier_answer(bench) -> None:
    assay = bench.create()
    assay.tell("x1", "dog", "bob")
    assay.tell("x1", "cat", "ann")
    assert assay.labels()["label"].to_list() == ["dog"]


def test_overlap_is_handed_out_when_it_is_asked_for(bench) -> None:
    assay = bench.create(label={"choices": ["cat", "dog"], "annotators": 2})
    ann, bob = assay.ask(5, annotator="ann"), assay.ask(5, annotator="bob")
    assert sorted(ann["id"]) == sorted(bob["id"])
    assert set(bob["why"]) == {"another opinion"}
    assert not set(assay.ask(5, annotator="cem")["id"]) & set(ann["id"])
    assay.tell(ann["id"], bench.truth(ann["id"]), "ann")
    assert not set(assay.ask(5, annotator="ann")["id"]) & set(ann["id"])


def test_a_lease_that_runs_out_frees_the_instance(bench) -> None:
    assay = bench.create(assay={"lease_minutes": 10, "budget": 60})
    held = set(assay.ask(60, annotator="ann")["id"])
    assert len(held) == 60
    assert assay.ask(5, annotator="bob").height == 0
    bench.clock.now += 601
    assert assay.pending("ann").height == 0
    assert assay.ask(5, annotator="bob").height == 5
    late = next(iter(held - set(assay.pending("bob")["id"])))
    assert assay.tell(late, "cat", "ann") == 1


def test_pending_gives_back_what_is_held(every_bench) -> None:
    assay = every_bench.create()
    batch = assay.ask(4, annotator="ann")
    assay.tell(batch["id"][:1], ["cat"], "ann")
    assert every_bench.open().pending("ann").rows() == batch[1:].rows()
    assert assay.pending("bob").height == 0


def test_the_budget_is_never_exceeded(every_bench) -> None:
    assay, other = every_bench.create(assay={"budget": 12}), every_bench.open()
    assert assay.ask(7, annotator="ann").height == 7
    assert other.ask(7, annotator="bob").height == 5
    assert assay.ask(7, annotator="cem").height == 0
    assert assay.status().spent == 12
    held = other.pending("bob")["id"]
    other.tell(held, every_bench.truth(held), "bob")
    assert other.status().spent == 12
    assay.skip(assay.pending("ann")["id"][:2], "ann")
    assert assay.ask(7, annotator="cem").height == 2


def test_a_skipped_instance_goes_to_another(bench) -> None:
    pool = bench.pool[:3]
    assay = Assay.create(bench.open_store(), _spec_of_three(), pool=pool, clock=bench.clock)
    first = assay.ask(3, annotator="ann")["id"]
    assay.skip(first[:1], "ann", reason="too noisy")
    assert assay.ask(3, annotator="ann").height == 0
    assert assay.ask(3, annotator="bob")["id"].to_list() == [first[0]]
    assert assay.status().skipped == 1


def _spec_of_three() -> dict[str, Any]:
    return {
        "assay": {"estimator": "beta-independent", "strategy": "random"},
        "attribute": [{"name": "sex", "values": ["f", "m"]}],
        "service": [{"name": "good", "column": "good"}],
    }


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


def test_the_surface_is_that_of_estimate_on_the_same_labels(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good", "signals": []}])
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    expected = aa.estimate(
        bench.pool.filter(pl.col("id").is_in(ids.implode())),
        ["sex", aa.Attribute("age", kind="continuous", edges=(40,))],
        y_true="truth",
        y_pred="good",
        pool=bench.pool,
        estimator="beta-independent",
    )
    assert_frame_equal(assay.surface().to_frame(), expected.to_frame())


def test_signals_are_the_prediction_and_the_confidence(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good", "confidence": "sure"}])
    ids = assay.ask(30)["id"]
    assay.tell(ids, bench.truth(ids))
    assay.surface()
    problem = assay._fits.latest("good").solved.problem
    strata = stratify(bench.pool, ["good", "sure"])
    assert problem.strata.shape == strata.shape
    arms = problem.support.space.arm_index(problem.support.space.encode(bench.pool))
    cells = arms * strata.n_arms + strata.arm_index(strata.encode(bench.pool))
    expected = Support.count(problem.support.space, strata, cells)
    np.testing.assert_array_equal(problem.support.cells, expected.cells)
    np.testing.assert_array_equal(problem.support.size, expected.size)


def test_one_label_scores_every_service(bench) -> None:
    assay = bench.create()
    ids = assay.ask(40)["id"]
    assay.tell(ids, bench.truth(ids))
    good, bad = assay.surface("good"), assay.surface("bad")
    assert good.n_labels == bad.n_labels == 40
    assert good.overall.mean > bad.overall.mean + 0.2
    with pytest.raises(InputError, match="named where there are several"):
        assay.surface()
    with pytest.raises(UnknownNameError, match=r"got 'god'\. Did you mean 'good'"):
        assay.surface("god")


def test_services_take_turns_in_guiding_unless_the_strategy_can_weigh_them_together(bench) -> None:
    assay = bench.create()
    for _ in range(3):
        assay.ask(1)
    guided = [r.event.service for r in assay.events() if isinstance(r.event, Asked)]
    assert guided == ["good", "bad", "good"]


def test_the_default_methods_weigh_all_services_at_once(bench) -> None:
    methods = {"estimator": "anova-gp", "strategy": "variance-reduction"}
    assay = bench.create(assay=methods)
    for _ in range(2):
        ids = assay.ask(5)["id"]
        assay.tell(ids, bench.truth(ids))
    asked = [r.event for r in assay.events() if isinstance(r.event, Asked)]
    assert sorted(asked[1].service.split(", ")) == ["bad", "good"]
    assert "variance" in asked[1].reasons[0]
    status = assay.status()
    assert status.labels == 10
    assert [s.fitted_labels for s in status.services] == [5, 5]
    assert all(s.expected_macro_mse > 0.0 for s in status.services)
    assert all(s.labels_to_halve is None for s in status.services)
    for _ in range(4):
        ids = assay.ask(10)["id"]
        assay.tell(ids, bench.truth(ids))
    assert any((s.labels_to_halve or 0.0) > 0.0 for s in assay.status().services)


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


def test_a_confirmed_attribute_moves_the_answer_to_its_arm(bench) -> None:
    assay = bench.create(attribute=[{"name": "sex"}])
    own = bench.pool["sex"][0]
    other = "m" if own == "f" else "f"
    assay.tell("x0", "cat", confirmed_attributes={"sex": [other]})
    assert assay.surface("good").at(sex=other).n == 1.0
    assert assay.tell("x0", "cat", confirmed_attributes=[{"sex": own}]) == 1
    assert assay.surface("good").at(sex=own).n == 1.0
    assert assay.tell("x0", "cat", confirmed_attributes=[{"sex": own}]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["x1"], ["cta"]), r"label for instance 'x1' must be one of \[cat, dog\]; got 'cta'"),
        ((["nope"], ["cat"]), "id of the pool; got 'nope'"),
        ((["x1", "x1"], ["cat", "cat"]), "got 'x1' twice"),
        ((["x1", "x2"], ["cat"]), "one for each id; got 1 for 2 ids"),
        ((["x1"], ["cat"], " "), "annotator must have a name"),
    ],
)
def test_a_bad_answer_is_named_and_nothing_is_recorded(
    bench, arguments: tuple[Any, ...], message: str
) -> None:
    assay = bench.create()
    with pytest.raises(InputError, match=message):
        assay.tell(*arguments)
    assert assay.status().events == 1


@pytest.mark.parametrize(
    ("confirmed", "message"),
    [
        ({"sexx": ["f"]}, "got 'sexx'. Did you mean 'sex'"),
        ({"sex": ["q"]}, "value of attribute 'sex' .* got 'q'"),
        ({"sex": ["f", "m"]}, "got 2 for 1 ids"),
        ([{}, {}], "one mapping for each id; got 2"),
    ],
)
def test_a_bad_confirmation_is_named(bench, confirmed: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bench.create().tell("x1", "cat", confirmed_attributes=confirmed)


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"assay": {"estimator": "anovagp"}}, "estimator .* got 'anovagp'"),
        ({"assay": {"strategy": "best"}}, "strategy .* got 'best'"),
        ({"attribute": [{"name": "sexx"}]}, "column of pool .* got 'sexx'"),
        ({"service": [{"name": "s", "column": "god"}]}, "got 'god'. Did you mean 'good'"),
        ({"label": {"show": {"audio": "fil"}}}, "got 'fil'. Did you mean 'file'"),
        ({"label": {"show": {"text": ["file", "why"]}}}, "got 'why'. Rename"),
        ({"label": {"agreement": "equl"}}, "agreement .* got 'equl'"),
        ({"pool": {"id": "idd"}}, "column of pool .* got 'idd'"),
        ({"pool": {"id": "sex"}}, "no value twice"),
        ({"attribute": [{"name": "y", "from_label": True}], "label": {}}, "must have values"),
    ],
)
def test_a_spec_that_does_not_fit_the_pool_creates_nothing(
    bench, sections: Mapping[str, Any], message: str, tmp_path: Path
) -> None:
    bench.pool = bench.pool.with_columns(why=pl.lit("because"))
    with pytest.raises(InputError, match=message):
        bench.create(**sections)
    assert bench.open_store().list() == ()


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


def test_which_assay_must_be_said_where_there_are_several(bench) -> None:
    bench.create()
    bench.create(assay={"name": "others"})
    with pytest.raises(InputError, match="which assay"):
        aa.Assay.open(bench.open_store(), pool=bench.pool)
    assert aa.Assay.open(bench.open_store(), "others", pool=bench.pool).name == "others"
    with pytest.raises(UnknownNameError, match=r"got 'other'\. Did you mean 'others'"):
        aa.Assay.open(bench.open_store(), "other", pool=bench.pool)
    with pytest.raises(InputError, match="new name; got 'pets'"):
        bench.create()


class SlowEstimator:
    """An estimator that waits until it is let go."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.begun, self.go_on = inner, threading.Event(), threading.Event()

    def fit(self, *arguments: Any) -> Any:
        self.begun.set()
        assert self.go_on.wait(10)
        return self.inner.fit(*arguments)


def test_a_fit_never_blocks_a_tell(bench) -> None:
    assay = bench.create()
    slow = SlowEstimator(assay._fits.estimator)
    assay._fits.estimator = slow
    asking = threading.Thread(target=assay.ask, args=(3,))
    asking.start()
    assert slow.begun.wait(10)
    assert assay.tell("x1", "cat") == 1  # would hang if the fit held the lock
    assert assay.status().labels == 1
    slow.go_on.set()
    asking.join(10)
    assert assay.status().held == 3


def test_background_fits_follow_the_tells(bench) -> None:
    bench.create()
    with aa.Assay.open(
        bench.open_store(), pool=bench.pool, clock=bench.clock, use_background_fits=True
    ) as assay:
        first = assay.ask(5)["id"]
        assay.tell(first, bench.truth(first))
        assay._worker.submit(lambda: None).result(10)
        assert assay.status().services[0].fitted_labels == 5


def test_a_fit_comes_once_a_round(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good"}])
    seen = []
    for _ in range(6):
        ids = assay.ask(2)["id"]
        assay.tell(ids, bench.truth(ids))
        seen.append(assay.status().services[0].fitted_labels)
    assert seen == [None, None, None, 6, 6, 6]
