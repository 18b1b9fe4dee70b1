"""A terminal obeys no text from outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accuracy_assay.runtime.visible_text import visible_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;title\x07", r"\x1b[2J\x1b]0;title\x07"),
        ("a\rb\x00\x7f\x9b1m", r"a\rb\x00\x7f\x9b1m"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("a\u2028b\ufeff", r"a\u2028b\ufeff"),
        ("\ud800", r"\ud800"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str) -> None:
    assert visible_text(text) == shown


@pytest.mark.parametrize(
    "text", ["I [not] agree", "Zürich \\x1b", "नमस्ते", "👩‍👩‍👧", "می‌خواهم", ""]
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert visible_text(text) == text


@given(st.text())
def test_nothing_but_the_kept_characters_is_left_to_obey(text: str) -> None:
    shown = visible_text(text)
    assert all(ord(c) >= 32 or c in "\n\t" for c in shown)
    assert visible_text(shown) == shown
    assert "\n" not in visible_text(text, keep="")
