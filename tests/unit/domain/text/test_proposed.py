"""Features of texts are proposed where they divide the pool."""

import polars as pl
import pytest
from made_texts import make_texts

from accuracy_assay.domain.text.proposed import is_text, proposed_features

SENTENCES = [f"It is late on the {i}th day." for i in range(30)] * 10


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a sentence of five words", "and another one of them"], True),
        (["Ann Lee", "Bob Smith"], False),
        (["今天天气很好"], True),
        ([None, None], False),
        (["", ""], False),
        ([1, 2], False),
    ],
)
def test_a_text_has_several_words(values: list[object], expected: bool) -> None:
    assert is_text(pl.Series(values)) is expected


def test_only_features_that_divide_the_pool_are_proposed() -> None:
    texts = pl.Series("said", [*SENTENCES, *(f"Is it not late, {i}?" for i in range(3))])
    assert set(proposed_features(texts, ["said"])) == set()
    asking = pl.Series("said", ["Is it late?", "It is late."] * 30)
    assert set(proposed_features(asking, ["said"]).values()) == {"question"}


def test_topics_are_proposed_for_many_different_texts() -> None:
    texts, _ = make_texts(300)
    assert proposed_features(texts, [])["main_topic"] == "main-topic"
    assert "main_topic" not in proposed_features(texts[:100], [])


def test_names_of_columns_are_not_taken() -> None:
    texts = pl.Series("said", ["Is it late?", "It is late."] * 30)
    assert proposed_features(texts, ["question"]) == {"said_question": "question"}
    assert proposed_features(texts, ["question", "said_question"]) == {
        "said_question_": "question"
    }
