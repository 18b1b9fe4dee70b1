"""A cache of slow answers, each valid for one version of what it was made from.

When two callers ask the same question at once, the answer is made once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["AnswerCache"]

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass
class _Slot(Generic[T]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    version: Hashable = None
    answer: T | None = None
    is_making: bool = False
    since: float = 0.0
    is_done: threading.Event = field(default_factory=threading.Event)


class AnswerCache(Generic[T]):
    """The last answer to each of the latest questions.

    Parameters
    ----------
    most
        Questions to keep; the one asked longest ago is dropped first.

    Examples
    --------
    >>> cache: AnswerCache[int] = AnswerCache()
    >>> cache.get("size", 1, lambda: 3), cache.get("size", 1, lambda: 4)
    (3, 3)
    >>> cache.get("size", 2, lambda: 4)
    4
    """

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._slots: OrderedDict[Hashable, _Slot[T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, question: Hashable, version: Hashable, make: Callable[[], T]) -> T:
        """Return the answer for a version; ``make`` it if it is not cached."""
        slot = self._slot(question)
        with slot.lock:
            if slot.answer is None or slot.version != version:
                slot.answer, slot.version = make(), version
            return slot.answer

    def latest(
        self, question: Hashable, version: Hashable, make: Callable[[], T]
    ) -> tuple[T, bool]:
        """Return the last answer at once, and whether it is for this version.

        If it is not, a new one is made in the background. Only the first answer is waited for.
        """
        slot = self._slot(question)
        with self._lock:
            answer, is_current = slot.answer, slot.version == version
            is_first_to_ask = not (is_current or slot.is_making)
            if answer is not None and is_first_to_ask:
                slot.is_making = True
        if answer is None:
            return self.get(question, version, make), True
        if is_first_to_ask:
            self._start(question, version, make, slot)
        return answer, is_current

    def begin(
        self, question: Hashable, version: Hashable, make: Callable[[], T], patience_s: float
    ) -> bool:
        """Have the first answer made in the background; return whether that is over.

        It is waited for ``patience_s`` at most. Making it may have failed.
        """
        slot = self._slot(question)
        with self._lock:
            is_first_to_ask = slot.answer is None and not slot.is_making
            if is_first_to_ask:
                slot.is_making = True
                slot.is_done.clear()
        if is_first_to_ask:
            self._start(question, version, make, slot)
        return slot.answer is not None or slot.is_done.wait(patience_s)

    def seconds(self, question: Hashable) -> float:
        """Return for how long a newer answer has been in the making; 0 where none is."""
        slot = self._slot(question)
        return time.monotonic() - slot.since if slot.is_making else 0.0

    def _start(
        self, question: Hashable, version: Hashable, make: Callable[[], T], slot: _Slot[T]
    ) -> None:
        slot.since = time.monotonic()
        # Not a daemon: a fit that is cut off at exit may crash the process.
        work = (question, version, make, slot)
        threading.Thread(target=self._renew, args=work, name="assay-renew").start()

    def _renew(
        self, question: Hashable, version: Hashable, make: Callable[[], T], slot: _Slot[T]
    ) -> None:
        try:
            self.get(question, version, make)
        except Exception:  # the next caller makes it again and gets the error
            _log.info("could not renew an answer", exc_info=True)
            with slot.lock:
                slot.answer = None
        finally:
            slot.is_making = False
            slot.is_done.set()

    def _slot(self, question: Hashable) -> _Slot[T]:
        with self._lock:
            slot = self._slots.setdefault(question, _Slot())
            self._slots.move_to_end(question)
            while len(self._slots) > self._most:
                self._slots.popitem(last=False)
            return slot
