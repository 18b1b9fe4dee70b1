"""A text attribute knows its name and its settings, and refuses those of others."""

from typing import Any

import pytest

from accuracy_assay.domain.text.attribute import FEATURES, TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_is_known_by_its_name(feature: str) -> None:
    attribute = TextAttribute("said", feature)
    assert attribute.name == feature.replace("-", "_")
    assert attribute.is_guessed is (feature == "topic")


def test_topics_and_taggers_are_evidence() -> None:
    assert TextAttribute("said", "topic", "about").evidence == "p_about__*"
    assert TextAttribute("said", "my_module:mood").evidence == "p_mood__*"
    assert TextAttribute("said", len).evidence == "p_len__*"
    assert TextAttribute("said", "length").evidence is None


def test_an_unknown_feature_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'negations'\. Did you mean 'negation'"):
        TextAttribute("said", "negations")


@pytest.mark.parametrize(
    ("feature", "settings", "message"),
    [
        ("question", {"edges": (3,)}, "edges of text attribute 'question' must be for length"),
        ("length", {"topics": 3}, "topics of text attribute 'length' must be for topic"),
        ("script", {"values": ("a", "b")}, "must be for a tagger"),
        ("length", {"edges": (8, 8)}, "increasing whole numbers"),
        ("length", {"edges": (0, 8)}, "increasing whole numbers"),
        ("length", {"edges": (8.5,)}, "increasing whole numbers"),
        ("length", {"edges": ()}, "increasing whole numbers"),
        ("topic", {"topics": 1}, "topics of 'topic' must be a whole number from 2"),
        ("topic", {"topics": 2.5}, "whole number"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    feature: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        TextAttribute("said", feature, **settings)


def test_a_column_must_be_named() -> None:
    with pytest.raises(InputError, match="must be a name; got ''"):
        TextAttribute("", "length")
