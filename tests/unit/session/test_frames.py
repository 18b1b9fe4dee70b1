"""Tables of a session: an annotator sees the instance, never a prediction or the answer."""

import polars as pl

from accuracy_assay.domain.events import Asked, Recorded, Told
from accuracy_assay.session.frames import batch_frame, labels_frame, shown_columns
from accuracy_assay.session.ledger import Ledger


def test_a_batch_shows_id_and_columns_and_hides_predictions(bench) -> None:
    batch = bench.create().ask(7, annotator="ann")
    assert batch.columns == ["id", "file", "arm", "why"]
    assert batch.height == 7
    row = bench.pool.row(by_predicate=pl.col("id") == batch["id"][0], named=True)
    band = "< 40" if row["age"] < 40 else ">= 40"
    assert batch["file"][0] == row["file"]
    assert batch["arm"][0] == f"sex={row['sex']}, age={band}"
    assert batch["why"][0] == "at random"


def test_columns_are_shown_once_in_the_order_of_the_spec(bench) -> None:
    show = {"text": ["file", "age"], "table": ["age", "id", "sex"]}
    assay = bench.create(label={"show": show})
    assert shown_columns(assay.spec) == ["file", "age", "sex"]
    assert assay.ask(2).columns == ["id", "file", "age", "sex", "arm", "why"]


def test_rows_stand_in_the_order_of_their_ids(bench) -> None:
    assay = bench.create()
    ids, ledger = ["x7", "x3", "x5"], Ledger()
    ledger.reasons |= zip(ids, ["first", "second", "third"], strict=True)
    frame = batch_frame(assay.spec, assay.session.parts().snapshots, ids, ledger)
    assert frame.select("id", "file", "why").rows() == [
        ("x7", "7.wav", "first"),
        ("x3", "3.wav", "second"),
        ("x5", "5.wav", "third"),
    ]


def test_no_instances_are_an_empty_table_with_the_same_columns(bench) -> None:
    assay = bench.create()
    assert assay.ask(0).schema == assay.ask(2).schema
    assert assay.ask(0).height == 0


def test_the_arm_is_the_most_probable_one_without_what_the_label_reveals(guessed) -> None:
    batch = guessed.create().ask(8)
    p_us = dict(zip(guessed.pool["id"].cast(pl.String), guessed.pool["p_accent__us"], strict=True))
    for name, arm in batch.select("id", "arm").iter_rows():
        assert arm == ("accent=us" if p_us[name] > 0.5 else "accent=uk")


def test_guesses_that_are_not_sure_are_named_and_exact_attributes_have_no_such_column(
    guessed, bench
) -> None:
    batch = guessed.create().ask(8)
    p_us = dict(zip(guessed.pool["id"].cast(pl.String), guessed.pool["p_accent__us"], strict=True))
    for name, unsure in batch.select("id", "unsure").iter_rows():
        if max(p_us[name], 1.0 - p_us[name]) < 0.9:
            assert unsure == "accent"
        else:
            assert unsure in ("", "accent")  # the calibration may know better
    assert "unsure" not in bench.create().ask(2).columns


def test_labels_say_with_which_chance_they_were_picked_and_whether_at_random() -> None:
    ledger = Ledger(10, 1)
    events = [
        Asked(("a", "b"), "ann", 9.0, "s", ("", ""), (0.1, 0.9), (0.1, 0.1), (True, False)),
        Told(("a", "b", "c"), ("cat", "dog", "cat"), "ann"),
    ]
    ledger.apply(Recorded(seq, 0.0, event) for seq, event in enumerate(events, start=1))
    found = labels_frame(ledger).select("id", "chance", "at_random").rows()
    assert found == [("a", 0.1, True), ("b", 0.9, False), ("c", None, False)]


def test_labels_stand_in_the_order_of_their_first_answers_with_all_votes() -> None:
    ledger = Ledger(10, 2)
    events = [
        Told(("b", "a"), ("cat", "dog"), "ann"),
        Told(("a",), ("cat",), "bob"),
        Told(("a", "b"), ("cat", "cat"), "cem"),
    ]
    ledger.apply(Recorded(seq, 0.0, event) for seq, event in enumerate(events, start=1))
    assert labels_frame(ledger).rows() == [
        ("b", "cat", 2, False, "cat: 2", None, False),
        ("a", "cat", 3, True, "dog: 1, cat: 2", None, False),
    ]
    assert labels_frame(Ledger()).schema == labels_frame(ledger).schema
