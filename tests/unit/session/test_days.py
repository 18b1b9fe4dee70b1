"""Work by day is the answers that came in, by whom."""

from typing import Any

from accuracy_assay.session.days import answers_by_day


def test_every_answer_counts_once_on_its_day_for_its_annotator(bench: Any) -> None:
    assay = bench.create()
    ids = assay.pool["id"].to_list()[:5]
    assert answers_by_day(assay.session) == {}
    assay.tell(ids[:3], ["cat"] * 3, "ann")
    assay.tell(ids[3:], ["dog"] * 2, "bob")
    assay.undo("bob")
    days = answers_by_day(assay.session)
    assert sum(n for by in days.values() for n in by.values()) == 5
    assert {name for by in days.values() for name in by} == {"ann", "bob"}
    assert list(days) == sorted(days)
