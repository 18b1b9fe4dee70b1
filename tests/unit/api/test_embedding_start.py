"""Appendix C: the embedding starts from the network that the calibration learned."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.api.embedding_start import start_embedding
from accuracy_assay.bench.cold import ColdFit
from accuracy_assay.bench.shared_calibration import share
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.estimators.bern_gp import BernGP
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.evidence import Evidence
from accuracy_assay.protocols import Calibration, Calibrator, Layers

FROZEN = BernGP(first_steps=1, learning_rate=1e-12, n_inducing=4, n_draws=0)
"""Its parameters after a fit are those that it started from."""
WITH_NETWORK = Full(start="zero", widths=(6,), learning_rate=1e-2)
LAYERS: Layers = ((np.ones((4, 3)), np.zeros(3)), (np.ones((3, 3)), np.zeros(3)))


@dataclass
class Watched:
    """A calibrator that shows what it handed out."""

    calibrator: Calibrator
    fitted: list[Calibration] = field(default_factory=list)

    def fit(
        self, seed: Evidence, gold: np.ndarray, pool: Evidence, rng: np.random.Generator
    ) -> Calibration:
        self.fitted.append(self.calibrator.fit(seed, gold, pool, rng))
        return self.fitted[0]


def rows(n: int = 1500) -> pl.DataFrame:
    """Two guessed attributes that go together, which predictors one by one do not say."""
    rng = np.random.default_rng(5)
    sex = rng.integers(0, 2, n)
    age = np.where(rng.random(n) < 0.95, sex, 1 - sex)
    columns: dict[str, object] = {"sex": sex, "age": age}
    for name, truth in (("sex", sex), ("age", age)):
        p = 1.0 / (1.0 + np.exp(-rng.normal(2.0 * truth - 1.0, 1.0)))
        columns |= {f"p_{name}__0": 1.0 - p, f"p_{name}__1": p}
    return pl.DataFrame(columns | {"right": (rng.random(n) < 0.8).astype(float)})


def simulate(calibration: Calibrator, estimator: object = FROZEN) -> aa.History:
    return aa.simulate(
        rows(),
        ["sex", "age"],
        "right",
        evidence={"sex": "p_sex__*", "age": "p_age__*"},
        estimator=estimator,  # type: ignore[arg-type]
        strategy="random",
        calibration=calibration,
        seed_size=800,
        budget=0,
    )


def test_after_full_the_first_layers_are_those_of_the_potential() -> None:
    watched = Watched(WITH_NETWORK)
    network = simulate(watched).surface.memory.params.network
    layers = watched.fitted[0].hidden_layers  # type: ignore[attr-defined]
    assert [W.shape for W, _ in layers] == [(4, 6), (6, 6)]
    for ours, theirs in zip(network, layers, strict=True):
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-9)


@pytest.mark.parametrize("calibrator", [Temperature(), Full(widths=())])
def test_a_calibration_without_a_network_leaves_the_embedding_alone(
    calibrator: Calibrator,
) -> None:
    assert simulate(calibrator).surface.memory.params.network == ()


def test_the_folded_network_is_what_the_table_holds() -> None:
    watched = Watched(WITH_NETWORK)
    simulate(watched)
    fitted = watched.fitted[0]
    x = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], dtype=float)
    for W, b in fitted.hidden_layers:  # type: ignore[attr-defined]
        x = np.maximum(x @ W + b, 0.0)
    potential = fitted.potential  # type: ignore[attr-defined]
    np.testing.assert_allclose(x @ potential.folded[-1], potential.blocks[0].table.reshape(-1))


def test_a_network_of_the_users_own_is_kept() -> None:
    own = BernGP(initial_network=LAYERS)
    assert own.starting_from(LAYERS[:1]) is own
    assert FROZEN.starting_from(LAYERS).initial_network is LAYERS


def test_an_estimator_without_an_embedding_is_passed_through() -> None:
    watched = Watched(WITH_NETWORK)
    simulate(watched, BetaIndependent())
    plain = BetaIndependent()
    assert start_embedding(plain, watched.fitted[0]) is plain
    assert start_embedding(FROZEN, None) is FROZEN


def test_benchmarks_hand_the_network_on() -> None:
    shared = share("full", "a test of the embedding")
    cold = ColdFit(FROZEN, (800,))
    assert cold.starting_from(LAYERS).estimator.initial_network is LAYERS  # type: ignore[attr-defined]
    without = ColdFit(BetaIndependent(), (800,))
    assert without.starting_from(LAYERS) is without
    assert simulate(shared, cold).surface.memory.params.network == ()
