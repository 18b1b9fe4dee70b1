"""An answer needs a service and an item; all else may be unknown."""

from dataclasses import FrozenInstanceError

import pytest

from accuracy_assay.readers.answer import Answer


def test_an_answer_may_be_all_but_unknown() -> None:
    answer = Answer("a", "1")
    assert (answer.said, answer.target, answer.epoch, answer.run) == (None, None, None, None)
    assert (answer.scores, answer.judges, answer.texts, answer.facts) == ({}, {}, {}, {})


def test_an_answer_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Answer("a", "1").said = "x"  # type: ignore[misc]
