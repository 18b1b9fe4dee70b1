"""Sub-cubes are every choice of values with enough rows, each told once."""

from itertools import combinations, product

import numpy as np

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.subcubes import sub_cubes

SPACE = AttributeSpace(
    (Attribute("a", ("x", "y")), Attribute("b", (1, 2, 3)), Attribute("c", ("p", "q")))
)
ARMS = np.array([0, 1, 3, 4, 6, 7, 10, 11])
ROWS = np.array([5.0, 9.0, 2.0, 40.0, 30.0, 8.0, 1.0, 0.0])


def by_hand(order: int, least: float) -> dict[tuple[tuple[str, object], ...], frozenset[int]]:
    """Return the arms of every sub-cube, those with the same rows only under their first name."""
    described = [SPACE.describe(int(arm)) for arm in ARMS]
    found: dict[tuple[tuple[str, object], ...], frozenset[int]] = {}
    seen = set()
    for size in range(1, order + 1):
        for named in combinations(SPACE.attributes, size):
            for values in product(*(each.values for each in named)):
                where = tuple(zip((each.name for each in named), values, strict=True))
                inside = [i for i, d in enumerate(described) if all(d[k] == v for k, v in where)]
                occupied = frozenset(i for i in inside if ROWS[i] > 0)
                if ROWS[inside].sum() >= least and occupied not in seen:
                    seen.add(occupied)
                    found[where] = frozenset(inside)
    return found


def test_every_one_with_enough_rows_is_there_once() -> None:
    for order, least in ((1, 1.0), (2, 8.0), (3, 5.0), (9, 5.0)):
        cubes = sub_cubes(SPACE, ARMS, ROWS, order, least)
        listed = {
            tuple(cubes.where(i).items()): frozenset(np.flatnonzero(cubes.members(i)).tolist())
            for i in range(len(cubes))
        }
        assert listed == by_hand(min(order, 3), least)


def test_sums_and_chances_are_those_of_the_members() -> None:
    cubes = sub_cubes(SPACE, ARMS, ROWS, 2, 1.0)
    draws = np.random.default_rng(3).standard_normal((ARMS.size, 50))
    inside = np.stack([cubes.members(i) for i in range(len(cubes))])
    np.testing.assert_allclose(cubes.sums(ROWS), inside @ ROWS)
    np.testing.assert_allclose(cubes.chance_positive(draws), (inside @ draws > 0).mean(axis=1))


def test_sums_may_be_over_some_arms_alone() -> None:
    cubes = sub_cubes(SPACE, ARMS, ROWS, 2, 1.0)
    some = np.array([1, 3, 6])
    inside = np.stack([cubes.members(i) for i in range(len(cubes))])
    np.testing.assert_allclose(cubes.sums(ROWS[some], some), inside[:, some] @ ROWS[some])


def test_those_inside_one_have_all_their_arms_in_it() -> None:
    cubes = sub_cubes(SPACE, ARMS, ROWS, 3, 1.0)
    members = [set(np.flatnonzero(cubes.members(i))) for i in range(len(cubes))]
    for i in range(len(cubes)):
        by_hand = [j for j in range(len(cubes)) if j != i and members[j] <= members[i]]
        assert cubes.inside(i).tolist() == by_hand


def test_a_part_keeps_the_numbers_of_its_sub_cubes() -> None:
    cubes = sub_cubes(SPACE, ARMS, ROWS, 2, 1.0)
    part = cubes.part(np.array([4, 1]))
    assert part.index.tolist() == [4, 1]
    assert part.where(0) == cubes.where(4)
    assert len(part.part(np.array([], dtype=int))) == 0
