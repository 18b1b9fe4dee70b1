"""Shrinkage towards predictions, against a search for the least estimate of risk."""

import numpy as np
import pytest
from judged_rows import JudgedRows
from scipy.optimize import minimize_scalar

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.peers.powered_means import PoweredMeans
from assay_bench.peers.ppi_shrinkage import PPIShrinkage
from assay_bench.peers.signal_prediction import (
    LabelledCells,
    PoolCells,
    SignalPrediction,
)

SPACE = AttributeSpace((Attribute("a", tuple(range(12))),))


def powered(seen: Observations) -> PoweredMeans:
    labels, pool = LabelledCells.of(seen), PoolCells.of(seen.support)
    fit = SignalPrediction.fit(labels)
    return PoweredMeans.of(fit, labels, pool, seen.support.listed_arms, is_pool=True)


def observe(rates: FloatArray, n: int) -> Observations:
    support = Support.count(SPACE, None, np.arange(12), np.full(12, 1000.0))
    scores = np.concatenate([np.arange(n) < round(n * rate) for rate in rates]).astype(float)
    return Observations.from_instances(support, Affiliation.exact(np.repeat(range(12), n)), scores)


def test_the_weights_are_those_of_least_estimated_risk(rng: np.random.Generator) -> None:
    seen = observe(np.linspace(0.3, 0.9, 12), 10)
    means = powered(seen)

    def risk(log_omega: float) -> float:
        w = np.exp(log_omega) / (np.exp(log_omega) + means.variance)
        apart = (means.mean - means.prediction) ** 2
        return float(
            ((2 * w - 1) * means.variance + 2 * (1 - w) * means.covariance).sum()
            + ((1 - w) ** 2 * apart).sum()
        )

    omega = np.exp(minimize_scalar(risk, bounds=(-12.0, 0.0), method="bounded").x)
    surface = PPIShrinkage().fit(seen, rng)
    assert surface.details["between_arms_sd"] == pytest.approx(np.sqrt(omega), rel=0.03)
    w = omega / (omega + means.variance)
    np.testing.assert_allclose(
        surface.mean, w * means.mean + (1.0 - w) * means.prediction, atol=3e-3
    )
    np.testing.assert_allclose(
        surface.sd,
        np.sqrt(w * means.variance + (1.0 - w) ** 2 * means.prediction_variance),
        rtol=0.02,
    )


def test_arms_as_alike_as_their_labels_are_shrunk_to_the_prediction(
    rng: np.random.Generator,
) -> None:
    seen = observe(np.full(12, 0.7), 10)
    surface = PPIShrinkage().fit(seen, rng)
    np.testing.assert_allclose(surface.mean, 0.7, atol=2e-3)
    assert surface.details["between_arms_sd"] < 0.001


def test_arms_that_signals_do_not_explain_are_hardly_shrunk(rng: np.random.Generator) -> None:
    rates = np.tile([0.0, 1.0], 6)
    surface = PPIShrinkage().fit(observe(rates, 10), rng)
    np.testing.assert_allclose(surface.mean, rates, atol=0.01)


def test_an_arm_without_a_label_has_its_prediction(rng: np.random.Generator) -> None:
    rows = JudgedRows.make()
    some = JudgedRows(rows.cell, rows.score, rows.labelled[rows.arm[rows.labelled] < 2])
    seen = some.observations
    surface = PPIShrinkage().fit(seen, rng)
    assert surface.mean[2] == pytest.approx(powered(seen).prediction[2])
    assert surface.sd[2] >= surface.details["between_arms_sd"]
