"""With as many columns as cells the posterior of low rank is exact; with fewer it is near."""

import numpy as np
import pytest

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova import low_rank_node
from accuracy_assay.estimators.anova.cell_arrays import cell_arrays
from accuracy_assay.estimators.anova.fit import fit_model
from accuracy_assay.estimators.anova.low_rank_node import LowRankNode
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.estimators.anova.node import Node

SPACE = AttributeSpace(
    (
        Attribute("city", values=tuple("abcdefgh")),
        Attribute("kind", values=("x", "y", "z")),
        Attribute("size", values=(1, 2, 3, 4), kind="ordinal"),
    )
)
STRATA = AttributeSpace((Attribute("sure", kind="continuous", edges=(0.3, 0.7)),))


def observe(strata: AttributeSpace | None, rng: np.random.Generator) -> Observations:
    """Return labels of a pool that lacks some arms, and in which some cells have no label."""
    n_strata = 1 if strata is None else strata.n_arms
    cells = np.arange(90 * n_strata)
    support = Support(SPACE, strata, cells, np.full(cells.size, 40.0))
    seen = rng.choice(cells.size, cells.size // 2, replace=False)
    n = rng.integers(1, 6, seen.size).astype(float)
    y = rng.binomial(n.astype(int), rng.uniform(0.5, 0.95, seen.size)).astype(float)
    return Observations.exact(support, seen, n, y, y)


def fit(observed: Observations, *, is_exact: bool, rank: int = 512) -> AnovaModel:
    return fit_model(
        observed,
        None,
        likelihood="mixture",
        split_share=0.0,
        first_steps=4,
        later_steps=2,
        growth=0.1,
        most_exact_cells=10_000 if is_exact else 0,
        rank=rank,
    )


@pytest.fixture(scope="module", params=["arms", "signals", "many values"])
def both(request: pytest.FixtureRequest) -> tuple[Node, LowRankNode, AnovaModel]:
    """Return the exact posterior and that of full rank, of arms and of cells with signals."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "many values":  # as if eight cities were very many
            patch.setattr(low_rank_node, "_MANY_VALUES", 7)
        observed = observe(
            STRATA if request.param == "signals" else None, np.random.default_rng(3)
        )
        exact, model = fit(observed, is_exact=True), fit(observed, is_exact=False)
        low = model.nodes[0]
        assert isinstance(low, LowRankNode)
        assert isinstance(exact.nodes[0], Node)
        low.moments_at(cell_arrays(observed.support, np.array([95])), 1)
    return exact.nodes[0], low, model


def test_means_and_variances_are_the_exact_ones(
    both: tuple[Node, LowRankNode, AnovaModel],
) -> None:
    exact, low, _ = both
    np.testing.assert_allclose(low.logit_mean, exact.logit_mean, atol=2e-3)
    np.testing.assert_allclose(low.logit_sd, exact.logit_sd, rtol=2e-3)
    for made, right in zip(low.moments, exact.moments, strict=True):
        np.testing.assert_allclose(made, right, rtol=5e-3, atol=1e-4)


def test_covariances_are_the_exact_ones(both: tuple[Node, LowRankNode, AnovaModel]) -> None:
    exact, low, _ = both
    rows, columns = np.array([0, 5, 60]), np.array([5, 6, 7, 60])
    right = exact.covariance(rows, columns)
    np.testing.assert_allclose(low.covariance(rows, columns), right, atol=2e-5)
    x = np.random.default_rng(0).standard_normal((low.n_cells, 2))
    np.testing.assert_allclose(low.times(x), exact.times(x), atol=2e-3)
    at = np.array([3, 4, 50])
    np.testing.assert_allclose(low.logit_covariance(at), exact.logit_covariance(at), atol=1e-3)
    index, weight = np.array([[0, 1, 2], [30, 31, 0]]), np.array([[0.2, 0.5, 0.3], [0.6, 0.4, 0]])
    np.testing.assert_allclose(
        low.mixed_variance(index, weight), exact.mixed_variance(index, weight), rtol=5e-3
    )


def test_draws_have_its_moments(both: tuple[Node, LowRankNode, AnovaModel]) -> None:
    _, low, model = both
    drawn = model.draw(4000, np.random.default_rng(5))
    mean, variance = low.moments
    assert np.abs((drawn.mean(axis=0) - mean) / np.sqrt(variance / 4000)).max() < 5.0
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.2)


@pytest.mark.parametrize("many_values", [256, 7])
def test_arms_outside_the_pool_are_estimated_as_by_the_exact_posterior(
    many_values: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(low_rank_node, "_MANY_VALUES", many_values)
    observed = observe(None, rng)
    absent = np.array([90, 91, 95])
    cells = cell_arrays(observed.support, absent)
    made = fit(observed, is_exact=False).nodes[0].moments_at(cells, 3)
    right = fit(observed, is_exact=True).nodes[0].moments_at(cells, 3)
    np.testing.assert_allclose(made, right, atol=2e-3)


def test_a_part_of_the_columns_is_near(rng: np.random.Generator) -> None:
    observed = observe(None, rng)
    right = fit(observed, is_exact=True).nodes[0].moments
    made = fit(observed, is_exact=False, rank=24).nodes[0].moments
    off = np.abs(made[0] - right[0]) / np.sqrt(right[1])
    assert 1e-3 < off.max() < 1.0
    np.testing.assert_allclose(made[1], right[1], rtol=0.4)


def test_a_next_fit_begins_where_this_one_ended(rng: np.random.Generator) -> None:
    observed = observe(None, rng)
    first = fit(observed, is_exact=False)
    again = fit_model(
        observed,
        first,
        likelihood="mixture",
        split_share=0.0,
        first_steps=4,
        later_steps=2,
        growth=0.1,
        most_exact_cells=0,
    )
    np.testing.assert_allclose(again.moments[0], first.moments[0], atol=1e-4)
