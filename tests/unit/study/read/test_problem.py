"""The one way from rows to observations and candidates, against counts by hand."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.problem import Problem

SPACE = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("age", ("young", "old"))))
STRATA = AttributeSpace((Attribute("sure", ("no", "so-so", "yes")),))
# Arms of the rows: 0, 0, 1, 3, 3, 3 and, behind the pool, 2 and 0.
CODES = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1], [1, 0], [0, 0]])
STRATUM = np.array([0, 2, 1, 2, 2, 0, 1, 1])
N_POOL = 6


def exact(strata: bool = False, **options: object) -> Problem:
    arms = Arms.exact(SPACE, CODES, N_POOL)
    signals = (STRATA, STRATUM) if strata else (None, None)
    return Problem.build(arms, *signals, **options)  # type: ignore[arg-type]


def test_the_support_counts_the_pool_alone() -> None:
    support = exact().support
    assert support.arms.tolist() == [0, 1, 3]
    assert support.arm_size.tolist() == [2.0, 1.0, 3.0]
    assert support.is_pool
    assert not exact(is_pool=False).support.is_pool


def test_a_cell_is_an_arm_with_its_stratum() -> None:
    support = exact(strata=True).support
    cells = dict(zip(support.cells.tolist(), support.size.tolist(), strict=True))
    assert cells == {0: 1.0, 2: 1.0, 3 + 1: 1.0, 9 + 2: 2.0, 9: 1.0}
    assert support.n_strata == 3
    assert support.arm_size.tolist() == [2.0, 1.0, 3.0]


def test_rows_of_a_table_are_the_pool_with_their_signals_as_strata() -> None:
    names = {"sex": np.array(["f", "m"]), "age": np.array(["young", "old"])}
    rows = pl.DataFrame(
        {name: values[CODES[:N_POOL, k]] for k, (name, values) in enumerate(names.items())}
        | {"sure": [STRATA.attributes[0].values[k] for k in STRATUM[:N_POOL]]}
    )
    plain, with_signals = Problem.of_rows(SPACE, rows), Problem.of_rows(SPACE, rows, ["sure"])
    assert plain.support.arm_size.tolist() == exact().support.arm_size.tolist()
    assert plain.support.n_strata == 1
    assert sorted(with_signals.support.size) == sorted(exact(strata=True).support.size)


def test_a_row_may_stand_for_several() -> None:
    support = exact(count=np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).support
    assert support.arm_size.tolist() == [3.0, 3.0, 15.0]


def test_observations_equal_a_hand_count() -> None:
    rows, scores = np.array([0, 1, 3, 5]), np.array([1.0, 0.5, 0.0, 1.0])
    seen = exact().observe(rows, scores, prior_strength=0.25)
    assert seen.affiliation.indices.tolist() == [0, 3]
    assert seen.count.tolist() == [2.0, 2.0]
    assert seen.score.tolist() == [1.5, 1.0]
    assert seen.score_sq.tolist() == [1.25, 1.0]
    assert seen.prior_strength == 0.25


def test_observations_with_signals_equal_a_hand_count() -> None:
    seen = exact(strata=True).observe(np.array([0, 1, 3, 4]), np.array([1.0, 0.0, 1.0, 0.0]))
    found = zip(seen.affiliation.indices.tolist(), seen.count, seen.score, strict=True)
    assert sorted(found) == [(0, 1.0, 1.0), (2, 1.0, 0.0), (11, 2.0, 1.0)]
    counts = seen.per_arm()
    assert (counts.arms.tolist(), counts.n.tolist()) == ([0, 3], [2.0, 2.0])
    assert counts.correct.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("strata", [False, True])
def test_sums_of_equal_rows_say_what_the_rows_say(strata: bool) -> None:
    rows, scores = np.array([3, 3, 4, 0, 3]), np.array([1.0, 0.5, 0.25, 1.0, 0.0])
    one_by_one = exact(strata).observe(rows, scores)
    summed = exact(strata).observe_sums(
        np.array([3, 4, 0]), [3, 1, 1], [1.5, 0.25, 1.0], [1.25, 0.0625, 1.0]
    )
    for name in ("count", "score", "score_sq"):
        np.testing.assert_array_equal(getattr(summed, name), getattr(one_by_one, name))
    np.testing.assert_array_equal(summed.affiliation.indices, one_by_one.affiliation.indices)
    np.testing.assert_array_equal(summed.support.cells, one_by_one.support.cells)
    np.testing.assert_array_equal(summed.support.size, one_by_one.support.size)


def test_a_pool_that_lacks_labelled_rows_keeps_their_labels() -> None:
    seen = exact().observe(np.array([0, 1, 6, 7]), np.ones(4))
    assert seen.n_labels == 4.0
    size = dict(zip(seen.support.arms.tolist(), seen.support.arm_size.tolist(), strict=True))
    assert size == {0: 3.0, 1: 1.0, 2: 1.0, 3: 3.0}
    summed = exact().observe_sums(np.array([6]), [4], [2.0], [2.0])
    assert summed.support.size_of(np.array([2])).tolist() == [4.0]


def test_a_pool_that_holds_all_labelled_rows_stays_as_it_is() -> None:
    problem = exact()
    assert problem.observe(np.arange(N_POOL), np.ones(N_POOL)).support is problem.support
    assert problem.observe(np.arange(0), np.ones(0)).support is problem.support


def test_arms_that_the_label_showed_take_the_place_of_the_rows_own() -> None:
    seen = exact().observe(np.array([0, 1]), np.ones(2), Affiliation.exact([3, 2]))
    assert seen.affiliation.indices.tolist() == [2, 3]


def test_one_score_per_row() -> None:
    with pytest.raises(InputError, match=r"one score per instance, shape \(2,\); got \(3,\)"):
        exact().observe(np.array([0, 1]), np.ones(3))


@pytest.mark.parametrize("strata", [False, True])
def test_candidates_are_the_named_rows_over_cells(strata: bool) -> None:
    free = np.array([5, 2, 0])
    candidates = exact(strata).candidates(free)
    assert candidates.instances.tolist() == [5, 2, 0]
    assert candidates.n_strata == (3 if strata else 1)
    expected = [9 + 0, 3 + 1, 0 + 0] if strata else [3, 1, 0]
    assert candidates.affiliation.indices.tolist() == expected
    assert candidates.pending.n_rows == 0
    waiting = exact(strata).candidates(free, np.array([4, 1])).pending
    assert waiting.indices.tolist() == ([9 + 2, 0 + 2] if strata else [3, 0])


def test_guessed_rows_share_their_weight_and_leave_the_support_alone() -> None:
    tie = np.array([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]])
    evidence = Evidence(SPACE, (tie, np.array([0, 0, 1])))
    unknown = np.full((3, 2), -1)
    arms = Arms.read(evidence, unknown, 3, lambda: uncalibrated(SPACE))
    problem = Problem.build(arms, STRATA, np.array([0, 0, 2]))
    support = dict(zip(problem.support.cells.tolist(), problem.support.size, strict=True))
    assert support == {0: 1.5, 6: 0.5, 3 + 2: 0.5, 9 + 2: 0.5}
    seen = problem.observe(np.array([0, 2]), np.array([1.0, 0.0]))
    assert seen.support is problem.support
    counts = seen.per_arm()
    assert (counts.arms.tolist(), counts.n.tolist()) == ([0, 1, 2, 3], [0.5] * 4)
    assert counts.correct.tolist() == [0.5, 0.0, 0.5, 0.0]


def crowded(rng: np.random.Generator, n: int = 400) -> tuple[Problem, np.ndarray]:
    """Return a problem of four signals and a cluster, and the scores of its rows."""
    levels = tuple(map(str, range(5)))
    signals = [Attribute(f"judge {k}", levels, kind="ordinal") for k in range(4)]
    strata = AttributeSpace((*signals, Attribute("who", ("ann", "bob"), kind="cluster")))
    codes = np.column_stack([*(rng.integers(0, 5, n) for _ in signals), rng.integers(0, 2, n)])
    arms = Arms.exact(SPACE, rng.integers(0, 2, (n, 2)), n)
    problem = Problem.build(arms, strata, strata.arm_index(codes), count=np.full(n, 2.0))
    return problem, (rng.random(n) < 0.1 + 0.2 * codes[:, 2]).astype(float)


def test_many_signals_become_one_or_two_and_clusters_stay(rng: np.random.Generator) -> None:
    problem, scores = crowded(rng)
    rows = np.arange(150)
    made = problem.condensed(rows, scores[rows])
    assert made.support.signals[0].name == "judge 2"
    assert len(made.support.signals) <= 2
    assert made.support.n_clusters == 2
    np.testing.assert_array_equal(made.support.arm_size, problem.support.arm_size)
    seen = made.observe(rows, scores[rows])
    assert seen.count.sum() == 150
    assert made.candidates(np.arange(150, 400)).n_strata == made.support.n_strata


def test_without_a_label_many_signals_are_none(rng: np.random.Generator) -> None:
    problem, _ = crowded(rng)
    made = problem.condensed(np.zeros(0, dtype=np.int64), [])
    assert made.support.signals == ()
    assert made.support.n_clusters == 2


def test_few_signals_stay_as_they_are() -> None:
    problem = exact(strata=True)
    assert problem.condensed(np.array([0, 1]), [1.0, 0.0]) is problem
    assert exact().condensed(np.array([0]), [1.0]).strata is None
