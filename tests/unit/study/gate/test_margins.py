from typing import Any

import numpy as np
import polars as pl
import pytest
from gate_world import normal_surface

import accuracy_assay as aa
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.gate.margins import WIDER, Margins, margins_of
from accuracy_assay.study.gate.requirement import Requirement


def margins(bar: Any, limit: float, surface: Any = None, **options: Any) -> Margins:
    return margins_of(surface or normal_surface(), Requirement(bar, limit, **options))


def test_room_is_accuracy_less_the_bar_and_reads_as_accuracy() -> None:
    found = margins("min", 0.7)
    assert found.mean == pytest.approx([0.1])
    assert found.draws.mean() == pytest.approx(0.1)
    # Six independent arms of equal weight.
    assert found.draws.std() == pytest.approx(0.01 / 6**0.5, rel=0.1)
    assert found.number(0.1) == pytest.approx(0.8)


def test_gaps_are_of_every_pair_in_both_directions() -> None:
    found = margins("max_gap", 0.1, normal_surface([0.9, 0.9, 0.9, 0.7, 0.7, 0.7]), between="sex")
    assert found.slices.names == ["sex = F above sex = M", "sex = M above sex = F"]
    assert found.mean == pytest.approx([-0.1, 0.3])
    assert found.number(-0.1) == pytest.approx(0.2)
    assert (found.count(), found.noun) == (1, "pairs of values")


def test_an_attribute_of_very_many_values_has_too_many_gaps() -> None:
    space = AttributeSpace((Attribute("town", tuple(range(101))),))
    with pytest.raises(InputError, match="at most 100 values; got 'town' with 101"):
        margins("max_gap", 0.1, normal_surface(space=space), between="town")


def test_the_whole_must_be_shown_and_values_and_arms_are_watched() -> None:
    found = margins("not_worse_than", 0.02, old=normal_surface(0.9))
    assert len(found.slices) == 1 + 5 + 6
    assert np.flatnonzero(found.is_shown).tolist() == [0]
    assert found.mean == pytest.approx(np.full(12, -0.08))
    assert found.number(-0.08) == pytest.approx(-0.1)
    assert sorted(set(found.family.tolist())) == [1, 2]


def test_between_the_values_of_an_attribute_all_must_be_shown() -> None:
    found = margins("not_worse_than", 0.0, old=normal_surface(0.9), between="age")
    assert found.slices.names == ["the whole pool", "age = young", "age = middle", "age = old"]
    assert found.is_shown.all()


def test_every_arm_must_be_shown_where_that_is_asked_for() -> None:
    found = margins("not_worse_than", 0.0, old=normal_surface(0.9), every_arm=True)
    assert len(found.slices) == 7
    assert found.is_shown.all()


def test_two_surfaces_of_one_seed_do_not_share_their_randomness() -> None:
    surface = normal_surface(sd=0.05)
    found = margins("not_worse_than", 0.0, surface, old=surface, every_arm=True)
    # The difference of two independent arms, not of one with itself.
    assert found.draws[:, 1:].std(axis=0) == pytest.approx(np.full(6, 0.05 * 2**0.5), rel=0.1)


def test_services_with_shared_labels_are_judged_by_the_interval_of_their_difference() -> None:
    rows = pl.DataFrame({"sex": ["F", "M"] * 100, "new": [1] * 150 + [0] * 50})
    rows = rows.with_columns(old=pl.when(pl.int_range(pl.len()) < 8).then(0).otherwise("new"))
    pair = aa.compare(rows, ["sex"], scores=["new", "old"], estimator="beta-independent")
    found = margins("not_worse_than", 0.0, pair.surfaces["new"], old=pair, every_arm=True)
    whole = pair.difference("new", "old")
    assert found.mean[0] == pytest.approx(whole.mean)
    # The standard error of a deviation of 512 draws is 3 % of it.
    assert found.draws[:, 0].std() == pytest.approx(whole.sd, rel=0.15)
    assert whole.sd < 0.7 * np.hypot(*(s.overall.sd for s in pair.surfaces.values()))
    assert "row by row" in found.remarks[0]


def test_spreads_of_surfaces_are_judged_wider_than_they_say() -> None:
    found = margins("min", 0.7)
    assert found.judged.std() == pytest.approx(WIDER * found.draws.std())
    assert WIDER > 1.0
    assert found.judged.mean() == pytest.approx(found.draws.mean())


def test_different_pools_of_own_rows_are_remarked_on() -> None:
    new, old = normal_surface(target="pool"), normal_surface(rows=400.0, target="pool")
    said = margins("not_worse_than", 0.0, new, old=old).remarks
    assert any('target="population"' in remark for remark in said)
    same = margins("not_worse_than", 0.0, new, old=new).remarks
    assert not any("population" in remark for remark in same)


def test_what_the_surface_does_not_have_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'sex'"):
        margins("max_gap", 0.1, between="sx")
    other = normal_surface(space=AttributeSpace((Attribute("town", ("a", "b")),)))
    with pytest.raises(InputError, match="same attributes"):
        margins("not_worse_than", 0.0, old=other)


def test_the_pool_bounds_labels_only_where_its_own_rows_are_meant() -> None:
    assert margins("min", 0.7, normal_surface(target="pool")).pool == 3_000.0
    assert margins("min", 0.7).pool is None
