"""Averages without draws are those of very many draws."""

from dataclasses import replace

import numpy as np
import pytest

from accuracy_assay.domain import factored_arms
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova import arm_averages, arm_summary
from accuracy_assay.estimators.anova.anova_gp import AnovaGP
from accuracy_assay.estimators.anova.arm_averages import ArmAverages
from accuracy_assay.estimators.anova.arm_summary import summarise
from accuracy_assay.estimators.anova.model import AnovaModel

SPACE = AttributeSpace(
    (Attribute("a", values=tuple(range(6))), Attribute("b", values=tuple(range(8))))
)


@pytest.fixture(scope="module")
def averages() -> ArmAverages:
    """Return averages of 40 arms with few labels, so that several values of theta count."""
    rng = np.random.default_rng(1)
    support = Support(SPACE, None, np.arange(40), np.full(40, 30.0))
    arms = rng.integers(0, 40, 60)
    score = (rng.random(60) < 0.8).astype(float)
    observed = Observations.exact(support, arms, np.ones(60), score, score)
    model = AnovaGP(first_steps=6).fit(observed, rng).memory
    assert isinstance(model, AnovaModel)
    assert len(model.nodes) > 1
    summary = summarise(model, 0.9)
    return ArmAverages(model, summary, lambda: summary.draw(model, np.random.default_rng(3)))


@pytest.fixture(scope="module")
def draws(averages: ArmAverages) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arm_summary, "_DRAWS", 40_000)
        return averages.summary.draw(averages.model, np.random.default_rng(2)).astype(float)


def weights(averages: ArmAverages, count: int) -> np.ndarray:
    """Return equal weights of so many arms of the pool."""
    weight = np.zeros((1, averages.summary.mean.size))
    weight[0, averages.summary.in_pool[:count]] = 1.0 / count
    return weight


@pytest.mark.parametrize("count", [40, 20, 3])
def test_they_are_those_of_draws(averages: ArmAverages, draws: np.ndarray, count: int) -> None:
    weight = weights(averages, count)
    ((lower, upper, sd),) = averages.intervals(weight, 0.9)
    drawn = draws @ weight[0]
    drawn += weight[0] @ averages.summary.mean - drawn.mean()
    low, high = np.quantile(drawn, [0.05, 0.95])
    # Of 40,000 draws a width is known to about 1 %; of the 512 of three arms to 6 %.
    near = 0.12 if count == 3 else 0.03
    assert lower == pytest.approx(low, abs=near * (high - low))
    assert upper == pytest.approx(high, abs=near * (high - low))
    assert sd == pytest.approx(drawn.std(), rel=near)


def test_several_at_once_are_as_each_alone(averages: ArmAverages) -> None:
    every = np.concatenate([weights(averages, count) for count in (3, 20, 40)])
    together = averages.intervals(every, 0.9)
    for row, made in zip(every, together, strict=True):
        np.testing.assert_allclose(averages.intervals(row[None], 0.9)[0], made, rtol=1e-9)


def test_arms_that_no_row_has_are_independent(averages: ArmAverages) -> None:
    weight = np.zeros((1, 48))
    weight[0, 40:] = 1.0 / 8.0
    sd = averages.summary.sd[40:]
    expected = np.sqrt((sd**2).sum()) / 8.0
    ((lower, upper, made),) = averages.intervals(weight, 0.9)
    assert made == pytest.approx(expected, rel=0.05)
    assert lower < averages.summary.mean[40:].mean() < upper


def test_many_and_few_arms_agree_where_both_can_be_asked(
    averages: ArmAverages, monkeypatch: pytest.MonkeyPatch
) -> None:
    weight = weights(averages, 16)
    ((lower, upper, sd),) = averages.intervals(weight, 0.9)
    monkeypatch.setattr(factored_arms, "_FEW_ARMS", 15)
    ((low, high, other),) = averages.intervals(weight, 0.9)
    # Of 512 draws a width is known to about 6 %.
    assert [low, high] == pytest.approx([lower, upper], abs=0.1 * (upper - lower))
    assert other == pytest.approx(sd, rel=0.1)


@pytest.mark.parametrize("most_exact", [1024, 10])
def test_factors_say_of_many_arms_what_cells_say(
    averages: ArmAverages, most_exact: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arm_averages, "_MOST_EXACT_FACTORS", most_exact)
    kept = ArmAverages(averages.model, averages.summary, averages.draws).factored()
    assert kept is not None
    if most_exact == 1024:
        assert kept.F.shape == (48, 40)
    every = np.concatenate([weights(averages, count) for count in (20, 40)])
    monkeypatch.setattr(arm_averages, "MOST_DRAWN_ARMS", 0)
    made, right = kept.intervals(every, 0.9), averages.intervals(every, 0.9)
    # Of a part of the factors a width is near; of all of them it is the same.
    near = 0.03 if most_exact == 1024 else 0.1
    for (lower, upper, sd), (low, high, other) in zip(made, right, strict=True):
        assert [lower, upper] == pytest.approx([low, high], abs=near * (high - low))
        assert sd == pytest.approx(other, rel=near)


def test_the_other_target_is_what_a_fit_for_it_says(averages: ArmAverages) -> None:
    """The model is the same; only what is averaged differs."""
    found = averages.other_overall(0.9)
    other = replace(averages.model, support=replace(averages.model.support, is_pool=False))
    summary = summarise(other, 0.9)
    assert found is not None
    weight = weights(averages, 40)
    (ends,) = ArmAverages(other, summary, averages.draws)._from_cells(weight, 0.9)
    np.testing.assert_allclose(found, (weight[0] @ summary.mean, *ends), atol=1e-9)
