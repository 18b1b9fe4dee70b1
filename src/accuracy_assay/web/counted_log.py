"""A log that counts instead of repeating: the same message once a minute, with its number."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["PERIOD_S", "CountRepeats", "counting_logs"]

PERIOD_S = 60.0
_MOST_KNOWN = 1_000
"""Messages remembered; after that the oldest are forgotten."""
_OURS = "accuracy_assay."
_OTHERS = ("asyncio", "uvicorn.error")


@dataclass
class _Said:
    """A message, when it was last written, and how often it came since."""

    record: logging.LogRecord
    at: float
    count: int = 0


@dataclass(eq=False)
class CountRepeats(logging.Filter):
    """Lets a message through at most once per period, and then says how often it came.

    Two messages are the same if their logger, level and first line are, before values are put in.
    """

    clock: Callable[[], float] = time.monotonic
    _said: dict[tuple[str, int, str], _Said] = field(default_factory=dict)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a message is written; a later one gets the count of those before it."""
        key = (record.name, record.levelno, str(record.msg).partition("\n")[0])
        said, now = self._said.get(key), self.clock()
        if said is not None and now - said.at < PERIOD_S:
            said.count += 1
            return False
        if said is not None and said.count:
            record.msg, record.args = f"{record.getMessage()} ({_times(said.count)} before)", ()
        self._said.pop(key, None)
        self._said[key] = _Said(record, now)
        if len(self._said) > _MOST_KNOWN:
            del self._said[next(iter(self._said))]
        return True

    def tell(self) -> None:
        """Write how often messages came that were not written."""
        for said in list(self._said.values()):
            if said.count:
                first = said.record.getMessage().partition("\n")[0]
                again = logging.LogRecord(
                    said.record.name,
                    said.record.levelno,
                    said.record.pathname,
                    said.record.lineno,
                    f"{first} ({_times(said.count)})",
                    (),
                    None,
                )
                said.at, said.count = self.clock(), 0
                logging.getLogger(said.record.name).callHandlers(again)


@contextmanager
def counting_logs() -> Iterator[CountRepeats]:
    """Count repeated messages of this package and of the server while the block runs."""
    counting = CountRepeats()
    ours = [name for name in logging.root.manager.loggerDict if name.startswith(_OURS)]
    loggers = [logging.getLogger(name) for name in (*_OTHERS, *ours)]
    for logger in loggers:
        logger.addFilter(counting)
    try:
        yield counting
    finally:
        for logger in loggers:
            logger.removeFilter(counting)
        counting.tell()


def _times(count: int) -> str:
    return f"and {count:,} more like it"
