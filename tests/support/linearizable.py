"""A small checker of histories: could one after another have done what several did at once?

Each operation has a beginning and an end, between which it must have happened at one moment. Of a
client that was killed there is no end: its operation may have happened at any later moment, or
never. The search tries every operation that no unfinished one precedes, and remembers where it has
been (Wing and Gong, "Testing and verifying concurrent objects", 1993; Lowe, "Testing for
linearizability", 2017). Histories of different keys are checked apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Operation", "first_wrong_key", "is_linearizable", "label_model"]


@dataclass(frozen=True)
class Operation:
    """What a client asked for, when, and what it was told; ``ended`` is infinite if it died."""

    key: str
    kind: str
    value: Any
    result: Any
    began: float
    ended: float = math.inf

    @property
    def is_open(self) -> bool:
        """Whether the client never heard what came of it."""
        return self.ended == math.inf


Model = Callable[[Any, Operation], tuple[Any, Any]]
"""State and operation in, new state and result out."""


def label_model(state: Any, operation: Operation) -> tuple[Any, Any]:
    """Return what the label of an instance is after an operation, and what its client hears."""
    if operation.kind == "read":
        return state, state
    if state not in (None, operation.value) and operation.kind == "tell":
        return state, "conflict"
    return operation.value, "recorded"


def is_linearizable(
    operations: Sequence[Operation], model: Model = label_model, start: Any = None
) -> bool:
    """Return whether some order explains the history of one key."""
    ordered = sorted(operations, key=lambda operation: operation.began)
    tried: set[tuple[frozenset[int], Any]] = set()
    stack: list[tuple[frozenset[int], Any]] = [(frozenset(range(len(ordered))), start)]
    while stack:
        left, state = stack.pop()
        if all(ordered[i].is_open for i in left):
            return True
        if (left, state) in tried:
            continue
        tried.add((left, state))
        deadline = min(ordered[i].ended for i in left)
        for i in left:
            operation = ordered[i]
            if operation.began > deadline:  # another one ended before this one began
                continue
            new, result = model(state, operation)
            if operation.is_open or result == operation.result:
                stack.append((left - {i}, new))
    return False


def first_wrong_key(operations: Iterable[Operation]) -> str | None:
    """Return a key whose history no order explains; None if there is none."""
    by_key: dict[str, list[Operation]] = {}
    for operation in operations:
        by_key.setdefault(operation.key, []).append(operation)
    return next((key for key, some in by_key.items() if not is_linearizable(some)), None)
