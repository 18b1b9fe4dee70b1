"""Differences and ratios between groups are those of the draws, and allow for the choice."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from surface_world import SPACE, make_surface

from accuracy_assay.domain.group_contrasts import GroupAccuracies
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError


def made(*, is_apart: bool = False) -> AccuracySurface:
    """Return a surface whose draws lie around its means, away from 0 and 1.

    Where its groups are apart, the old are furthest from the others and least is known of them:
    the largest difference and the one that is sure to be large are between other groups.
    """
    rng = np.random.default_rng(1)
    mean, width = rng.uniform(0.4, 0.8, 12), np.full(12, 0.06)
    if is_apart:
        age = SPACE.codes(np.arange(12))[:, 1]
        mean, width = np.array([0.75, 0.5, 0.45])[age], np.array([0.02, 0.02, 0.2])[age]
    draws = mean + rng.normal(0.0, 0.04, (300, 1)) + width * rng.normal(0.0, 1.0, (300, 12))
    return make_surface(
        mean=mean, lower=mean - 0.1, upper=mean + 0.1, draws=np.clip(draws, 0, 1).astype("f4")
    )


def draws_by_hand(surface: AccuracySurface, name: str) -> dict[str, np.ndarray]:
    """Return draws of the accuracy of each group and of the whole, one arm at a time."""
    assert surface.joint_draws is not None
    draws = surface.joint_draws.astype(float)
    draws = draws + surface.mean - draws.mean(axis=0)
    found: dict[str, Any] = {}
    for key in [*surface.space.attribute(name).values, None]:
        total, rows = np.zeros(len(draws)), 0.0
        for i, arm in enumerate(surface.arms):
            if key is None or surface.space.describe(int(arm))[name] == key:
                total, rows = total + surface.support[i] * draws[:, i], rows + surface.support[i]
        found["overall" if key is None else str(key)] = total / rows
    return found


def largest(apart: list[np.ndarray], centres: list[float], level: float) -> float:
    standardised = [np.abs(d - m) / d.std() for d, m in zip(apart, centres, strict=True)]
    return float(np.quantile(np.max(standardised, axis=0), level))


@pytest.mark.parametrize("kind", ["difference", "ratio"])
@pytest.mark.parametrize("method", ["between_groups", "to_overall"])
@pytest.mark.parametrize("is_apart", [False, True])
def test_contrasts_equal_brute_force_over_the_posterior(
    kind: str, method: str, is_apart: bool
) -> None:
    surface = made(is_apart=is_apart)
    groups = draws_by_hand(surface, "age")
    means = {name: float(draws.mean()) for name, draws in groups.items()}
    if kind == "ratio":
        groups = {name: np.log(draws) for name, draws in groups.items()}
        means = {name: float(np.log(mean)) for name, mean in means.items()}
    names = ["young", "middle", "old"]
    pairs = (
        list(combinations(names, 2))
        if method == "between_groups"
        else [(name, "overall") for name in names]
    )
    apart = [groups[a] - groups[b] for a, b in pairs]
    c = largest(apart, [means[a] - means[b] for a, b in pairs], surface.level)
    sizes = [abs(means[a] - means[b]) for a, b in pairs]
    lower = max(max(s - c * d.std() for s, d in zip(sizes, apart, strict=True)), 0.0)
    upper = max(s + c * d.std() for s, d in zip(sizes, apart, strict=True))
    wanted = (max(sizes), lower, upper)
    if kind == "ratio":
        wanted = tuple(np.exp([-wanted[0], -upper, -lower]))
    found = getattr(surface, kind)("age", method=method)
    assert (found.mean, found.lower, found.upper) == pytest.approx(wanted, abs=1e-9)
    a, b = max(pairs, key=lambda pair: abs(means[pair[0]] - means[pair[1]]))
    assert {found.high, found.low} == {a, b}
    assert means[found.high] >= means[found.low]


def test_the_interval_holds_the_largest_difference_whichever_groups_it_is_between() -> None:
    surface = made()
    groups = draws_by_hand(surface, "age")
    every = np.stack([groups[name] for name in ("young", "middle", "old")])
    found = surface.difference("age")
    spans = every.max(axis=0) - every.min(axis=0)
    inside = np.mean((found.lower <= spans) & (spans <= found.upper))
    assert inside >= surface.level - 0.01
    lowest = surface.group_min("age").estimate
    inside = np.mean((lowest.lower <= every.min(axis=0)) & (every.min(axis=0) <= lowest.upper))
    assert inside >= surface.level - 0.01


def test_the_least_that_groups_differ_by_may_be_known_from_other_groups_than_the_largest() -> None:
    surface = made(is_apart=True)
    found = surface.difference("age")
    assert {found.high, found.low} == {"young", "old"}
    # These two alone would have an interval as far to both sides of what is expected of them.
    assert 0.0 < 2.0 * found.mean - found.upper < found.lower - 0.01


def test_extremes_equal_brute_force_over_the_posterior() -> None:
    surface = made(is_apart=True)
    groups = draws_by_hand(surface, "age")
    del groups["overall"]
    mean, sd = (np.array([f(d) for d in groups.values()]) for f in (np.mean, np.std))
    c = largest(list(groups.values()), mean.tolist(), surface.level)
    lowest, highest = surface.group_min("age").estimate, surface.group_max("age").estimate
    wanted = (np.min(mean - c * sd), np.min(mean + c * sd))
    assert (lowest.lower, lowest.upper) == pytest.approx(wanted)
    wanted = (np.max(mean - c * sd), np.max(mean + c * sd))
    assert (highest.lower, highest.upper) == pytest.approx(wanted)


def test_equal_groups_have_an_interval_from_zero() -> None:
    flat = np.full(12, 0.6)
    surface = make_surface(mean=flat, lower=0.0 * flat, upper=0.0 * flat + 1.0)
    found = surface.difference("age")
    assert (found.mean, found.lower) == (pytest.approx(0.0, abs=1e-9), 0.0)
    assert found.upper > 0.02
    assert surface.ratio("age").upper == 1.0


def test_extremes_are_those_of_the_expected_accuracies() -> None:
    surface = make_surface()
    table = surface.by_group("age").sort("mean")
    low, high = surface.group_min("age"), surface.group_max("age")
    assert (low.group, high.group) == (table["age"][0], table["age"][-1])
    assert low.estimate.mean == pytest.approx(table["mean"][0])
    assert high.estimate.mean == pytest.approx(table["mean"][-1])
    assert (low.estimate.n, low.estimate.support) == (table["n"][0], table["support"][0])
    for extreme in (low, high):
        assert extreme.estimate.lower <= extreme.estimate.mean <= extreme.estimate.upper
    # Any of the groups may be the lowest: its upper end is no higher than any group's own.
    assert low.estimate.upper <= table["upper"].max()


def test_groups_may_be_combinations_under_conditions_and_a_mix() -> None:
    surface = make_surface()
    groups = GroupAccuracies.of(surface, ["sex", "light"], {"age": "old"}, "equal")
    assert groups.names == ("F, 1", "F, 2", "M, 1", "M, 2")
    one = surface.at(sex="F", age="old", light=1)
    assert groups.mean[0] == pytest.approx(one.mean)
    found = surface.difference("sex", "light", where={"age": "old"}, mix="equal")
    assert found == groups.difference()


def test_no_difference_is_more_than_all_and_no_rate_less_than_one_in_ten_thousand() -> None:
    age = SPACE.codes(np.arange(12))[:, 1]
    mean = np.array([0.98, 0.5, 0.0])[age]
    wide: dict[str, Any] = {"mean": mean, "lower": np.zeros(12), "upper": np.ones(12)}
    assert make_surface(**wide).difference("age").upper == 1.0
    sure = make_surface(**wide, draws=None, sd=np.zeros(12)).ratio("age")
    assert sure.mean == pytest.approx(1e-4 / 0.98)


def test_certain_groups_have_no_width() -> None:
    still = make_surface(draws=None, sd=np.zeros(12))
    found = still.difference("sex")
    assert found.lower == pytest.approx(found.mean)
    assert found.upper == pytest.approx(found.mean)
    assert found.probability == 1.0


def test_contrasts_read_as_sentences() -> None:
    surface = make_surface()
    said = surface.difference("sex")
    assert str(said).startswith(f"difference {100 * said.mean:.1f} points (90% interval ")
    assert str(said).endswith(f"{said.low} against {said.high}")
    assert str(surface.ratio("sex")).startswith("ratio 0.")


def test_mistakes_are_named() -> None:
    surface = make_surface()
    with pytest.raises(UnknownNameError, match="beetween"):
        surface.difference("sex", method="beetween")
    with pytest.raises(InputError, match=r"at least two groups in the pool or mix; got 1"):
        surface.ratio("sex", where={"sex": "F"})
    with pytest.raises(UnknownNameError, match="gender"):
        surface.group_min("gender")
