"""Words are found in any script."""

import polars as pl
import pytest

from accuracy_assay.domain.text.words import count_words, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don’t stop-over, please!", ["don't", "stop-over", "please"]),
        ("snake_case and 3.5 or x2", ["snake_case", "and", "3", "5", "or", "x2"]),
        ("東京 Tower", ["東", "京", "tower"]),
        ("मेरा नाम", ["मेरा", "नाम"]),
        ("Привет, мир", ["привет", "мир"]),
        ("cafe\u0301 naïve", ["cafe\u0301", "naïve"]),
        ("a\x00b [c] {d} \\", ["a", "b", "c", "d"]),
        ("", []),
        ("?! ...", []),
    ],
)
def test_words_are_runs_of_letters_in_small_letters(text: str, words: list[str]) -> None:
    texts = pl.Series([text, None])
    assert split_words(texts).to_list() == [words, None]
    assert count_words(texts).to_list() == [len(words), None]


def test_a_very_long_text_is_counted() -> None:
    assert count_words(pl.Series(["word " * 1_000_000])).to_list() == [1_000_000]
