"""Fits: warm starts, hyper-parameters from a part of the cells, extreme counts."""

from collections.abc import Callable

import numpy as np
import pytest
from anova_world import RATE, SPACE, STRATA, SUPPORT, blurred, fit, observe

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.estimators.anova.fit import fit_model


@pytest.mark.parametrize("observe_some", [observe, blurred])
def test_hyper_parameters_from_a_part_of_the_cells_serve_all_of_them(
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
    observe_some: Callable[[np.random.Generator], Observations],
) -> None:
    observed = observe_some(rng)
    whole = fit(observed)
    for limit in ("_MOST_CELLS_FOR_THETA", "_MOST_MIXED_CELLS_FOR_THETA"):
        monkeypatch.setattr(f"accuracy_assay.estimators.anova.slice_fits.{limit}", 8)
    part = fit(observed)
    assert not np.allclose(part.fitted.theta, whole.fitted.theta)
    # Every cell's labels count, whatever theta was learned from.
    np.testing.assert_array_equal(part.observed, np.arange(12))
    assert np.abs(part.moments[0] - whole.moments[0]).max() < 0.1
    error = np.mean((part.moments[0] - RATE) ** 2)
    assert error < 0.5 * np.mean((RATE.mean() - RATE) ** 2)


def test_a_few_labels_more_keep_the_hyper_parameters(rng: np.random.Generator) -> None:
    observed = observe(rng, 330)
    fewer = Observations.exact(SUPPORT, np.arange(12), np.full(12, 25.0), 25.0 * RATE, 25.0 * RATE)
    first = fit(fewer)
    later = fit(observe(rng, 320), first)
    np.testing.assert_array_equal(later.fitted.theta, first.fitted.theta)
    assert later.theta_labels == first.theta_labels == 300.0
    anew = fit(observed, first)
    assert not np.array_equal(anew.fitted.theta, first.fitted.theta)
    assert anew.theta_labels == 330.0


def test_a_fit_of_another_pool_is_not_carried_on(rng: np.random.Generator) -> None:
    signals = Support(SPACE, STRATA, np.arange(96), np.full(96, 10.0))
    cells = rng.integers(0, 96, 50)
    one = np.ones(50)
    other = fit(Observations.exact(signals, cells, one, one, one))
    observed = observe(rng)
    np.testing.assert_array_equal(fit(observed, other).fitted.theta, fit(observed).fitted.theta)


def test_a_refit_keeps_the_nodes_and_weighs_them_anew(rng: np.random.Generator) -> None:
    first = fit(observe(rng, 30))
    again = fit(observe(rng, 31), first)
    assert again.theta_labels == first.theta_labels
    before = {node.fitted.theta.tobytes() for node in first.nodes}
    assert {node.fitted.theta.tobytes() for node in again.nodes} <= before
    assert sum(node.weight for node in again.nodes) == pytest.approx(1.0)
    assert [node.weight for node in again.nodes] != [node.weight for node in first.nodes]


@pytest.mark.parametrize("most_exact_cells", [None, 0])
def test_with_millions_of_labels_the_surface_is_what_they_say(
    most_exact_cells: int | None, rng: np.random.Generator
) -> None:
    n = np.full(12, 2e6)
    right = rng.binomial(n.astype(int), RATE).astype(float)
    support = Support(SPACE, None, np.arange(12), n, is_pool=False)
    fitted = fit_model(
        Observations.exact(support, np.arange(12), n, right, right),
        None,
        likelihood="mixture",
        split_share=0.0,
        first_steps=30,
        later_steps=6,
        growth=0.1,
        most_exact_cells=most_exact_cells,
    )
    np.testing.assert_allclose(fitted.moments[0], right / n, atol=1e-5)
