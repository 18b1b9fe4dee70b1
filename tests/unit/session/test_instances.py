"""The instances behind an arm are those of the pool, with the answers that were given."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.session.instances import (
    Instance,
    ServiceAnswer,
    list_instances,
    predictions_of,
)


def listed(assay: Any, *, labelled_only: bool = True, **where: Any) -> list[Instance]:
    snapshots = assay.session.parts().snapshots
    return list_instances(snapshots, where, labelled_only=labelled_only)


def test_labelled_instances_of_an_arm_have_their_answers(bench: Any) -> None:
    assay = bench.create()
    rows = bench.pool.filter((pl.col("sex") == "f") & (pl.col("age") < 40))
    others = bench.pool.filter(pl.col("sex") == "m")
    told = [*rows["id"][:3], *others["id"][:2]]
    assay.tell(told, bench.truth(told))
    found = listed(assay, sex="f", age=20)
    assert [i.id for i in found] == rows["id"][:3].to_list()
    first, row = found[0], rows.row(0, named=True)
    assert (first.chance, first.shown) == (1.0, {"file": row["file"]})
    assert (first.label, dict(first.votes)) == (row["truth"], {row["truth"]: 1})
    assert first.answers == {
        name: ServiceAnswer(row[name], float(row[name] == row["truth"]))
        for name in ("good", "bad")
    }


def test_instances_without_a_label_come_after_and_tell_no_prediction(bench: Any) -> None:
    assay = bench.create()
    assay.tell(["x3"], ["cat"])
    every = listed(assay, labelled_only=False)
    assert [i.id for i in every] == ["x3", *(i for i in bench.pool["id"] if i != "x3")]
    assert {(i.label, *i.answers, *i.votes) for i in every[1:]} == {(None,)}
    assert every[1].shown == {"file": "0.wav"}


def test_disputed_answers_are_counted(bench: Any) -> None:
    assay = bench.create()
    for who, label in (("ann", "dog"), ("bob", "cat"), ("cleo", "dog")):
        assay.tell(["x0"], [label], annotator=who)
    (found,) = listed(assay)
    assert (found.label, dict(found.votes)) == ("dog", {"dog": 2, "cat": 1})


def test_a_guessed_instance_stands_where_it_may_well_be_with_its_chance(guessed: Any) -> None:
    assay = guessed.create()
    some = guessed.pool["id"].to_list()[:20]
    assay.tell(some, ["0"] * 20)
    by_accent = {a: listed(assay, accent=a, digit="0") for a in ("uk", "us")}
    for found in by_accent.values():
        chances = [i.chance for i in found]
        assert chances == sorted(chances, reverse=True)
        assert chances[-1] >= 0.05
    uk, us = ({i.id: i.chance for i in found} for found in by_accent.values())
    both = [i for i in uk.keys() & us.keys() if int(i) in some]
    assert both
    assert [uk[i] + us[i] for i in both] == pytest.approx([1.0] * len(both))
    seed = guessed.seed.filter(pl.col("accent") == "uk", pl.col("label") == "0")
    assert {str(i) for i in seed["id"]} <= {i for i, chance in uk.items() if chance == 1.0}
    known = next(i for i in by_accent["uk"] if i.id == str(seed["id"][0]))
    assert (known.label, dict(known.votes)) == ("0", {})


def test_an_unknown_value_is_named(bench: Any) -> None:
    with pytest.raises(UnknownNameError, match="got 'x'"):
        listed(bench.create(), sex="x")


def test_predictions_are_those_of_every_service(bench: Any) -> None:
    found = predictions_of(bench.create().session.parts().snapshots, ["x2", "x1"])
    pool = {row["id"]: row for row in bench.pool.iter_rows(named=True)}
    assert found == {i: {name: pool[i][name] for name in ("good", "bad")} for i in ("x2", "x1")}
