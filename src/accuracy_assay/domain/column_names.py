"""What the name of a column says about its part, such as ``pred:MODEL`` or ``google_correct``.

A name is a hint: whether its values can play the part is for the rows to say (`roles.guess`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["NameHint", "Part", "holds_truth", "name_hint"]

Part = Literal[
    "evidence",
    "prediction",
    "score",
    "confidence",
    "truth",
    "from truth",
    "answer",
    "judge",
    "human",
    "measure",
    "annotator",
    "weight",
    "id",
    "item",
]
"""The parts that names tell. An ``answer`` is the truth or a prediction, whichever is missing
otherwise; ``human`` is a person's score; ``measure`` an automatic one of texts; an ``item`` is an
id that may repeat."""


@dataclass(frozen=True, slots=True)
class NameHint:
    """What a name says.

    Parameters
    ----------
    part
        The part.
    service
        Whose column it is, empty if the name does not say; the attribute's name for evidence.
    metric
        Which score it is.
    """

    part: Part
    service: str = ""
    metric: str = ""


_SAID = r"y_pred|preds?|predictions?|predicted|hypothesis|transcript"
_SAID_TEXT = r"output|response|completion|generation|answer"
_SCORED = (
    r"is_correct|correct|accuracy|acc_norm|acc|exact_match|em|f1|is_right|passed|agreement|score"
)
_MEASURED = r"rouge\w*|bleu|meteor|bertscore\w*|chrf\w*|comet|bleurt"
_SURE = r"confidence|conf|probability|prob|logprob"
_TRUE = r"y_true|labels?|truth|ground_truth|gold|target|reference|expected|ideal"
_TRUE_OF = r"true|gold|gt|expected|reference|correct|right|ideal|target|truth"
_SUPPLIED = r"human|expert|manual"

_BETWEEN = r"[\s_.:-]"
_RULES: tuple[tuple[Part, str], ...] = (
    ("evidence", r"p_(?P<service>.+?)__.+"),
    ("judge", r"(?:llm_)?judged?:(?P<service>.+)"),
    ("judge", rf"(?:.*{_BETWEEN})?(?:judge|grader|verdict)s?(?:{_BETWEEN}.*)?"),
    ("score", r"score:(?P<service>.+):(?P<metric>[^:]+)"),
    ("score", r"score:(?P<service>.+)"),
    ("prediction", rf"(?:{_SAID}|{_SAID_TEXT}):(?P<service>.+)"),
    ("confidence", rf"(?:{_SURE}):(?P<service>.+)"),
    ("truth", rf"(?:{_TRUE})|(?:{_TRUE_OF})_(?:label|answer|class|output|value|text)|answer_key"),
    (
        "prediction",
        r"predicted_(?:label|class|answer|value|text)|model_(?:answer|output|response)",
    ),
    ("human", rf"(?:{_SUPPLIED})_\w+"),
    ("from truth", r"(?:truth|ground_truth|gold|y_true)_.+|solution|rationale|explanation"),
    ("score", rf"(?P<metric>{_SCORED})"),
    ("measure", rf"(?P<metric>{_MEASURED})"),
    ("prediction", rf"(?:{_SAID})|output|response|completion|generation"),
    ("answer", r"answers?"),
    ("confidence", rf"(?:{_SURE})"),
    ("prediction", rf"(?P<service>.+?){_BETWEEN}(?:{_SAID}|{_SAID_TEXT})"),
    ("prediction", rf"(?:{_SAID}){_BETWEEN}(?P<service>.+)"),
    ("score", rf"(?P<service>.+?){_BETWEEN}(?P<metric>{_SCORED})"),
    ("confidence", rf"(?P<service>.+?){_BETWEEN}(?:{_SURE})"),
    ("annotator", r"(?:annotator|worker|rater|labell?er|coder|reviewer|crowd_?worker)(?:_?id)?"),
    ("weight", r"(?:sample_?)?weights?"),
    ("id", r"id|uuid|guid|key|index|idx|row"),
    (
        "item",
        r"items?|documents?|doc|(?:.*[_.-])?(?:uuid|hash)|(?:item|doc|document|question)_?key",
    ),
    ("item", r".+[_.-]ids?|(?-i:[a-z]+I[dD])"),
    ("item", r"speaker|user|patient|participant|customer|author|session|conversation"),
)
"""Rules by part, the first that fits the whole name. Those that name a service come before those
that do not, where a name fits both."""
_KNOWN = tuple((part, re.compile(rule, re.IGNORECASE)) for part, rule in _RULES)


def name_hint(name: str) -> NameHint | None:
    """Return what the name of a column says, None if nothing.

    Examples
    --------
    >>> name_hint("google_correct")
    NameHint(part='score', service='google', metric='correct')
    >>> name_hint("pred:Llama-2-7b").service, name_hint("light")
    ('Llama-2-7b', None)
    """
    for part, rule in _KNOWN:
        if match := rule.fullmatch(name.strip()):
            found = match.groupdict()
            return NameHint(part, found.get("service") or "", found.get("metric") or "")
    return None


def holds_truth(name: str) -> bool:
    """Return whether a fact about an item seems to hold the truth or an answer, by its last part.

    Examples
    --------
    >>> holds_truth("mc1_targets.labels"), holds_truth("answer"), holds_truth("level")
    (True, True, False)
    """
    hint = name_hint(name.rpartition(".")[2])
    return hint is not None and hint.part in ("truth", "from truth", "answer", "prediction")
