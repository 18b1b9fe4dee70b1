"""Words tell groups apart if they are neither rare nor everywhere; names are made of them."""

import numpy as np
import polars as pl

from accuracy_assay.domain.text.telling import group_names, plain_words, telling_words


def test_words_that_are_rare_or_everywhere_tell_nothing() -> None:
    texts = pl.Series([f"ship number{i} {'oven' if i % 10 == 0 else 'sail'}" for i in range(100)])
    assert telling_words(plain_words(texts), 8) == ["oven"]


def test_endings_of_words_do_not_make_others() -> None:
    assert plain_words(pl.Series(["ship's ships' ship"])).to_list() == [["ship", "ships", "ship"]]


def test_groups_of_equal_words_have_different_names() -> None:
    words = ["bread", "oven", "ship"]
    weights = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, -1.0], [0.0, 0.0, 3.0]])
    assert group_names(weights, words) == ["oven/bread", "oven/bread (2)", "ship"]
