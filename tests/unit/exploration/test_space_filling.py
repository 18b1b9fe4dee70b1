"""The first labels: what is known before any, and that a session from nothing covers the pool."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.exploration.space_filling import before_labels, with_labelled
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.protocols import Candidates
from accuracy_assay.registry import build_estimator

SPACE = AttributeSpace(
    (
        Attribute("a", values=("p", "q", "r")),
        Attribute("b", values=("1", "2", "3", "4"), kind="ordinal"),
    )
)
STRATA = AttributeSpace((Attribute("confidence", values=("low", "high"), kind="ordinal"),))
ROWS_PER_ARM = 30
ARM_OF_ROW = np.repeat(np.arange(12), ROWS_PER_ARM)
SUPPORT = Support.count(SPACE, None, ARM_OF_ROW)
FIRST_WRONG = 4  # the arm whose labels are wrong


def fitted(rows: np.ndarray) -> AccuracySurface:
    """Return the surface of labels that are right but in one arm."""
    arms = ARM_OF_ROW[rows]
    n = np.bincount(arms, minlength=12).astype(float)
    y = np.where(np.arange(12) == FIRST_WRONG, 0.0, n)
    observed = Observations.exact(SUPPORT, np.arange(12), n, y, y)
    return build_estimator("anova-gp").fit(observed, np.random.default_rng(0))


def candidates(labelled: np.ndarray, pending: np.ndarray | None = None) -> Candidates:
    waiting = np.zeros(0, dtype=np.int64) if pending is None else pending
    free = np.setdiff1d(np.arange(ARM_OF_ROW.size), np.concatenate([labelled, waiting]))
    return Candidates(
        free,
        Affiliation.exact(ARM_OF_ROW[free]),
        pending=Affiliation.exact(ARM_OF_ROW[waiting]),
    )


def chosen(labelled: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Return the rows of the next batch."""
    some = candidates(labelled)
    choice = VarianceReduction().choose(fitted(labelled), some, n, np.random.default_rng(seed))
    return some.instances[choice.positions]


NONE = np.zeros(0, dtype=np.int64)


@pytest.mark.parametrize("seed", range(4))
def test_a_first_batch_touches_every_arm_and_no_arm_gets_most_of_the_second(seed: int) -> None:
    first = chosen(NONE, 12, seed)
    assert np.unique(ARM_OF_ROW[first]).size == 12
    second = chosen(first, 12, seed)
    assert np.bincount(ARM_OF_ROW[second]).max() <= 2


def test_what_labels_say_does_not_matter_while_they_are_few() -> None:
    first = chosen(NONE, 12, 0)
    arms, sizes = np.unique(ARM_OF_ROW[first]), np.ones(12)
    surfaces = [
        build_estimator("anova-gp").fit(
            Observations.exact(SUPPORT, arms, sizes, y, y), np.random.default_rng(0)
        )
        for y in (np.zeros(12), np.ones(12))
    ]
    some = candidates(first)
    picks = [
        VarianceReduction().choose(s, some, 12, np.random.default_rng(3)).positions.tolist()
        for s in surfaces
    ]
    assert picks[0] == picks[1]


def test_labels_on_their_way_count_as_those_that_are_there() -> None:
    six = np.arange(6) * ROWS_PER_ARM  # one row of each of the first six arms
    waiting = candidates(NONE, pending=six)
    choice = VarianceReduction().choose(fitted(NONE), waiting, 6, np.random.default_rng(5))
    picked = waiting.instances[choice.positions]
    assert picked.tolist() == chosen(six, 6, 5).tolist()
    assert set(ARM_OF_ROW[picked]) == set(range(6, 12))


def test_chances_are_those_of_a_draw_among_equals() -> None:
    # Without a label arms that lie alike are as good as each other, and so are all their rows.
    surface, some = fitted(NONE), candidates(NONE)
    draws = [
        VarianceReduction().choose(surface, some, 1, np.random.default_rng(seed))
        for seed in range(300)
    ]
    chance = {float(draw.probability[0]) for draw in draws}
    assert len(chance) == 1
    rows = {int(draw.positions[0]) for draw in draws}
    arms = np.unique(ARM_OF_ROW[list(rows)])
    assert arms.size > 1
    assert chance.pop() * arms.size * ROWS_PER_ARM == pytest.approx(1.0)


def test_random_picks_have_the_chance_of_both_ways() -> None:
    half = VarianceReduction(random_share=0.5)
    choice = half.choose(fitted(NONE), candidates(NONE), 1, np.random.default_rng(0))
    alone = VarianceReduction().choose(fitted(NONE), candidates(NONE), 1, np.random.default_rng(0))
    assert choice.least is not None
    assert choice.least[0] == pytest.approx(0.5 / ARM_OF_ROW.size)
    either = (choice.least[0], choice.least[0] + 0.5 * alone.probability[0])
    assert any(choice.probability[0] == pytest.approx(chance) for chance in either)


def test_enough_labels_end_it() -> None:
    labelled = np.arange(0, ARM_OF_ROW.size, 6)[:50]
    surface, some = fitted(labelled), candidates(labelled)
    reasons = [
        VarianceReduction(cover_labels=count)
        .choose(surface, some, 1, np.random.default_rng(0))
        .reason[0]
        for count in (50, 51)
    ]
    assert reasons[0].startswith("cuts the expected variance")
    assert reasons[1] == "covers the pool"


def test_guessed_arms_are_chosen_by_the_posterior() -> None:
    spread = np.stack([ARM_OF_ROW, (ARM_OF_ROW + 1) % 12], axis=1).ravel()
    rows = Affiliation(
        np.arange(0, spread.size + 1, 2), spread, np.tile([0.7, 0.3], ARM_OF_ROW.size)
    )
    guessed = Candidates(np.arange(ARM_OF_ROW.size), rows)
    choice = VarianceReduction().choose(fitted(NONE), guessed, 2, np.random.default_rng(0))
    assert all(reason.startswith("cuts") for reason in choice.reason)


def test_one_service_speaks_for_all_before_labels() -> None:
    surface, some = fitted(NONE), candidates(NONE)
    alone = VarianceReduction().choose(surface, some, 12, np.random.default_rng(0))
    both = VarianceReduction().choose_shared(
        [surface, surface], [some, some], 12, np.random.default_rng(0)
    )
    assert both.positions.tolist() == alone.positions.tolist()


@pytest.mark.parametrize("most_kinds", [1024, 6])
def test_a_part_of_the_kinds_is_no_end_of_the_space(most_kinds: int) -> None:
    strategy = VarianceReduction(most_kinds=most_kinds)
    choice = strategy.choose(fitted(NONE), candidates(NONE), 6, np.random.default_rng(0))
    codes = SPACE.codes(ARM_OF_ROW[choice.positions])
    assert all(np.unique(codes[:, k]).size >= 2 for k in range(2))


def with_strata() -> CellPosterior:
    cells = np.arange(24)
    support = Support(SPACE, STRATA, cells, np.full(24, 15.0))
    labelled = np.where(cells == 3, 2.0, 0.0)
    return CellPosterior(
        support, cells / 24.0, cells / 9.0, cells / 5.0, labelled, lambda r, c: np.zeros((1, 1))
    )


def test_before_labels_arms_are_alike_and_near_ones_go_together() -> None:
    blind = before_labels(with_strata())
    every = np.arange(12)
    K = blind.covariance(every, every)
    np.testing.assert_allclose(K, K.T)
    np.testing.assert_allclose(np.diag(K), blind.variance)
    assert np.linalg.eigvalsh(K).min() > 0.0
    assert np.unique(blind.label_variance).size == 1
    assert not blind.labelled.any()
    np.testing.assert_array_equal(blind.support.arm_size, np.full(12, 30.0))
    # From the first arm on: the next b, the one after it, and another a as well are farther.
    near = [K[0, arm] for arm in (0, 1, 2, 6)]
    assert near == sorted(near, reverse=True)
    assert len(set(near)) == 4


def test_labels_that_were_seen_come_after_those_on_their_way() -> None:
    some = Candidates(np.arange(2), Affiliation.exact([0, 1]), pending=Affiliation.exact([7]))
    assert with_labelled(some, with_strata()).pending.indices.tolist() == [7, 1, 1]


def test_strata_come_up_as_often_as_the_pool_has_them() -> None:
    # A fifth of each arm's rows has low confidence.
    cell_of_row = 2 * ARM_OF_ROW + (np.arange(ARM_OF_ROW.size) % 5 > 0)
    support = Support.count(SPACE, STRATA, cell_of_row)
    observed = Observations.exact(support, [], [], [], [])
    surface = build_estimator("anova-gp").fit(observed, np.random.default_rng(0))
    some = Candidates(np.arange(cell_of_row.size), Affiliation.exact(cell_of_row), 2)
    low = [
        np.mean(cell_of_row[choice.positions] % 2 == 0)
        for choice in (
            VarianceReduction().choose(surface, some, 48, np.random.default_rng(seed))
            for seed in range(10)
        )
    ]
    assert np.mean(low) == pytest.approx(0.2, abs=0.055)  # three standard errors of 480 rows


@pytest.mark.parametrize("estimator", ["anova-gp", "beta-independent"])
def test_labels_on_their_way_count_with_strata_too(estimator: str) -> None:
    cell_of_row = 2 * ARM_OF_ROW + np.arange(ARM_OF_ROW.size) % 2
    support = Support.count(SPACE, STRATA, cell_of_row)
    observed = Observations.exact(support, [], [], [], [])
    surface = build_estimator(estimator).fit(observed, np.random.default_rng(0))
    six = np.arange(6) * ROWS_PER_ARM
    free = np.setdiff1d(np.arange(cell_of_row.size), six)
    waiting = Affiliation.exact(cell_of_row[six])
    some = Candidates(free, Affiliation.exact(cell_of_row[free]), 2, waiting)
    choice = VarianceReduction().choose(surface, some, 6, np.random.default_rng(5))
    assert set(ARM_OF_ROW[free[choice.positions]]) == set(range(6, 12))
