"""The design-based check of a session: from the events alone."""

from typing import Any

import numpy as np
import pytest

from accuracy_assay.metrics.design_check import design_check
from accuracy_assay.session.design import check_by_design

ONE_SERVICE = [{"name": "good", "column": "good"}]


def check_of(assay: Any) -> Any:
    return check_by_design(assay.session.parts().snapshots.take(assay.spec.service[0]), 0.9)


def test_it_is_that_of_the_draws_in_their_order(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    ids = [i for _ in range(4) for i in _answer(assay, bench, 5)]
    good = dict(zip(bench.pool["id"], bench.pool["good"] == bench.pool["truth"], strict=True))
    chance = 1.0 / (60.0 - np.arange(20))
    scores = np.asarray([float(good[i]) for i in ids])
    assert check_of(assay) == design_check(scores, chance, chance, 60)
    assert check_of(bench.open()) == check_of(assay)


def test_the_surface_carries_it(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    for _ in range(3):
        _answer(assay, bench, 5)
    found = assay.surface().details["design_check"]
    assert found["lower"] <= found["mean"] <= found["upper"]
    assay.ask(1)
    service = assay.status().services[0]
    assert service.check == pytest.approx((found["mean"], found["lower"], found["upper"]))
    assert service.overall is not None


def test_there_is_none_where_some_had_no_chance(bench) -> None:
    assay = bench.create(service=ONE_SERVICE, assay={"strategy": "largest-variance"})
    for _ in range(3):
        _answer(assay, bench, 5)
    assert check_of(assay) is None
    assert "design_check" not in assay.surface().details


def test_labels_that_nobody_asked_for_are_known_rows_and_no_draws(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    assay.tell(bench.pool["id"][:20], bench.pool["truth"][:20])
    assert check_of(assay) is None
    _answer(assay, bench, 10)
    found = check_of(assay)
    assert found is not None
    assert found.worth > 10.0  # a draw from the 40 that are left says more of the whole


def test_a_lease_that_ran_out_is_no_draw(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    assay.ask(10, annotator="gone")
    bench.clock.now += 3600.0
    ids = _answer(assay, bench, 12)
    taken = assay.session.parts().snapshots.take(assay.spec.service[0]).chances
    assert list(taken)[-12:] == ids


def _answer(assay: Any, bench: Any, count: int) -> list[str]:
    ids: list[str] = assay.ask(count)["id"].to_list()
    assay.tell(ids, bench.truth(ids))
    return ids
