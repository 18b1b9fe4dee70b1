"""Nobody waits for a fit, nothing is given twice, and every request gets its outcome."""

import threading

import pytest
from patience import PATIENCE_S

from accuracy_assay.errors import ConflictError, InputError, StoreError
from accuracy_assay.session.requests import GiveBack, Skip, Tell, Undo


def test_those_who_ask_at_once_get_different_instances(served) -> None:
    asked = [served.queue.ask(3, f"p{k}") for k in range(8)]
    given = [asking.result(PATIENCE_S) for asking in asked]
    assert all(1 <= len(ids) <= 3 for ids in given)
    assert len({i for ids in given for i in ids}) == sum(map(len, given))


def test_asking_ends_with_the_budget(make_served) -> None:
    queue = make_served(assay={"budget": 7}).queue
    given = [queue.ask(3, "ann").result(PATIENCE_S) for _ in range(4)]
    assert [len(ids) for ids in given] == [3, 3, 1, 0]


def test_a_whole_pool_is_given_out_and_then_nothing(make_served) -> None:
    served = make_served(assay={"budget": 100})
    given: list[str] = []
    while ids := served.queue.ask(7, "ann").result(PATIENCE_S):
        given += ids
    assert sorted(given) == sorted(served.assay.pool["id"])


def test_who_skipped_all_that_is_ready_gets_others(make_served) -> None:
    served = make_served(assay={"budget": 100})
    seen: set[str] = set()
    while ids := served.queue.ask(5, "ann").result(PATIENCE_S):
        assert not seen & set(ids)
        seen |= set(ids)
        served.queue.send(Skip("ann", ids)).result(PATIENCE_S)
    assert len(seen) == 60
    assert len(served.queue.ask(5, "bob").result(PATIENCE_S)) == 5


def test_each_request_hears_what_came_of_it(served) -> None:
    told = served.queue.send(Tell("ann", ("x1",), ("cat",)))
    other = served.queue.send(Tell("ann", ("x1",), ("dog",)))
    unknown = served.queue.send(Tell("ann", ("nowhere",), ("dog",)))
    undone = served.queue.send(Undo("ann"))
    back = served.queue.send(GiveBack("ann", ("x1",)))
    assert told.result(PATIENCE_S) == ("x1",)
    with pytest.raises(ConflictError, match="must stay 'cat'"):
        other.result(PATIENCE_S)
    with pytest.raises(InputError, match="got 'nowhere'"):
        unknown.result(PATIENCE_S)
    assert undone.result(PATIENCE_S) == ("x1",)
    assert back.result(PATIENCE_S) == ("x1",)


def test_many_threads_lose_and_double_nothing(make_served) -> None:
    served = make_served(assay={"budget": 60, "batch": 4})
    answered: list[str] = []

    def work(who: str) -> None:
        while ids := served.queue.ask(2, who).result(PATIENCE_S):
            for instance in ids:
                served.queue.send(Tell(who, (instance,), ("cat",))).result(PATIENCE_S)
                answered.append(instance)

    threads = [threading.Thread(target=work, args=(f"p{k}",)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(answered) == len(set(answered)) == 60
    assert served.assay.status().labels == 60


def test_a_store_that_fails_is_heard_of_and_the_queue_goes_on(served, monkeypatch) -> None:
    carry_out = served.assay.session.carry_out

    def fail(requests: object) -> None:
        raise StoreError("the disk is full.")

    monkeypatch.setattr(served.assay.session, "carry_out", fail)
    with pytest.raises(StoreError, match="full"):
        served.queue.send(Tell("ann", ("x1",), ("cat",))).result(PATIENCE_S)
    monkeypatch.setattr(served.assay.session, "carry_out", carry_out)
    assert served.queue.send(Tell("ann", ("x1",), ("cat",))).result(PATIENCE_S) == ("x1",)


def test_a_queue_that_closes_finishes_what_was_sent(make_served) -> None:
    served = make_served()
    sent = [served.queue.send(Tell("ann", (f"x{k}",), ("cat",))) for k in range(20)]
    served.queue.close()
    assert all(done.result(PATIENCE_S) for done in sent)
    with pytest.raises(StoreError, match="closing"):
        served.queue.ask(1, "ann").result(PATIENCE_S)
