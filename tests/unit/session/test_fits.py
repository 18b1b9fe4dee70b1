"""Surfaces of a session: when they are fitted, from what they start, and who waits for them."""

import logging
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.domain.events import Fitted
from accuracy_assay.errors import ConvergenceError
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.protocols import EmbeddingEstimator, Estimator, Layers

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
        assert self.go_on.wait(30)
        return self.inner.fit(*arguments)


def test_with_fits_in_the_background_nobody_waits(bench) -> None:
    bench.create(service=ONE_SERVICE)
    with bench.open(use_background_fits=True) as assay:
        first = assay.ask(5)["id"]
        assay.session.parts().fits.estimator = slow = Slow(assay.session.parts().fits.estimator)
        assay.tell(first, bench.truth(first))
        assert slow.begun.wait(30)
        assert assay.ask(5).height == 5  # would hang if it waited for the fit
        assert assay.status().services[0].fitted_labels is None
        slow.go_on.set()
        assay.session._worker.submit(lambda: None).result(30)
        assert assay.status().services[0].fitted_labels == 5


def test_background_fits_follow_the_tells(bench) -> None:
    bench.create()
    with aa.Assay.open(
        bench.open_store(), pool=bench.pool, clock=bench.clock, use_background_fits=True
    ) as assay:
        first = assay.ask(5)["id"]
        assay.tell(first, bench.truth(first))
        assay.session._worker.submit(lambda: None).result(10)
        assert assay.status().services[0].fitted_labels == 5


def test_tells_that_come_during_a_fit_share_the_next_one(bench) -> None:
    bench.create(service=ONE_SERVICE, assay={"refit_every": 1})
    with bench.open(use_background_fits=True) as assay:
        assay.ask(1)
        watched = watch(assay)
        assay.session.parts().fits.estimator = slow = Slow(watched)
        assay.tell("x0", "cat")
        assert slow.begun.wait(30)
        for i in range(1, 6):
            assay.tell(f"x{i}", "cat")
        slow.go_on.set()
        assay.session._worker.submit(lambda: None).result(30)
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
            assay.session._worker.submit(lambda: None).result(30)
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


def test_the_embedding_starts_from_the_network_of_the_calibration(guessed) -> None:
    with_network = guessed.create()
    with_network.session.parts().fits.estimator = BernGP(
        first_steps=1, learning_rate=1e-12, n_inducing=4, n_draws=0
    )
    rng = np.random.default_rng(2)
    network = tuple(rng.normal(size=size) for size in ((4, 6), 6, (6, 6), 6, 6))
    potential = Potential((Block((0, 1), np.zeros((2, 2))),), folded=network)
    before = with_network.session.parts().snapshots.arms
    with_network.session.parts().snapshots.arms = replace(
        before,
        calibration=replace(before.calibration, potential=potential),  # type: ignore[type-var]
    )
    for ours, theirs in zip(
        with_network.surface().memory.params.network, (network[:2], network[2:4]), strict=True
    ):
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-9)
