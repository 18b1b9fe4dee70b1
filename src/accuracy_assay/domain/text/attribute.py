"""``TextAttribute``: an attribute derived from a column of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from accuracy_assay.domain.text.exact import (
    has_code,
    has_negation,
    has_quoted_speech,
    is_question,
    numerals,
    question_word,
)
from accuracy_assay.domain.text.languages import language_of
from accuracy_assay.domain.text.scripts import script_of
from accuracy_assay.domain.text.tagger import Tagger
from accuracy_assay.domain.text.topics import N_TOPICS
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.whole_number import whole_number

__all__ = [
    "ANSWER_FORM",
    "CLUSTER",
    "COUNTED",
    "FEATURES",
    "RULES",
    "TOPICS",
    "TextAttribute",
]

RULES: Mapping[str, Callable[[pl.Series], pl.Series]] = {
    "question": is_question,
    "question-word": question_word,
    "negation": has_negation,
    "numerals": numerals,
    "quoted-speech": has_quoted_speech,
    "code": has_code,
    "script": script_of,
    "language": language_of,
}
"""Features that need no other text."""
COUNTED = ("length", "rare-words")
"""Features that are counts, cut into bands by the pool."""
TOPICS = ("topic", "main-topic")
"""Features found in the pool's texts: probabilities of topics, and the most probable topic."""
CLUSTER = "cluster"
"""Which of the clusters of the pool's texts, by what they mean."""
ANSWER_FORM = "answer-form"
"""What kind of answer a short text is: a number, yes, no, a refusal, or its length."""
FEATURES = (*COUNTED, *RULES, ANSWER_FORM, *TOPICS, CLUSTER)
"""All named features."""

_GROUPED = (*TOPICS, CLUSTER)
_MOST_TOPICS = 100
"""Chosen by hand: more would leave each topic with few texts."""


@dataclass(frozen=True)
class TextAttribute:
    """An attribute derived from a column of texts.

    Parameters
    ----------
    column
        Column of the texts.
    feature
        ``length``, ``rare-words``, ``question``, ``question-word``, ``negation``, ``numerals``,
        ``quoted-speech``, ``code``, ``script``, ``language``, ``answer-form``, ``topic``,
        ``main-topic`` or ``cluster``; or a tagger: a function, or ``module:function``, that takes
        a list of texts and returns the probability of each value.
    name
        Name of the attribute; by default that of the feature, with ``_`` for ``-``.
    values
        Values of a tagger in the order of its columns, unless it names them itself.
    edges
        Whole numbers at which ``length`` and ``rare-words`` are cut; by default the pool's thirds.
    topics
        Number of topics or clusters, by default 8.

    Examples
    --------
    >>> TextAttribute("sentence", "rare-words").name
    'rare_words'
    >>> TextAttribute("sentence", "topic").evidence
    'p_topic__*'
    """

    column: str
    feature: str | Tagger
    name: str = ""
    values: tuple[str, ...] = ()
    edges: tuple[int, ...] | None = None
    topics: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise InputError(f"column of a text attribute must be a name; got {self.column!r}.")
        if not self.is_tagger and self.feature not in FEATURES:
            raise UnknownNameError(
                f"feature of the text {self.column!r}",
                self.feature,
                FEATURES,
                hint="Write your own tagger as module:function.",
            )
        if not self.name:
            object.__setattr__(self, "name", self._own_name())
        self._refuse_settings_of_others()
        object.__setattr__(self, "values", tuple(self.values))
        if self.edges is not None:
            object.__setattr__(self, "edges", self._checked_edges())
        if self.topics is not None:
            whole_number(self.topics, f"topics of {self.name!r}", least=2, most=_MOST_TOPICS)

    @property
    def is_tagger(self) -> bool:
        """Whether a function of the user gives the values."""
        return not isinstance(self.feature, str) or ":" in self.feature

    @property
    def is_guessed(self) -> bool:
        """Whether the attribute has probabilities rather than a value."""
        return self.is_tagger or self.feature == "topic"

    @property
    def evidence(self) -> str | None:
        """The pattern of the probability columns, None if the attribute is exact."""
        return f"p_{self.name}__*" if self.is_guessed else None

    @property
    def n_topics(self) -> int:
        """Number of topics or clusters."""
        return N_TOPICS if self.topics is None else self.topics

    def _own_name(self) -> str:
        if isinstance(self.feature, str):
            return self.feature.rpartition(":")[2].replace("-", "_")
        return getattr(self.feature, "__name__", type(self.feature).__name__)

    def _refuse_settings_of_others(self) -> None:
        owners = {
            "values": (self.values, self.is_tagger, "a tagger"),
            "edges": (self.edges, self.feature in COUNTED, " and ".join(COUNTED)),
            "topics": (self.topics, self.feature in _GROUPED, " and ".join(_GROUPED)),
        }
        for key, (given, is_owner, whose) in owners.items():
            if given not in (None, ()) and not is_owner:
                raise InputError(
                    f"{key} of text attribute {self.name!r} must be for {whose}; got {given!r} "
                    f"with feature {self.feature!r}. Leave it out."
                )

    def _checked_edges(self) -> tuple[int, ...]:
        given = tuple(self.edges or ())
        is_whole = all(edge == int(edge) and edge >= 1 for edge in given)
        if not given or not is_whole or list(given) != sorted(set(given)):
            raise InputError(
                f"edges of text attribute {self.name!r} must be increasing whole numbers of at "
                f"least 1; got {list(given)!r}. Write for example [8, 12], or leave them out."
            )
        return tuple(int(edge) for edge in given)
