"""Which answers belong to one row: repeats, parts of one answer, services asked the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import replace

from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.untrusted import digest

__all__ = ["merged", "numbered", "paired"]


def numbered(
    files: Iterable[Iterable[Answer]], *, has_line_per_metric: bool = False
) -> list[Answer]:
    """Return answers with an epoch each, if any run answers an item more than once.

    They are numbered file by file, so that the answers of a file and of its copy become one.

    Parameters
    ----------
    files
        The answers of each file, in the order in which they were given.
    has_line_per_metric
        Whether answers with other metrics are the same answer.

    Examples
    --------
    >>> said = [Answer("m", "q", "4"), Answer("m", "q", "4"), Answer("m", "q2", "7")]
    >>> [answer.epoch for answer in numbered([said])], numbered([said[1:]])[0].epoch
    ([0, 1, 0], None)
    """
    listed: list[Answer] = []
    epochs: list[int] = []
    for answers in files:
        seen: Counter[Hashable] = Counter()
        for answer in answers:
            names = (tuple(answer.scores), tuple(answer.judges)) if has_line_per_metric else ()
            key = (answer.run, answer.service, answer.item, names)
            listed.append(answer)
            epochs.append(seen[key])
            seen[key] += 1
    if not any(epochs):
        return listed
    return [replace(answer, epoch=epoch) for answer, epoch in zip(listed, epochs, strict=True)]


def merged(answers: Iterable[Answer]) -> list[Answer]:
    """Return answers to one item and epoch as one, if each is scored by other metrics.

    Examples
    --------
    >>> parts = [Answer("m", "q", "4", {"exact": 1.0}), Answer("m", "q", "4", {}, {"rubric": 0.5})]
    >>> [(answer.scores, answer.judges) for answer in merged(parts)]
    [({'exact': 1.0}, {'rubric': 0.5})]
    """
    found: dict[Hashable, list[Answer]] = {}
    for answer in answers:
        key = (answer.run, answer.service, answer.item, answer.epoch, answer.annotator)
        others = found.setdefault(key, [])
        for number, other in enumerate(others):
            is_apart = not (answer.scores.keys() & other.scores.keys())
            if is_apart and not (answer.judges.keys() & other.judges.keys()):
                others[number] = replace(
                    other,
                    said=other.said if other.said is not None else answer.said,
                    scores={**other.scores, **answer.scores},
                    judges={**other.judges, **answer.judges},
                    facts={**answer.facts, **other.facts},
                )
                break
        else:
            others.append(answer)
    return [answer for others in found.values() for answer in others]


def paired(answers: Iterable[Answer], *, by: str) -> list[Answer]:
    """Return answers whose item is what was asked, if two services were asked the same.

    Traces of production have ids of their own, so no two services would share an item. What a
    service was asked repeatedly are epochs.

    Parameters
    ----------
    answers
        Answers whose items are ids of responses.
    by
        The text that says what was asked.

    Examples
    --------
    >>> said = [Answer("m", "r1", texts={"input": "2 + 2?"}), Answer("n", "r2")]
    >>> [answer.item for answer in paired(said, by="input")]
    ['r1', 'r2']
    >>> also = [*said, Answer("n", "r3", texts={"input": "2 + 2?"})]
    >>> len({answer.item for answer in paired(also, by="input")})
    2
    """
    listed = list(answers)
    services: dict[str, set[str]] = defaultdict(set)
    for answer in listed:
        if text := answer.texts.get(by):
            services[text].add(answer.service)
    if all(len(names) < 2 for names in services.values()):
        return listed
    responses: dict[Hashable, dict[str, int]] = defaultdict(dict)
    found = []
    for answer in listed:
        text = answer.texts.get(by)
        item = digest(text) if text else answer.item
        numbers = responses[answer.service, item]
        epoch = numbers.setdefault(answer.item, len(numbers))
        found.append(replace(answer, item=item, epoch=epoch))
    if not any(answer.epoch for answer in found):
        return [replace(answer, epoch=None) for answer in found]
    return found
