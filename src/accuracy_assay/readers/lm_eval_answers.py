"""What a model answered in a line of lm-evaluation-harness, and what it was asked.

A question with choices has one request per choice; ``filtered_resps`` are the log-likelihoods of
the choices, and the answer is the likeliest. Otherwise they are the texts that the model wrote.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from accuracy_assay.readers.untrusted import chat, elements, entries, shown, words

__all__ = ["choices_of", "question_of", "said_of"]

_QUESTIONS = ("question", "query", "problem", "goal", "prompt", "input", "text", "sentence")
"""Names that documents give to what is asked, the most telling first."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def said_of(line: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the answer and the truth, both as numbers, letters or texts of choices.

    Examples
    --------
    >>> requests = {f"gen_args_{i}": {"arg_0": "2 + 2?", "arg_1": x} for i, x in enumerate("45")}
    >>> resps = [["-1.5", "True"], ["-2.5", "False"]]
    >>> said_of({"arguments": requests, "filtered_resps": resps, "target": "0"})
    ('0', '0')
    >>> said_of({"filtered_resps": ["4"], "target": "5"})
    ('4', '5')
    """
    target = shown(line.get("target"))
    answers = elements(line.get("filtered_resps"))
    likelihoods = [_likelihood(answer) for answer in answers]
    if not likelihoods or None in likelihoods:
        return _text(answers), target
    if len(likelihoods) < 2:
        return None, target
    best = max(range(len(likelihoods)), key=lambda i: _comparable(likelihoods[i]))
    contexts, endings = _requests(line)
    if len(endings) != len(likelihoods):
        return str(best), target
    if len(set(endings)) == 1:
        # The choices stand in the contexts; the target is their common end, and not the truth.
        return _differing(contexts)[best], None
    return _named(best, endings, target), target


def question_of(line: Mapping[str, Any]) -> str | None:
    """Return what was asked: a text of the document, or else the whole prompt."""
    doc = entries(line.get("doc"))
    for name in _QUESTIONS:
        if found := words(doc.get(name)):
            return found
    contexts, _ = _requests(line)
    return contexts[0] if contexts else None


def choices_of(line: Mapping[str, Any]) -> str | None:
    """Return the choices, one on a line."""
    contexts, endings = _requests(line)
    if len(endings) < 2:
        return None
    named = endings if len(set(endings)) > 1 else _differing(contexts)
    return "\n".join(named)


def _requests(line: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the contexts of the requests, and what each was to go on with."""
    arguments = line.get("arguments")
    requests = list(arguments.values()) if isinstance(arguments, dict) else elements(arguments)
    contexts, endings = [], []
    for request in requests:
        parts = list(request.values()) if isinstance(request, dict) else elements(request)
        if parts and isinstance(parts[0], str):
            contexts.append(parts[0])
        elif parts and (text := chat(parts[0])) is not None:
            contexts.append(text)
        if len(parts) > 1 and isinstance(parts[1], str):
            endings.append(parts[1].strip())
    return contexts, endings


def _likelihood(answer: Any) -> float | None:
    """Return the log-likelihood in an answer such as ``["-59.0", "False"]``."""
    pair = elements(answer)
    if len(pair) != 2 or str(pair[1]) not in ("True", "False"):
        return None
    try:
        return float(pair[0])
    except (TypeError, ValueError, OverflowError):
        return None


def _comparable(likelihood: float | None) -> float:
    return -math.inf if likelihood is None or math.isnan(likelihood) else likelihood


def _text(answers: Sequence[Any]) -> str | None:
    """Return the first text that the model wrote."""
    first = answers[0] if answers else None
    while isinstance(first, list) and first:
        first = first[0]
    return shown(first)


def _named(best: int, endings: Sequence[str], target: str | None) -> str:
    """Return the chosen one in the form in which the truth is given."""
    truth = (target or "").strip()
    if truth.isdecimal() and int(truth[:4]) < len(endings):
        return str(best)
    if truth in endings:
        return endings[best]
    if len(truth) == 1 and truth in _LETTERS[: len(endings)]:
        return _LETTERS[best]
    return endings[best]


def _differing(contexts: Sequence[str]) -> list[str]:
    """Return the last words of texts that begin alike."""
    first, last = min(contexts), max(contexts)
    pairs = enumerate(zip(first, last, strict=False))
    n_alike = next((i for i, (a, b) in pairs if a != b), len(first))
    start = first[:n_alike].rfind(" ") + 1
    return [text[start:] for text in contexts]
