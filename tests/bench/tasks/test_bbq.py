from pathlib import Path

from assay_bench.tasks.bbq import bbq


def test_the_signal_is_agreement_with_the_referee_and_not_with_the_truth(tables: Path) -> None:
    task = bbq(tables)
    assert task.signals == ("agrees",)
    assert task.rows["agrees"].to_list() == [False, True]
    assert task.rows[task.score].to_list() == [1, 0]


def test_the_service_and_its_referees_are_named(tables: Path) -> None:
    assert list(bbq(tables).services) == ["race", "arc", "qonly"]
