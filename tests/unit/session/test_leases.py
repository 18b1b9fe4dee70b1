"""Leases are counted as they come and go; looking through all of them says the same."""

import numpy as np

from accuracy_assay.session.leases import Leases

MINUTE = 60.0


def test_a_lease_is_held_until_its_end() -> None:
    leases = Leases()
    leases.give("a", "ann", MINUTE)
    assert leases.is_held("a", "ann", MINUTE - 1.0)
    assert not leases.is_held("a", "ann", MINUTE)
    assert not leases.is_held("a", "bob", 0.0)
    assert (leases.n_held(0.0), leases.n_held(MINUTE)) == (1, 0)


def test_what_runs_out_stays_until_it_is_expired() -> None:
    leases = Leases()
    leases.give("a", "ann", MINUTE)
    leases.give("b", "ann", 2 * MINUTE)
    assert list(leases) == ["a", "b"]
    assert leases.annotators() == {"ann"}
    leases.expire(MINUTE)
    assert list(leases) == ["b"]
    assert leases.until("a", "ann") is None
    assert leases.until("b", "ann") == 2 * MINUTE


def test_a_lease_that_ends_absurdly_late_counts_as_over() -> None:
    leases = Leases(longest_s=MINUTE)
    leases.give("a", "ann", 10 * MINUTE)
    assert leases.n_held(0.0) == 0
    assert leases.n_held(8 * MINUTE) == 1  # within twice the longest lease
    leases.expire(0.0)
    assert "a" not in leases


def test_ending_what_is_not_there_changes_nothing() -> None:
    leases = Leases()
    leases.give("a", "ann", MINUTE)
    leases.end("a", "bob")
    leases.end("b", "ann")
    leases.end_all("b")
    assert leases.n_held(0.0) == 1
    leases.end_all("a")
    assert leases.n_held(0.0) == 0


def test_counts_are_those_of_a_plain_table_whatever_happens() -> None:
    rng = np.random.default_rng(0)
    leases, plain, now = Leases(longest_s=20.0), {}, 0.0
    for _ in range(3_000):
        now += float(rng.exponential(1.0)) if rng.random() < 0.95 else -15.0  # clocks jump
        instance, annotator = f"x{rng.integers(12)}", f"p{rng.integers(3)}"
        match rng.integers(5):
            case 0 | 1:
                until = now + float(rng.uniform(-5.0, 60.0))
                leases.give(instance, annotator, until)
                plain[instance, annotator] = until
            case 2:
                leases.end(instance, annotator)
                plain.pop((instance, annotator), None)
            case 3:
                leases.end_all(instance)
                plain = {key: until for key, until in plain.items() if key[0] != instance}
            case _:
                leases.expire(now)
                plain = {key: until for key, until in plain.items() if now < until <= now + 40.0}
        held = {key for key, until in plain.items() if now < until <= now + 40.0}
        assert leases.n_held(now) == len(held)
        assert set(leases.held(now)) == {i for i, _ in held}
        assert set(leases.held_by("p1", now)) == {i for i, who in held if who == "p1"}
        assert set(leases) == {i for i, _ in plain}
