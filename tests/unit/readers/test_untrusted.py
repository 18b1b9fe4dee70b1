"""Values of files that nobody vouches for."""

from typing import Any

import pytest

from accuracy_assay.readers.untrusted import (
    chat,
    count,
    digest,
    elements,
    entries,
    figure,
    parse,
    parsed,
    shown,
    verdict,
    words,
)

NONSENSE = [None, True, -1, 1.5, float("nan"), float("inf"), 10**400, "", " ", "x", [], [1], {}]


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_whatever_the_value_the_type_is_the_one_that_was_asked_for(value: Any) -> None:
    assert isinstance(entries(value), dict)
    assert isinstance(elements(value), list)
    assert isinstance(words(value), str | None)
    assert isinstance(figure(value), float | None)
    assert isinstance(count(value), int | None)
    assert isinstance(shown(value), str | None)
    assert isinstance(chat(value), str | None)
    assert isinstance(verdict(value), float | None)
    assert isinstance(digest(value), str)
    parsed(value)


def test_a_number_that_is_not_finite_is_none() -> None:
    assert [figure(x) for x in (float("nan"), float("-inf"), 10**400)] == [None] * 3


def test_an_index_is_a_whole_number_that_is_not_negative() -> None:
    assert [count(x) for x in (0, 7, -1, True, 2.0, "3", 10**12)] == [0, 7] + [None] * 5


def test_messages_are_read_with_their_roles_and_parts() -> None:
    said = [
        {"role": "system", "content": [{"type": "text", "text": "Add."}, {"type": "image"}]},
        {"role": "user", "parts": [{"type": "text", "content": "2 + 2?"}]},
    ]
    assert chat(said) == "system: Add.\n\nuser: 2 + 2?"
    assert chat({"messages": said[1:]}) == "2 + 2?"


def test_half_a_character_is_replaced_and_a_whole_one_is_kept() -> None:
    assert parse('["\\ud83d", "\\ud83d\\ude00"]') == ["?", "\U0001f600"]
    assert parsed('["\\ud83d"]') == ["?"]


def test_a_text_that_only_looks_like_json_stays_a_text() -> None:
    for text in ("[1, 2", "{x}", "[" * 100_000, "plain"):
        assert parsed(text) == text


def test_a_digest_depends_on_every_value_and_on_no_order_of_names() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert len({digest("ab"), digest("a", "b"), digest(["ab"]), digest("ab", None)}) == 4
