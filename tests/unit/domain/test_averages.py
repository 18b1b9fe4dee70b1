"""Averages under conditions and a mix are those of the joint draws, worked out the long way."""

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.averages import arm_mass, average, averages_by
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError

SPACE = AttributeSpace(
    (
        Attribute("sex", ("F", "M")),
        Attribute("age", ("young", "middle", "old"), kind="ordinal"),
        Attribute("region", ("north", "south")),
    )
)
MIXES: dict[str, Any] = {
    "pool": None,
    "equal": "equal",
    "own": pl.DataFrame({"region": ["north", "south"], "weight": [1.0, 5.0]}),
}


def surface(**changes: Any) -> AccuracySurface:
    rng = np.random.default_rng(7)
    n_arms = SPACE.n_arms
    lower, mean, upper = np.sort(rng.random((3, n_arms)), axis=0)
    n = rng.integers(0, 9, n_arms).astype(float)
    support = n + rng.integers(1, 40, n_arms)
    support[[2, 9]], n[[2, 9]] = 0.0, 0.0
    columns: dict[str, Any] = {
        "n": n,
        "correct": n / 2,
        "support": support,
        "mean": mean,
        "sd": rng.random(n_arms) / 4,
        "lower": lower,
        "upper": upper,
        "draws": rng.random((400, n_arms), dtype=np.float32),
    }
    return AccuracySurface(SPACE, np.arange(n_arms), **columns | changes)


def weights_by_hand(of: AccuracySurface, mix: str) -> np.ndarray:
    """Return the weight of every arm, one arm at a time."""
    found = []
    for arm in range(SPACE.n_arms):
        rows = of.support[arm]
        if mix == "equal":
            found.append(float(rows > 0))
        elif mix == "pool":
            found.append(rows)
        else:
            region = SPACE.describe(arm)["region"]
            same = [SPACE.describe(a)["region"] == region for a in range(SPACE.n_arms)]
            found.append({"north": 1.0, "south": 5.0}[str(region)] * rows / of.support[same].sum())
    return np.asarray(found)


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("where", [{}, {"age": "old"}, {"age": ["young", "old"], "sex": "M"}])
def test_two_attributes_at_a_time_equal_averages_of_the_joint_draws(
    mix: str, where: dict[str, Any]
) -> None:
    of = surface()
    weight = weights_by_hand(of, mix)
    found = of.marginal("age", "region", where=where, mix=MIXES[mix])
    draws = np.asarray(of.joint_draws, dtype=np.float64)
    expected = []
    for age, region in product(("young", "middle", "old"), ("north", "south")):
        allowed = where.get("age", ("young", "middle", "old"))
        if age not in ([allowed] if isinstance(allowed, str) else allowed):
            continue
        arms = [
            arm
            for arm in range(SPACE.n_arms)
            if weight[arm] > 0
            and SPACE.describe(arm) | where | {"age": age} == SPACE.describe(arm)
            and SPACE.describe(arm)["region"] == region
        ]
        if not arms:
            continue
        if len(arms) == 1:
            ends = of.lower[arms[0]], of.upper[arms[0]]
        else:
            drawn = draws[:, arms] @ weight[arms] / weight[arms].sum()
            mean = of.mean[arms] @ weight[arms] / weight[arms].sum()
            drawn += mean - drawn.mean()
            ends = tuple(np.clip(np.quantile(drawn, [0.05, 0.95]), 0.0, 1.0))
        mean = of.mean[arms] @ weight[arms] / weight[arms].sum()
        expected.append((age, region, of.n[arms].sum(), of.support[arms].sum(), mean, *ends))
    assert found.height == len(expected) > 0
    for row, wanted in zip(found.drop("sd").rows(), expected, strict=True):
        assert row[:2] == wanted[:2]
        assert row[2:] == pytest.approx(wanted[2:])


def test_the_mass_of_arms_that_conditions_leave_out_is_zero() -> None:
    of = surface()
    assert arm_mass(of).tolist() == of.support.tolist()
    only = arm_mass(of, {"sex": "F"}, "equal")
    assert only.tolist() == [1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert of.mass({"sex": "F"}, "equal").tolist() == only.tolist()


def test_a_condition_that_no_pool_row_meets_leaves_an_empty_table() -> None:
    of = surface(support=np.r_[np.full(6, 9.0), np.zeros(6)], n=np.zeros(12), correct=np.zeros(12))
    found = of.marginal("age", where={"sex": "M"})
    assert found.columns == ["age", "n", "support", "mean", "sd", "lower", "upper"]
    assert found.height == 0


def test_under_a_mix_the_values_it_leaves_out_are_not_listed() -> None:
    mix = pl.DataFrame({"region": ["north"]})
    assert surface().marginal("region", mix=mix).get_column("region").to_list() == ["north"]


def test_without_weights_all_arms_count_alike() -> None:
    of = surface(draws=None)
    found = average(of, np.arange(3), np.zeros(3))
    assert found.mean == pytest.approx(of.mean[:3].mean())
    assert found.sd == pytest.approx(np.sqrt((of.sd[:3] ** 2).sum()) / 3)


def test_averages_need_no_mass_of_every_value() -> None:
    of = surface()
    mass = np.zeros(12)
    mass[5] = 2.0
    row = averages_by(of, ["sex", "age"], mass).row(0, named=True)
    assert (row["sex"], row["age"]) == ("F", "old")
    assert (row["mean"], row["lower"], row["upper"]) == (of.mean[5], of.lower[5], of.upper[5])


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="got 'colour'"):
        surface().marginal("sex", where={"colour": "red"})
    with pytest.raises(InputError, match="mix must"):
        surface().marginal("sex", mix=pl.DataFrame({"sex": []}))
