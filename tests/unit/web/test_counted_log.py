"""A log that counts: a message that comes again and again is written once, with its number."""

import logging

import pytest

from accuracy_assay.web import counted_log
from accuracy_assay.web.counted_log import CountRepeats, counting_logs


class Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def log(heard: Heard) -> logging.Logger:
    found = logging.getLogger("accuracy_assay.web.made_for_a_test")
    found.addHandler(heard)
    yield found
    found.removeHandler(heard)


def test_a_repeated_message_is_written_once_a_period_with_its_number(log, heard) -> None:
    now = [0.0]
    counting = CountRepeats(clock=lambda: now[0])
    log.addFilter(counting)
    for k in range(1_000):
        log.warning("closed %s", k)
    log.warning("another")
    now[0] = counted_log.PERIOD_S
    log.warning("closed %s", "x")
    log.removeFilter(counting)
    assert heard.texts == ["closed 0", "another", "closed x (and 999 more like it before)"]


def test_what_was_left_out_is_told(log, heard) -> None:
    counting = CountRepeats(clock=lambda: 0.0)
    log.addFilter(counting)
    for _ in range(3):
        log.error("no room\nfor a long explanation")
    counting.tell()
    counting.tell()
    log.removeFilter(counting)
    assert heard.texts == ["no room\nfor a long explanation", "no room (and 2 more like it)"]


def test_messages_are_counted_only_while_the_page_is_served(log, heard) -> None:
    with counting_logs():
        for _ in range(5):
            log.warning("again")
    assert heard.texts == ["again", "again (and 4 more like it)"]
    log.warning("again")
    log.warning("again")
    assert len(heard.texts) == 4
    assert log.filters == []


def test_it_remembers_no_more_than_it_must() -> None:
    counting = CountRepeats(clock=lambda: 0.0)
    for k in range(3_000):
        record = logging.LogRecord("x", 30, "", 0, f"message {k}", (), None)
        assert counting.filter(record)
    assert len(counting._said) == 1_000
