"""The chain of checksums: every change of history breaks it, and what comes before is saved."""

from typing import Any

import pytest

from accuracy_assay.domain.events import Skipped, encode
from accuracy_assay.errors import DamageError, UnknownNameError
from accuracy_assay.storage.chain import Chain, checksum, good_events
from accuracy_assay.storage.memory import MemoryStore

Row = list[Any]


def rows(n: int, n_unchecked: int = 0) -> list[Row]:
    """What a store gives of an assay of ``n`` events, the first of them without a checksum."""
    made: list[Row] = []
    before = ""
    for seq in range(1, n + 1):
        kind, payload = encode(Skipped((f"x{seq}",), "ann"))
        own = checksum(before, "a", seq, 5.0, kind, payload) if seq > n_unchecked else None
        before = own or ""
        made.append([n, "", seq, 5.0, kind, payload, own])
    return [[n, before, *row[2:]] for row in made]


def read(found: list[Row], first: int = 1) -> list[int]:
    chain = Chain("a", first)
    for row in found:
        if row[2] is None or row[2] >= first - 1:
            chain.follow(*row)
    return [recorded.seq for recorded in chain.whole()]


@pytest.mark.parametrize("n_unchecked", [0, 2, 5])
def test_what_was_written_is_read_from_anywhere(n_unchecked: int) -> None:
    found = rows(5, n_unchecked)
    for first in range(1, 7):
        assert read(found, first) == list(range(first, 6))
    assert read([[5, found[-1][1], *[None] * 5]], 9) == []
    assert read([[0, "", *[None] * 5]]) == []


@pytest.mark.parametrize("column", [2, 3, 4, 5, 6])
def test_a_change_of_any_part_of_any_event_is_found(column: int) -> None:
    for place in range(5):
        found = rows(5)
        value = found[place][column]
        found[place][column] = value + 1 if column < 4 else f"{value} "
        with pytest.raises(DamageError, match=f"event {place + 1} of assay 'a'") as caught:
            read(found)
        assert len(caught.value.good) == place


def test_events_do_not_change_places_or_assays() -> None:
    found = rows(5)
    found[1][3:], found[2][3:] = found[2][3:], found[1][3:]
    with pytest.raises(DamageError, match="event 2"):
        read(found)
    chain = Chain("b", 1)
    with pytest.raises(DamageError, match="event 1 of assay 'b'"):
        chain.follow(*rows(1)[0])


def test_the_end_cannot_be_cut_off() -> None:
    for n in range(5):
        with pytest.raises(DamageError, match=f"event {n + 1} .*nothing in its place"):
            read(rows(5)[:n] or [[5, "x", *[None] * 5]])


def test_an_event_without_a_checksum_after_one_that_has_it_is_damage() -> None:
    found = rows(3)
    found[2][6] = None
    with pytest.raises(DamageError, match=r"event 3 .* without a checksum.* 2 events before"):
        read(found)


def test_events_of_old_stores_are_read_and_count_as_unchecked() -> None:
    chain = Chain("a", 1)
    for row in rows(4, n_unchecked=3):
        chain.follow(*row)
    assert [recorded.is_checked for recorded in chain.whole()] == [False, False, False, True]


def test_texts_are_kept_apart_by_their_lengths() -> None:
    assert checksum("", "a", 1, 5.0, "Told", "x") != checksum("", "a", 1, 5.0, "Tol", "dx")
    assert checksum("", "a", 11, 5.0, "T", "") != checksum("", "a1", 1, 5.0, "T", "")


def test_good_events_are_all_or_those_before_the_damage() -> None:
    store = MemoryStore()
    store.create("a", [Skipped(("x1",), "ann")])
    events, damage = good_events(store, "a")
    assert (len(events), damage) == (1, None)

    class Damaged(MemoryStore):
        def read(self, assay: str, from_seq: int = 1) -> list[Any]:
            raise DamageError("event 2 is damaged", events)

    assert good_events(Damaged(), "a")[0] == tuple(events)
    with pytest.raises(UnknownNameError):
        good_events(store, "b")
