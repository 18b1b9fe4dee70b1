"""An answer is made once for a version, and a newer one while the last is shown."""

import threading
from collections.abc import Callable

import pytest
from patience import PATIENCE_S

from accuracy_assay.web.surface.answer_cache import AnswerCache


def counting() -> tuple[Callable[[], int], list[int]]:
    made: list[int] = []

    def make() -> int:
        made.append(len(made) + 1)
        return made[-1]

    return make, made


def test_an_answer_is_made_once_for_a_version() -> None:
    make, made = counting()
    cache: AnswerCache[int] = AnswerCache()
    assert [cache.get("a", 1, make) for _ in range(3)] == [1, 1, 1]
    assert cache.get("a", 2, make) == 2
    assert cache.get("b", 2, make) == 3
    assert cache.get("a", 2, make) == 2
    assert made == [1, 2, 3]


def test_many_who_ask_at_once_wait_for_one_answer() -> None:
    cache: AnswerCache[int] = AnswerCache()
    made, go = [], threading.Event()

    def make() -> int:
        go.wait(PATIENCE_S)
        made.append(1)
        return 7

    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(cache.get("a", 1, make))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert found == [7] * 5
    assert made == [1]


def test_the_last_answer_is_given_while_a_newer_one_is_made() -> None:
    cache: AnswerCache[str] = AnswerCache()
    go, done = threading.Event(), threading.Event()
    assert cache.latest("a", 1, lambda: "old") == ("old", True)

    def make() -> str:
        go.wait(PATIENCE_S)
        done.set()
        return "new"

    assert cache.latest("a", 2, make) == ("old", False)
    assert cache.latest("a", 2, make) == ("old", False)
    go.set()
    assert done.wait(PATIENCE_S)
    assert cache.get("a", 2, lambda: "never") == "new"
    assert cache.latest("a", 2, lambda: "never") == ("new", True)


def test_who_asks_after_an_answer_that_failed_hears_what_is_wrong() -> None:
    cache: AnswerCache[str] = AnswerCache()
    failed = threading.Event()

    def fail() -> str:
        failed.set()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.get("a", 1, fail)
    assert cache.latest("a", 1, lambda: "old") == ("old", True)
    failed.clear()
    assert cache.latest("a", 2, fail) == ("old", False)
    assert failed.wait(PATIENCE_S)
    for thread in threading.enumerate():
        if thread.name == "assay-renew":
            thread.join(PATIENCE_S)
    with pytest.raises(ValueError, match="no"):
        cache.latest("a", 2, fail)
    assert cache.latest("a", 2, lambda: "new") == ("new", True)


def test_what_was_asked_longest_ago_is_forgotten() -> None:
    make, made = counting()
    cache: AnswerCache[int] = AnswerCache(most=2)
    for selection in ("a", "b", "a", "c", "a"):
        cache.get(selection, 1, make)
    assert made == [1, 2, 3]
    cache.get("b", 1, make)
    assert made == [1, 2, 3, 4]


def test_a_first_answer_is_begun_and_not_waited_for_longer_than_is_wanted() -> None:
    cache: AnswerCache[int] = AnswerCache()
    made, go = [], threading.Event()

    def make() -> int:
        go.wait(PATIENCE_S)
        made.append(1)
        return 7

    assert not cache.begin("a", 1, make, 0.0)
    assert not cache.begin("a", 1, make, 0.0)
    go.set()
    assert cache.begin("a", 1, make, PATIENCE_S)
    assert cache.latest("a", 1, make) == (7, True)
    assert made == [1]


def test_a_first_answer_that_fails_is_over_and_its_error_is_told() -> None:
    cache: AnswerCache[int] = AnswerCache()

    def make() -> int:
        raise ValueError("nothing")

    assert cache.begin("a", 1, make, PATIENCE_S)
    with pytest.raises(ValueError, match="nothing"):
        cache.latest("a", 1, make)


def test_it_says_for_how_long_an_answer_has_been_in_the_making() -> None:
    cache: AnswerCache[int] = AnswerCache()
    go = threading.Event()

    def make() -> int:
        assert go.wait(PATIENCE_S)
        return 7

    assert cache.seconds("a") == 0.0
    assert not cache.begin("a", 1, make, 0.0)
    before = cache.seconds("a")
    assert 0.0 < before < cache.seconds("a")
    go.set()
    assert cache.begin("a", 1, make, PATIENCE_S)
    assert cache.get("a", 1, make) == 7
    for thread in threading.enumerate():
        if thread.name == "assay-renew":
            thread.join(PATIENCE_S)
    assert cache.seconds("a") == 0.0
