"""Bands follow the pool and not the order of its rows; rare words are the pool's own."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.text.counts import (
    cut_at_thirds,
    length_bands,
    rare_word_bands,
    rare_words,
)

POOL = pl.Series([" ".join(["word"] * n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9)])


def test_lengths_are_cut_at_the_thirds_of_the_pool() -> None:
    bands = length_bands(POOL, POOL)
    assert bands.to_list() == (
        ["up to 3 words"] * 3 + ["4 to 6 words"] * 3 + ["7 words or more"] * 3
    )
    assert bands.dtype.categories.to_list() == ["up to 3 words", "4 to 6 words", "7 words or more"]


def test_other_texts_get_the_bands_of_the_pool() -> None:
    other = pl.Series(["", "a b c d", None, "x " * 100])
    assert length_bands(other, POOL).to_list() == [
        "up to 3 words",
        "4 to 6 words",
        None,
        "7 words or more",
    ]


def test_edges_that_are_given_are_kept() -> None:
    found = length_bands(pl.Series(["", "a", "a b", "a b c"]), POOL, (1, 2))
    assert found.to_list() == ["no word", "1 word", "2 words or more", "2 words or more"]


@pytest.mark.parametrize(
    ("numbers", "cuts"),
    [
        ([1, 2, 3], (2, 3)),
        ([0, 0, 0, 0, 5], (5,)),
        ([0, 0, 1, 1, 1, 1], (1,)),
        ([3, 3, 3], ()),
        ([None, None], ()),
        ([None, 1, 2], (2,)),
    ],
)
def test_thirds_that_fall_together_leave_fewer_bands(
    numbers: list[int | None], cuts: tuple[int, ...]
) -> None:
    assert cut_at_thirds(pl.Series(numbers, dtype=pl.Int64)) == cuts


def test_texts_of_one_length_have_one_band() -> None:
    same = pl.Series(["a b", "c d"])
    assert length_bands(same, same).unique().to_list() == ["any number of words"]


def test_a_word_is_rare_by_the_texts_that_have_it() -> None:
    pool = pl.Series(["the the cat", "the dog", "the cat", None, ""])
    assert rare_words(pool, pool).to_list() == [0, 1, 0, None, 0]
    assert rare_words(pl.Series(["a dog dog", "THE Cat"]), pool).to_list() == [2, 0]


def test_in_a_large_pool_one_text_in_a_thousand_may_have_it() -> None:
    pool = pl.Series(["the"] * 2990 + ["the zebra"] * 2 + ["the lion"] * 3 + ["the emu"] * 4)
    found = rare_words(pl.Series(["zebra", "lion", "emu"]), pool)
    assert found.to_list() == [1, 0, 0]
    assert rare_word_bands(pool, pool).unique().sort().to_list() == [
        "no rare word",
        "1 rare word or more",
    ]


def test_bands_are_the_same_whatever_the_order_of_the_pool() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefgh"), n)) for n in rng.integers(1, 20, 200)]
    pool, turned = pl.Series(texts), pl.Series(texts[::-1])
    for bands in (length_bands, rare_word_bands):
        assert bands(pool, pool).to_list() == bands(pool, turned).to_list()
