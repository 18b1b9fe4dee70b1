"""The most common form of ``assay tell``, without the command line's libraries.

It handles answers as ``id=label``, ``--annotator``, ``--name``, ``--replace`` and ``--json`` for a
store whose pool is cached. The full command handles everything else, including mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from accuracy_assay.runtime.number_text import plural

__all__ = ["tell_quickly", "told_line"]

_VALUES = {"--annotator": "annotator", "--name": "name"}
_FLAGS = {"--replace": "is_replacing", "--json": "as_json"}


@dataclass
class _Words:
    """What was typed."""

    store: str = ""
    answers: list[tuple[str, str]] = field(default_factory=list)
    annotator: str = "anyone"
    name: str | None = None
    is_replacing: bool = False
    as_json: bool = False


def tell_quickly(words: list[str]) -> bool:
    """Record the answers and print the result; return False, with nothing done, if it cannot."""
    from accuracy_assay.domain.person_names import one_name

    typed = _parse(words)
    if typed is None or "://" in typed.store or one_name(typed.annotator) != typed.annotator:
        return False
    from accuracy_assay.cli.trust import is_trusted
    from accuracy_assay.session.quick_tell import quick_tell

    told = quick_tell(
        typed.store,
        typed.answers,
        typed.annotator,
        typed.name,
        is_replacing=typed.is_replacing,
        is_trusted=lambda reach: is_trusted(typed.store, reach),
    )
    if told is None:
        return False
    if typed.as_json:
        import json

        print(json.dumps({"new": told.new, "undone": [], "labels": told.labels}, indent=1))
    else:
        print(told_line(told.new, told.labels, told.spent, told.budget))
    return True


def told_line(n_new: int, labels: int, spent: float, budget: int) -> str:
    """Return what telling came to, in one line.

    Examples
    --------
    >>> told_line(1, 2_000, 30, 5_000)
    '1 new answer; 2,000 instances labelled, 30 of a budget of 5,000 used'
    """
    labelled = f"{plural(labels, 'instance')} labelled"
    return f"{plural(n_new, 'new answer')}; {labelled}, {spent:,} of a budget of {budget:,} used"


def _parse(words: list[str]) -> _Words | None:
    """Return what the words say; None if they say more than is handled here."""
    typed, positional, rest = _Words(), [], list(words)
    while rest:
        word = rest.pop(0)
        option, has_value, value = word.partition("=")
        if option in _VALUES and (has_value or rest):
            setattr(typed, _VALUES[option], value if has_value else rest.pop(0))
        elif word in _FLAGS:
            setattr(typed, _FLAGS[word], True)
        elif word.startswith("-"):
            return None
        else:
            positional.append(word)
    pairs = [word.rpartition("=") for word in positional[1:]]
    if not pairs or not all(instance and is_pair for instance, is_pair, _ in pairs):
        return None
    typed.store = positional[0]
    typed.answers = [(instance, label) for instance, _, label in pairs]
    return typed
