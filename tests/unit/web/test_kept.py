"""An answer is made once for a version, and a newer one while the last is shown."""

import threading
from collections.abc import Callable

import pytest

from accuracy_assay.web.kept import Kept


def counting() -> tuple[Callable[[], int], list[int]]:
    made: list[int] = []

    def make() -> int:
        made.append(len(made) + 1)
        return made[-1]

    return make, made


def test_an_answer_is_made_once_for_a_version() -> None:
    make, made = counting()
    kept: Kept[int] = Kept()
    assert [kept.get("a", 1, make) for _ in range(3)] == [1, 1, 1]
    assert kept.get("a", 2, make) == 2
    assert kept.get("b", 2, make) == 3
    assert kept.get("a", 2, make) == 2
    assert made == [1, 2, 3]


def test_many_who_ask_at_once_wait_for_one_answer() -> None:
    kept: Kept[int] = Kept()
    made, go = [], threading.Event()

    def make() -> int:
        go.wait(5)
        made.append(1)
        return 7

    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(kept.get("a", 1, make))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(5)
    assert found == [7] * 5
    assert made == [1]


def test_the_last_answer_is_given_while_a_newer_one_is_made() -> None:
    kept: Kept[str] = Kept()
    go, done = threading.Event(), threading.Event()
    assert kept.latest("a", 1, lambda: "old") == ("old", True)

    def make() -> str:
        go.wait(5)
        done.set()
        return "new"

    assert kept.latest("a", 2, make) == ("old", False)
    assert kept.latest("a", 2, make) == ("old", False)
    go.set()
    assert done.wait(5)
    assert kept.get("a", 2, lambda: "never") == "new"
    assert kept.latest("a", 2, lambda: "never") == ("new", True)


def test_who_asks_after_an_answer_that_failed_hears_what_is_wrong() -> None:
    kept: Kept[str] = Kept()
    failed = threading.Event()

    def fail() -> str:
        failed.set()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.get("a", 1, fail)
    assert kept.latest("a", 1, lambda: "old") == ("old", True)
    failed.clear()
    assert kept.latest("a", 2, fail) == ("old", False)
    assert failed.wait(5)
    for thread in threading.enumerate():
        if thread.name == "assay-renew":
            thread.join(5)
    with pytest.raises(ValueError, match="no"):
        kept.latest("a", 2, fail)
    assert kept.latest("a", 2, lambda: "new") == ("new", True)


def test_what_was_asked_longest_ago_is_forgotten() -> None:
    make, made = counting()
    kept: Kept[int] = Kept(most=2)
    for question in ("a", "b", "a", "c", "a"):
        kept.get(question, 1, make)
    assert made == [1, 2, 3]
    kept.get("b", 1, make)
    assert made == [1, 2, 3, 4]
