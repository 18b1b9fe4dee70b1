"""Shares of variance are those of the draws, worked out the long way; noise is not importance."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from surface_world import make_surface

from accuracy_assay.domain.importance import rank_attributes
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError

SPACE = AttributeSpace(
    (
        Attribute("big", ("a", "b", "c")),
        Attribute("small", ("a", "b")),
        Attribute("none", tuple("abcdef")),
    )
)


def world(
    accuracy: np.ndarray,
    noise: float = 0.01,
    space: AttributeSpace = SPACE,
    support: np.ndarray | None = None,
    *,
    has_noisy_means: bool = True,
    has_draws: bool = True,
) -> AccuracySurface:
    """Return a surface around known accuracies, with independent noise in every arm."""
    rng = np.random.default_rng(2)
    off = noise * rng.standard_normal(accuracy.size) * has_noisy_means
    seen = np.clip(accuracy + off, 0.02, 0.98)
    draws = np.clip(seen + noise * rng.standard_normal((400, seen.size)), 0.0, 1.0)
    rows = np.full(seen.size, 10.0) if support is None else support
    return AccuracySurface(
        space,
        np.arange(seen.size),
        n=rows / 2,
        correct=rows / 4,
        support=rows,
        mean=seen,
        sd=np.full(seen.size, noise),
        lower=np.maximum(seen - 2 * noise, 0.0),
        upper=np.minimum(seen + 2 * noise, 1.0),
        draws=draws.astype(np.float32) if has_draws else None,
    )


def accuracies(big: float, small: float, pair: float = 0.0) -> np.ndarray:
    codes = SPACE.codes(np.arange(SPACE.n_arms))
    first, second = codes[:, 0] - 1.0, codes[:, 1] - 0.5
    return np.asarray(0.6 + big * first + small * second + pair * first * second)


def shares_by_hand(surface: AccuracySurface) -> dict[str, float]:
    """Return the shares of the attributes, one draw and one arm at a time."""
    listed = [i for i in range(surface.arms.size) if surface.support[i] > 0]
    rows = [surface.space.describe(int(surface.arms[i])) for i in listed]
    weight = surface.support[listed] / surface.support[listed].sum()
    assert surface.joint_draws is not None
    draws = surface.joint_draws[:, listed].astype(float)
    mean = surface.mean[listed]
    draws = draws + mean - draws.mean(axis=0)

    def explained(values: np.ndarray, name: str) -> float:
        overall = float(weight @ values)
        total = 0.0
        for value in {row[name] for row in rows}:
            members = [i for i, row in enumerate(rows) if row[name] == value]
            share = sum(weight[i] for i in members)
            average = sum(weight[i] * values[i] for i in members) / share
            total += share * (average - overall) ** 2
        return total

    def whole(values: np.ndarray) -> float:
        return float(weight @ (values - weight @ values) ** 2)

    def halfway(form: Any) -> float:
        return float((form(mean) + np.mean([form(draw) for draw in draws])) / 2.0)

    variance = halfway(whole)
    return {
        name: halfway(lambda values, name=name: explained(values, name)) / variance
        for name in surface.space.names
    }


def test_shares_equal_brute_force_over_the_posterior() -> None:
    surface = make_surface()
    found = {i.name: i.share for i in surface.attributes().attributes}
    assert found == pytest.approx(shares_by_hand(surface))


def test_share_of_a_pair_is_what_both_tell_beyond_a_sum() -> None:
    ranked = rank_attributes(world(accuracies(0.1, 0.1, pair=0.2), noise=1e-4))
    # Of independent even attributes variances are those of the effects: 2/3 and 1/4 of a square.
    effects = {"big": 0.01 * 2 / 3, "small": 0.01 / 4, "big x small": 0.04 / 6}
    total = sum(effects.values())
    found = {i.name: i.share for i in ranked}
    for name, variance in effects.items():
        assert found[name] == pytest.approx(variance / total, abs=1e-3)
    assert found["big x none"] == pytest.approx(0.0, abs=1e-3)
    assert ranked.sd == pytest.approx(np.sqrt(total), rel=1e-2)
    assert ranked.together == pytest.approx(1 - effects["big x small"] / total, abs=1e-3)


def test_known_order_is_found_and_what_does_not_matter_is_not_told_from_none() -> None:
    ranked = rank_attributes(world(accuracies(0.2, 0.15), noise=0.03))
    assert [i.name for i in ranked.attributes] == ["big", "small", "none"]
    assert [i.finding for i in ranked.attributes] == ["matters", "matters", "no clear effect"]
    assert ranked.attributes[2].lower == pytest.approx(0.0, abs=0.005)
    assert all(i.lower <= i.share <= i.upper for i in ranked)


@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_noise_alone_is_not_told_from_none(noise: float) -> None:
    # The means are flat: all that draws differ by is noise.
    still = world(np.full(SPACE.n_arms, 0.7), noise, has_noisy_means=False)
    for importance in rank_attributes(still):
        assert importance.lower < 0.005
        assert not importance.is_clear


def test_a_copy_is_redundant_and_has_nothing_beyond_its_original() -> None:
    values = tuple("abcd")
    space = AttributeSpace(
        (Attribute("one", values), Attribute("copy", values), Attribute("other", ("x", "y")))
    )
    codes = space.codes(np.arange(space.n_arms))
    accuracy = 0.5 + 0.1 * codes[:, 0] + 0.05 * codes[:, 2]
    support = np.where(codes[:, 0] == codes[:, 1], 10.0, 0.0)
    ranked = rank_attributes(world(accuracy, space=space, support=support))
    by_name = {i.name: i for i in ranked.attributes}
    first, second = (i for i in ranked.attributes if i.name != "other")
    assert (second.determined_by, second.determined, second.is_redundant) == (
        first.name,
        1.0,
        True,
    )
    assert second.finding == f"redundant: {first.name} determines 100% of it"
    assert first.determined_by is None
    assert by_name["one"].beyond == pytest.approx(0.0, abs=1e-9)
    assert not by_name["other"].is_redundant


def test_what_two_others_add_up_to_is_redundant_though_neither_tells_it() -> None:
    space = AttributeSpace(
        (
            Attribute("x", (0, 1)),
            Attribute("y", (0, 1)),
            Attribute("sum", (0, 1, 2), kind="ordinal"),
        )
    )
    x, y, total = space.codes(np.arange(space.n_arms)).T
    support = np.where(x + y == total, 10.0, 0.0)
    surface = world(0.4 + 0.2 * total, space=space, support=support)
    found = {i.name: i for i in rank_attributes(surface).attributes}
    assert found["sum"].share > 0.95
    assert found["sum"].determined_by is None
    assert found["sum"].finding == "redundant: the others explain it"


def test_frame_has_a_row_per_attribute_and_pair() -> None:
    frame = make_surface().attributes().to_frame()
    assert frame["order"].to_list() == [1, 1, 1, 2, 2, 2]
    assert frame.filter(pl.col("order") == 1)["share"].is_sorted(descending=True)
    assert len(make_surface().attributes()) == frame.height


def test_independent_arms_are_ranked_too() -> None:
    ranked = rank_attributes(world(accuracies(0.2, 0.1), noise=0.02, has_draws=False))
    assert [i.name for i in ranked.attributes] == ["big", "small", "none"]


def test_certain_equal_arms_have_no_variance_to_share() -> None:
    flat = world(np.full(SPACE.n_arms, 0.7), noise=0.0)
    assert {i.share for i in rank_attributes(flat)} == {0.0}


def test_one_arm_is_refused() -> None:
    support = np.zeros(SPACE.n_arms)
    support[3] = 10.0
    with pytest.raises(InputError, match=r"at least two arms of the pool; got 1\."):
        rank_attributes(world(accuracies(0.1, 0.1), support=support))
