"""Surfaces of a session: when they are fitted, from what they start, and who waits for them."""

import logging
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from patience import PATIENCE_S
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.domain.events import Fitted
from accuracy_assay.errors import ConvergenceError
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.metrics.design_check import design_check
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.protocols import EmbeddingEstimator, Estimator, Layers
from accuracy_assay.session.calibrations import read_arms
from accuracy_assay.session.fits import check_by_design
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.study.read.arms import Arms

ONE_SERVICE = [{"name": "good", "column": "good"}]


@dataclass
class Watched:
    """An estimator that keeps the number of labels and the start of each of its fits."""

    inner: Estimator = field(default_factory=BetaIndependent)
    labels: list[float] = field(default_factory=list)
    starts: list[aa.AccuracySurface | None] = field(default_factory=list)
    made: list[aa.AccuracySurface] = field(default_factory=list)

    def fit(self, observations: Any, rng: Any, previous: Any = None) -> aa.AccuracySurface:
        self.labels.append(observations.n_labels)
        self.starts.append(previous)
        self.made.append(self.inner.fit(observations, rng, previous))
        return self.made[-1]


def watch(assay: aa.Assay) -> Watched:
    assay.session.parts().fits.estimator = watched = Watched(assay.session.parts().fits.estimator)
    return watched


def answer_round(assay: aa.Assay, bench: Any, count: int) -> None:
    ids = assay.ask(count)["id"]
    assay.tell(ids, bench.truth(ids))


def test_a_fit_comes_once_a_round(bench) -> None:
    assay = bench.create(service=[{"name": "good", "column": "good"}])
    seen = []
    for _ in range(6):
        ids = assay.ask(2)["id"]
        assay.tell(ids, bench.truth(ids))
        seen.append(assay.status().services[0].fitted_labels)
    assert seen == [None, None, None, 6, 6, 6]


def test_the_spec_may_say_how_many_labels_a_fit_waits_for(bench) -> None:
    assay = bench.create(service=ONE_SERVICE, assay={"refit_every": 3})
    watched = watch(assay)
    for _ in range(7):
        answer_round(assay, bench, 1)
    assert watched.labels == [0.0, 3.0, 6.0]


def test_a_tell_fits_nothing(bench) -> None:
    assay = bench.create()
    watched = watch(assay)
    assay.tell(bench.pool["id"], bench.pool["truth"])
    assay.status()
    assert watched.labels == []


def test_the_fit_to_choose_by_goes_on_from_the_one_before(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    watched = watch(assay)
    for _ in range(3):
        answer_round(assay, bench, 5)
    assert watched.labels == [0.0, 5.0, 10.0]
    assert watched.starts[0] is None
    assert watched.starts[1] is watched.made[0]
    assert watched.starts[2] is watched.made[1]


def test_a_surface_starts_from_nothing_and_is_fitted_once_for_the_same_labels(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    watched = watch(assay)
    for _ in range(2):
        answer_round(assay, bench, 5)
    assert watched.starts[-1] is not None
    first = assay.surface()
    assert watched.starts[-1] is None
    assert assay.surface() is first
    assert len(watched.made) == 3
    answer_round(assay, bench, 5)
    assert assay.surface() is not first
    assert (watched.starts[-1], watched.labels[-1]) == (None, 15.0)


def recorded(assay: aa.Assay) -> list[int]:
    return [r.event.n_labels for r in assay.session.events() if isinstance(r.event, Fitted)]


def test_a_refreshed_fit_sees_every_label_and_goes_on_from_the_one_before(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    watched, fits = watch(assay), assay.session.parts().fits
    answer_round(assay, bench, 5)
    first = fits.refresh(assay.spec.service[0])
    assay.tell("x0" if "x0" not in set(assay.labels()["id"]) else "x1", "cat")
    second = fits.refresh(assay.spec.service[0])
    assert (first.made.n_labels, second.made.n_labels) == (5, 6)
    assert watched.starts[-1] is first.surface
    assert fits.latest("good") is second
    assert fits.refresh(assay.spec.service[0]) is second  # nothing is fitted twice


def test_a_refreshed_fit_is_recorded_once_a_round(bench) -> None:
    assay = bench.create(service=ONE_SERVICE, assay={"refit_every": 4})
    service, fits = assay.spec.service[0], assay.session.parts().fits
    for instance in bench.pool["id"][:9]:
        assay.tell(instance, "cat")
        fits.refresh(service)
    assert recorded(assay) == [4, 8]


def test_a_service_without_predictions_is_refreshed_without_labels(bench) -> None:
    called = {"name": "called", "callable": "mod:predict"}
    assay = bench.create(service=[called])
    assay.tell(["x1", "x2"], ["cat", "dog"])
    fit = assay.session.parts().fits.refresh(assay.spec.service[0])
    assert (fit.made.n_labels, fit.labelled) == (0, frozenset())
    assert recorded(assay) == []


def test_a_first_fit_is_a_surface_too(bench) -> None:
    assay = bench.create(service=ONE_SERVICE)
    watched = watch(assay)
    assay.ask(1)
    assay.surface()
    assert len(watched.made) == 1


def test_a_surface_of_the_default_method_equals_that_of_a_replay_and_of_estimate(bench) -> None:
    service = [{"name": "good", "column": "good", "signals": []}]
    methods = {"estimator": "anova-gp", "strategy": "variance-reduction"}
    assay = bench.create(service=service, assay=methods)
    for _ in range(3):
        answer_round(assay, bench, 5)
    surface = assay.surface().to_frame()
    assert_frame_equal(bench.open().surface().to_frame(), surface, check_exact=True)
    alone = aa.estimate(
        bench.pool.filter(pl.col("id").is_in(assay.labels()["id"].implode())),
        ["sex", aa.Attribute("age", kind="continuous", edges=(40,))],
        y_true="truth",
        y_pred="good",
        pool=bench.pool,
    )
    assert_frame_equal(alone.to_frame(), surface, abs_tol=1e-9)


def test_a_fit_over_other_cells_starts_from_nothing(guessed) -> None:
    truth = pl.Series("digit", np.random.default_rng(0).choice(["0", "1"], guessed.pool.height))
    guessed.pool, guessed.seed = guessed.pool.with_columns(truth), None
    assay = guessed.create(attribute=[{"name": "digit"}])
    watched = watch(assay)
    assay.ask(1)
    assert assay.session.parts().fits.latest("ear").solved.problem.strata is not None
    assay.tell(guessed.pool["id"][:30], truth[:30])  # shows that the prediction gives it away
    assay.ask(1)
    assert assay.session.parts().fits.latest("ear").solved.problem.strata is None
    assert watched.starts == [None, None]


def test_a_fit_is_told_to_every_process(bench) -> None:
    assay, other = bench.create(service=ONE_SERVICE), bench.open()
    answer_round(assay, bench, 5)
    seen_seq = assay.status().events
    assay.ask(1)
    made = [r.event for r in other.session.events() if isinstance(r.event, Fitted)]
    assert [(m.service, m.seen_seq, m.n_labels) for m in made] == [("good", seen_seq, 5)]
    assert other.status().services[0].fitted_labels == 5


@dataclass
class Slow:
    """An estimator that waits until it is let go."""

    inner: Estimator
    begun: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def fit(self, *arguments: Any) -> aa.AccuracySurface:
        self.begun.set()
        assert self.go_on.wait(PATIENCE_S)
        return self.inner.fit(*arguments)


def test_with_fits_in_the_background_nobody_waits(bench) -> None:
    bench.create(service=ONE_SERVICE)
    with bench.open(use_background_fits=True) as assay:
        first = assay.ask(5)["id"]
        assay.session.parts().fits.estimator = slow = Slow(assay.session.parts().fits.estimator)
        assay.tell(first, bench.truth(first))
        assert slow.begun.wait(PATIENCE_S)
        assert assay.ask(5).height == 5  # would hang if it waited for the fit
        assert assay.status().services[0].fitted_labels is None
        slow.go_on.set()
        assay.session._worker.submit(lambda: None).result(PATIENCE_S)
        assert assay.status().services[0].fitted_labels == 5


def test_background_fits_follow_the_tells(bench) -> None:
    bench.create()
    with aa.Assay.open(
        bench.open_store(), pool=bench.pool, clock=bench.clock, use_background_fits=True
    ) as assay:
        first = assay.ask(5)["id"]
        assay.tell(first, bench.truth(first))
        assay.session._worker.submit(lambda: None).result(PATIENCE_S)
        assert assay.status().services[0].fitted_labels == 5


def test_tells_that_come_during_a_fit_share_the_next_one(bench) -> None:
    bench.create(service=ONE_SERVICE, assay={"refit_every": 1})
    with bench.open(use_background_fits=True) as assay:
        assay.ask(1)
        watched = watch(assay)
        assay.session.parts().fits.estimator = slow = Slow(watched)
        assay.tell("x0", "cat")
        assert slow.begun.wait(PATIENCE_S)
        for i in range(1, 6):
            assay.tell(f"x{i}", "cat")
        slow.go_on.set()
        assay.session._worker.submit(lambda: None).result(PATIENCE_S)
    assert watched.labels == [1.0, 6.0]


class Failing:
    """An estimator that does not come to an end."""

    def fit(self, *arguments: Any) -> aa.AccuracySurface:
        raise ConvergenceError("steps must suffice; got no end.")


def test_a_fit_that_fails_in_the_background_is_logged_and_asking_goes_on(
    bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.create(service=ONE_SERVICE)
    with bench.open(use_background_fits=True) as assay:
        first = assay.ask(5)["id"]
        assay.session.parts().fits.estimator = Failing()
        with caplog.at_level(logging.WARNING):
            assay.tell(first, bench.truth(first))
            assay.session._worker.submit(lambda: None).result(PATIENCE_S)
        assert "a fit in the background failed: steps must suffice" in caplog.text
        assert assay.ask(5).height == 5
        with pytest.raises(ConvergenceError):
            assay.surface()


@dataclass(frozen=True)
class NeverStarted(BetaIndependent):
    """An estimator with an embedding that no calibration may set."""

    def starting_from(self, layers: Layers) -> "NeverStarted":
        raise AssertionError(f"the calibration has no network; got layers {layers}")


def test_a_calibration_without_a_network_leaves_the_embedding_alone(guessed) -> None:
    assay = guessed.create()
    assay.session.parts().fits.estimator = NeverStarted()
    assert isinstance(assay.session.parts().fits.estimator, EmbeddingEstimator)
    assert assay.surface().n_labels > 0.0


def test_the_embedding_starts_from_the_network_of_the_calibration(
    guessed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_network = guessed.create()
    with_network.session.parts().fits.estimator = BernGP(
        first_steps=1, learning_rate=1e-12, n_inducing=4, n_draws=0
    )
    network: list[Any] = []

    def read_with_network(*args: Any, **options: Any) -> Arms:
        before = read_arms(*args, **options)
        shape, rng = before.space.shape, np.random.default_rng(2)
        network[:] = [rng.normal(size=s) for s in ((sum(shape), 6), 6, (6, 6), 6, 6)]
        blocks = (Block(tuple(range(len(shape))), np.zeros(shape)),)
        potential = Potential(blocks, folded=tuple(network))
        calibration: Any = before.calibration
        return replace(before, calibration=replace(calibration, potential=potential))

    monkeypatch.setattr("accuracy_assay.session.snapshots.read_arms", read_with_network)
    for ours, theirs in zip(
        with_network.surface().memory.params.network, (network[:2], network[2:4]), strict=True
    ):
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-9)


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


PETS = {
    "assay": {"name": "pets", "estimator": "beta-independent", "strategy": "random", "seed": 4},
    "attribute": [{"name": "sex"}],
    "service": [{"name": "reader", "column": "guess"}],
    "label": {"choices": ["cat", "dog"]},
}
THREE = pl.DataFrame({"id": ["x1", "x2", "x3"], "sex": ["f", "m", "m"], "guess": ["cat"] * 3})
NOON = 1_790_000_000.0  # 2026-09-21


def told(pool: pl.DataFrame = THREE) -> tuple[aa.Assay, MemoryStore]:
    store = MemoryStore(clock=lambda: NOON)
    assay = aa.Assay.create(store, PETS, pool=pool)
    assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    assay.tell(["x2"], ["dog"], "bob")
    return assay, store


def test_a_surface_knows_service_labels_pool_and_the_day_of_the_last_label() -> None:
    known = told()[0].surface().details["provenance"]
    assert known["labelled_until"].startswith("2026-09-21")
    named = [known[k] for k in ("assay", "service", "labels", "annotators", "strategy", "seed")]
    assert named == ["pets", "reader", 2, 2, "random", 4]
    assert (known["pool_rows"], known["version"]) == (3, aa.__version__)
    assert "cost" not in known


def test_whoever_replays_the_events_finds_the_same() -> None:
    assay, store = told()
    again = aa.Assay.open(store, "pets", pool=THREE)
    assert again.surface().details == assay.surface().details


def test_another_pool_has_another_fingerprint() -> None:
    other = THREE.with_columns(id=pl.Series(["x1", "x2", "x9"]))
    digests = [
        told(pool)[0].surface().details["provenance"]["pool_digest"] for pool in (THREE, other)
    ]
    assert digests[0] != digests[1]


def test_without_labels_there_is_no_day() -> None:
    assay = aa.Assay.create(MemoryStore(), PETS, pool=THREE)
    assert "labelled_until" not in assay.surface().details["provenance"]
