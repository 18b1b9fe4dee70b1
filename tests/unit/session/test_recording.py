"""Answers are written whole or not at all, and only where they are new."""

import pytest

from accuracy_assay.domain.events import Skipped, Told
from accuracy_assay.errors import ConflictError
from accuracy_assay.session.recording import record


def test_what_was_told_before_is_not_written_again(bench) -> None:
    journal = bench.create()._journal
    told = Told(("x1", "x2"), ("cat", "dog"), "ann")
    assert record(journal, [told]) == 2
    seq = journal.ledger.seq
    assert record(journal, [told]) == 0
    assert journal.ledger.seq == seq


def test_one_contradiction_keeps_all_answers_out(bench) -> None:
    journal = bench.create()._journal
    record(journal, [Told(("x1",), ("cat",), "ann")])
    seq = journal.ledger.seq
    events = [Told(("x2",), ("cat",), "bob"), Told(("x3", "x1"), ("cat", "dog"), "ann")]
    with pytest.raises(ConflictError, match="answer of 'ann' to instance 'x1' must stay 'cat'"):
        record(journal, events)
    assert journal.ledger.seq == seq
    assert set(journal.ledger.answers) == {"x1"}


def test_skips_are_written_and_count_as_no_answer(bench) -> None:
    journal = bench.create()._journal
    assert record(journal, [Skipped(("x1",), "ann")]) == 0
    assert journal.ledger.skips == {"x1": {"ann"}}
