"""A surface is fitted to what was read, and says where it comes from."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.protocols import Calibration, Calibrator, Layers, OnSteps
from accuracy_assay.study.fit import fit_surface, start_embedding
from accuracy_assay.study.read.how import How

ROWS = pl.DataFrame({"sex": ["f", "m"] * 30, "said": ["a"] * 60, "right": [1.0, 0.0, 1.0] * 20})
COLUMNS = Columns(("sex",), "right", y_pred="said")


FROZEN = BernGP(first_steps=1, learning_rate=1e-12, n_inducing=4, n_draws=0)
"""Its parameters after a fit are those that it started from."""
WITH_NETWORK = Full(start="zero", widths=(6,), learning_rate=1e-2)
LAYERS: Layers = ((np.ones((4, 3)), np.zeros(3)), (np.ones((3, 3)), np.zeros(3)))


def test_columns_as_a_value_and_one_by_one_give_one_surface() -> None:
    how = How.of("beta-independent")
    whole = fit_surface(COLUMNS, ROWS, None, how).to_frame()
    assert_frame_equal(whole, aa.estimate(ROWS, COLUMNS, estimator=how.estimator).to_frame())
    named = aa.estimate(ROWS, ["sex"], "right", y_pred="said", estimator="beta-independent")
    assert_frame_equal(whole, named.to_frame())


def test_a_surface_knows_its_service_and_its_seed() -> None:
    provenance = fit_surface(COLUMNS, ROWS, None, How.of("constant", seed=7)).details["provenance"]
    assert (provenance["service"], provenance["seed"]) == ("said", 7)


@dataclass
class Watched:
    """A calibrator that learns once and shows what it hands out."""

    calibrator: Calibrator
    fitted: FittedCalibration | None = None

    def fit(
        self,
        seed: Evidence,
        gold: np.ndarray,
        pool: Evidence,
        rng: np.random.Generator,
        on_steps: OnSteps | None = None,
    ) -> Calibration:
        if self.fitted is None:
            self.fitted = self.calibrator.fit(seed, gold, pool, rng)  # type: ignore[assignment]
        return self.fitted  # type: ignore[return-value]


@dataclass(frozen=True)
class Learned:
    """A calibrator with a network, what it learned, and the surface after it."""

    calibrator: Watched
    fitted: FittedCalibration
    surface: aa.AccuracySurface


@pytest.fixture(scope="module")
def learned() -> Learned:
    """Return the one training of a network that these tests share."""
    watched = Watched(WITH_NETWORK)
    surface = simulate(watched).surface
    assert watched.fitted is not None
    return Learned(watched, watched.fitted, surface)


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


def check_same(network: Layers, layers: Layers) -> None:
    for ours, theirs in zip(network, layers, strict=True):
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-9)


def test_after_full_the_first_layers_are_those_of_the_potential(learned: Learned) -> None:
    layers = learned.fitted.hidden_layers
    assert layers is not None
    assert [W.shape for W, _ in layers] == [(4, 6), (6, 6)]
    check_same(learned.surface.memory.params.network, layers)


@pytest.mark.parametrize("calibrator", [Temperature(), Full(widths=())])
def test_a_calibration_without_a_network_leaves_the_embedding_alone(
    calibrator: Calibrator,
) -> None:
    assert simulate(calibrator).surface.memory.params.network == ()


def test_the_folded_network_is_what_the_table_holds(learned: Learned) -> None:
    potential = learned.fitted.potential
    assert potential is not None
    assert potential.hidden_layers is not None
    x = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], dtype=float)
    for W, b in potential.hidden_layers:
        x = np.maximum(x @ W + b, 0.0)
    np.testing.assert_allclose(x @ potential.folded[-1], potential.blocks[0].table.reshape(-1))


def test_a_network_of_the_users_own_is_kept() -> None:
    own = BernGP(initial_network=LAYERS)
    assert own.starting_from(LAYERS[:1]) is own
    assert FROZEN.starting_from(LAYERS).initial_network is LAYERS


def test_an_estimator_without_an_embedding_is_passed_through(learned: Learned) -> None:
    plain = BetaIndependent()
    assert simulate(learned.calibrator, plain).surface.details["estimator"] == "beta-independent"
    assert start_embedding(plain, learned.fitted) is plain
    assert start_embedding(FROZEN, None) is FROZEN
