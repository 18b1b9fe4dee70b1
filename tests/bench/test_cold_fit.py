from dataclasses import dataclass, field, replace

import numpy as np

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.first_labels import FirstLabels
from accuracy_assay.protocols import Layers
from assay_bench.cold_fit import ColdFit


@dataclass(frozen=True)
class Recorder:
    """An estimator that notes what it was given to start from."""

    seen: list[AccuracySurface | None] = field(default_factory=list)

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        self.seen.append(previous)
        return BetaIndependent().fit(observations, rng)


def observe(n: int) -> Observations:
    space = AttributeSpace((Attribute("sex", ("F", "M")),))
    support = Support.count(space, None, [0, 1], [100, 100])
    return Observations.exact(support, [0, 1], [n / 2, n / 2], [n / 2, 0.0], [n / 2, 0.0])


def test_wanted_sizes_start_from_nothing_and_others_are_passed_over(
    rng: np.random.Generator,
) -> None:
    recorder = Recorder()
    cold = ColdFit(recorder, (20,))
    first = cold.fit(observe(10), rng)
    assert recorder.seen == []
    assert first.mean[0] == first.mean[1]
    second = cold.fit(observe(20), rng, first)
    assert recorder.seen == [None]
    assert second.mean[0] > second.mean[1]


@dataclass(frozen=True)
class FromFirst(Recorder):
    """An estimator whose kappa is that of the first labels."""

    kappa_from: str = "first"


def test_first_labels_are_handed_on_to_an_estimator_that_asks_for_them(
    rng: np.random.Generator,
) -> None:
    recorder = FromFirst()
    cold = ColdFit(recorder, (20, 40))
    surface = cold.fit(Observations.exact(observe(10).support, [0], [10], [9.0], [9.0]), rng)
    surface = cold.fit(observe(12), rng, surface)
    cold.fit(observe(20), rng, surface)
    (previous,) = recorder.seen
    assert previous is not None
    assert type(previous.memory) is FirstLabels
    assert (previous.memory.kappa, previous.memory.n_first) == (0.9, 10.0)


@dataclass(frozen=True)
class Embedding(Recorder):
    """An estimator whose embedding may start from a network's layers."""

    layers: Layers | None = None

    def starting_from(self, layers: Layers) -> "Embedding":
        return replace(self, layers=layers)


def test_layers_reach_the_estimator_that_takes_them_and_no_other() -> None:
    layers: Layers = ((np.ones((2, 3)), np.zeros(3)),)
    cold = ColdFit(Embedding(), (20,)).starting_from(layers)
    assert isinstance(cold.estimator, Embedding)
    assert cold.estimator.layers is layers
    plain = ColdFit(Recorder(), (20,))
    assert plain.starting_from(layers) is plain
