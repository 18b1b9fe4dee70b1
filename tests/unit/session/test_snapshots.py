"""What is known of a service at one moment: labels, predictions, and the problem behind them."""

import numpy as np
import polars as pl

from accuracy_assay.domain.events import Predicted
from accuracy_assay.spec.model import ServiceSection

CALLED = {"name": "api", "callable": "builtins:print"}
"""A service that is never called here: its predictions come as events."""


def predicted(ids: list[str]) -> Predicted:
    return Predicted("api", tuple(ids), ("cat",) * len(ids), (0.5,) * len(ids))


def section(assay, name: str) -> ServiceSection:
    return assay.spec.find_service(name)


def test_labels_are_the_seed_set_and_the_resolved_answers(guessed) -> None:
    assay = guessed.create()
    for name, label in (("ann", "0"), ("bob", "1"), ("cem", "1")):
        assay.tell("3", label, name)
    seen = assay.session.parts().snapshots.take(section(assay, "ear"))
    assert sorted(seen.labels) == [3, *range(80, 120)]
    assert seen.labels[3].label == "1"
    told = [seen.labels[row].label for row in range(80, 120)]
    assert told == guessed.seed["label"].to_list()


def test_an_answer_stands_before_the_label_of_the_seed_set(guessed) -> None:
    guessed.pool = pl.concat([guessed.pool, guessed.seed[:10].select(guessed.pool.columns)])
    assay = guessed.create()
    before = guessed.seed["label"][0]
    other = "1" if before == "0" else "0"
    assay.tell("80", other, confirmed_attributes={"accent": "us"})
    seen = assay.session.parts().snapshots.take(section(assay, "ear"))
    assert (seen.labels[80].label, seen.labels[80].attributes) == (other, {"accent": "us"})
    with assay.session.journal.reading() as ledger:
        assert assay.session.parts().snapshots.n_labels(ledger) == len(seen.labels) == 40


def test_predictions_are_those_of_the_labelled_rows(bench) -> None:
    assay = bench.create()
    assay.tell(["x4", "x2"], ["cat", "dog"])
    seen = assay.session.parts().snapshots.take(section(assay, "good"))
    assert seen.predictions == {i: (bench.pool["good"][int(i[1:])], None) for i in ("x4", "x2")}
    assert seen.is_scored
    nothing = seen.without_labels()
    assert (nothing.labels, nothing.predictions, nothing.seen_seq) == ({}, {}, 0)
    assert nothing.problem is seen.problem


def test_a_label_without_a_prediction_is_not_scored(bench) -> None:
    assay = bench.create(service=[CALLED])
    assay.session.journal.append(predicted(["x1"]))
    assay.tell("x1", "cat")
    assert assay.session.parts().snapshots.take(section(assay, "api")).is_scored
    assay.tell("x2", "cat")
    assert not assay.session.parts().snapshots.take(section(assay, "api")).is_scored


def test_what_a_fit_depends_on_is_numbered_by_service(bench) -> None:
    assay = bench.create(service=[CALLED, {"name": "good", "column": "good"}])
    assay.tell("x1", "cat")
    told = assay.status().events
    assay.session.journal.append(predicted(["x1"]))
    assay.skip("x3")
    take = assay.session.parts().snapshots.take
    assert take(section(assay, "good")).seen_seq == told
    assert take(section(assay, "api")).seen_seq == told + 1


def test_a_problem_is_built_again_only_when_the_pool_is_predicted(bench) -> None:
    assay = bench.create(service=[CALLED])
    api, ids = section(assay, "api"), bench.pool["id"].to_list()
    problem = assay.session.parts().snapshots.take(api).problem
    assay.session.journal.append(predicted(ids[:-1]))
    assert assay.session.parts().snapshots.take(api).problem is problem
    assay.session.journal.append(predicted(ids[-1:]))
    with assay.session.journal.reading() as ledger:
        assert not assay.session.parts().snapshots.is_current(api, ledger)
    whole = assay.session.parts().snapshots.take(api).problem
    assert whole is not problem
    assert assay.session.parts().snapshots.take(api).problem is whole
    with assay.session.journal.reading() as ledger:
        assert assay.session.parts().snapshots.is_current(api, ledger)


def test_another_service_comes_first_in_each_round_and_unscored_ones_wait(bench) -> None:
    columns = [{"name": name, "column": name} for name in ("good", "bad")]
    assay = bench.create(service=[CALLED, *columns])

    def turn() -> list[str]:
        with assay.session.journal.reading() as ledger:
            return [s.name for s in assay.session.parts().snapshots.in_turn(ledger)]

    assert turn() == ["api", "good", "bad"]
    assay.ask(1)
    assert turn() == ["good", "bad", "api"]
    assay.tell("x1", "cat")
    assert turn() == ["good", "bad"]
    assay.ask(1)
    assert turn() == ["bad", "good"]
    assay.session.journal.append(predicted(["x1"]))
    assert turn() == ["bad", "api", "good"]


def test_where_nothing_is_scored_the_first_service_guides(bench) -> None:
    assay = bench.create(service=[CALLED, CALLED | {"name": "other"}])
    assay.tell("x1", "cat")
    with assay.session.journal.reading() as ledger:
        assert [s.name for s in assay.session.parts().snapshots.in_turn(ledger)] == ["api"]
    assert assay.ask(3).height == 3


def test_services_share_their_arms(bench) -> None:
    assay = bench.create()
    problems = [
        assay.session.parts().snapshots.take(s).problem.problem for s in assay.spec.service
    ]
    assert problems[0].arms is problems[1].arms is assay.session.parts().snapshots.arms
    assert assay.session.parts().snapshots.calibrate(None) is None
    np.testing.assert_array_equal(problems[0].support.arm_size, problems[1].support.arm_size)
