"""Many signals made into one or two."""

import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.study.read.condense import (
    PREDICTED_CORRECTNESS,
    _held_out_score,
    condense,
    condense_strata,
    is_crowded,
    predict_score,
)

LEVELS = tuple("abcde")
SIGNALS = [
    *(Attribute(f"noise {k}", LEVELS, kind="ordinal") for k in range(4)),
    Attribute("judge", LEVELS, kind="ordinal"),
    Attribute("class", ("x", "y", "z")),
]
NOTHING = (np.arange(7), np.arange(0), np.zeros(0), np.zeros(0))
"""Seven rows and no label."""


@pytest.fixture
def world(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of 2,000 rows, their chance to be right, and whether they are."""
    codes = np.column_stack([rng.integers(0, a.size, 2_000) for a in SIGNALS])
    logit = 1.2 * (codes[:, 4] - 2) + 1.5 * (codes[:, 5] == 1)
    rate = 1.0 / (1.0 + np.exp(-logit))
    return codes, rate, (rng.random(2_000) < rate).astype(float)


def test_one_that_knows_every_error_is_kept_alone(rng: np.random.Generator) -> None:
    codes = np.column_stack([rng.integers(0, a.size, 500) for a in SIGNALS])
    right = (codes[:, 4] > 0).astype(float)
    kept, columns = condense(SIGNALS, codes, np.arange(100), right[:100], 1.0 - right[:100])
    assert [a.name for a in kept] == ["judge"]
    np.testing.assert_array_equal(columns[:, 0], codes[:, 4])


@pytest.fixture
def crowd(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Codes of 2,000 rows of which five signals say a little each, and whether they are right."""
    codes = np.column_stack([rng.integers(0, a.size, 2_000) for a in SIGNALS])
    logit = 1.0 * (codes[:, :5] - 2).sum(axis=1)
    return codes, (rng.random(2_000) < 1.0 / (1.0 + np.exp(-logit))).astype(float)


def test_a_score_is_kept_alone_where_many_signals_say_a_little_each(
    crowd: tuple[np.ndarray, ...],
) -> None:
    codes, right = crowd
    kept, _ = condense(SIGNALS, codes, np.arange(300), right[:300], 1.0 - right[:300])
    assert [a.name for a in kept] == [PREDICTED_CORRECTNESS]


def test_held_out_scores_are_the_same_in_whatever_order_rows_come(
    crowd: tuple[np.ndarray, ...], rng: np.random.Generator
) -> None:
    codes, right = crowd
    known, order = right[:300], rng.permutation(300)

    def scores(at: np.ndarray) -> np.ndarray:
        return _held_out_score(SIGNALS, codes, at, known[at], 1.0 - known[at], None)

    # Equal rows may swap their scores.
    np.testing.assert_allclose(np.sort(scores(order)), np.sort(scores(np.arange(300))), rtol=1e-5)


def test_a_score_that_learned_noise_is_dropped(rng: np.random.Generator) -> None:
    for _ in range(5):
        codes = np.column_stack([rng.integers(0, a.size, 400) for a in SIGNALS])
        right = (rng.random(200) < 0.8).astype(float)
        kept, _ = condense(SIGNALS, codes, np.arange(200), right, 1.0 - right)
        assert PREDICTED_CORRECTNESS not in [a.name for a in kept]


@pytest.mark.slow
def test_strata_cost_what_they_take_to_learn(rng: np.random.Generator) -> None:
    many = Attribute("many", tuple(map(str, range(50))))

    def keeps_many() -> bool:
        right = (rng.random(200) < 0.7).astype(float)
        codes = np.column_stack([rng.integers(0, 50, 200), rng.integers(0, 5, 200)])
        return many in condense([many, SIGNALS[0]], codes, np.arange(200), right, 1.0 - right)[0]

    # By fit alone fifty strata win each time, though neither signal tells a thing.
    assert sum(keeps_many() for _ in range(20)) < 10


def test_the_score_adds_up_what_the_signals_say(world: tuple[np.ndarray, ...]) -> None:
    codes, rate, right = world
    rows = np.arange(300)
    score = predict_score(SIGNALS, codes, rows, right[rows], 1.0 - right[rows])
    unseen = slice(300, None)
    together = np.corrcoef(score[unseen], rate[unseen])[0, 1]
    assert together > 0.9
    assert together > np.corrcoef(codes[unseen, 4], rate[unseen])[0, 1]


def test_rows_of_equal_signals_share_a_class(crowd: tuple[np.ndarray, ...]) -> None:
    codes, right = crowd
    codes[:50] = codes[0]
    rows = np.arange(200)
    kept, columns = condense(SIGNALS, codes, rows, right[rows], 1.0 - right[rows])
    assert kept[-1].name == PREDICTED_CORRECTNESS
    assert kept[-1].is_ordered
    assert (columns[:50] == columns[0]).all()
    assert columns[:, -1].max() + 1 == kept[-1].size <= 8


def test_classes_rise_with_the_rate_and_are_finest_where_it_is_unsure(
    world: tuple[np.ndarray, ...],
) -> None:
    codes, rate, right = world
    _, columns = condense(SIGNALS, codes, np.arange(2_000), right, 1.0 - right)
    means = [rate[columns[:, -1] == level].mean() for level in range(columns[:, -1].max() + 1)]
    assert np.all(np.diff(means) > 0.0)
    sizes = np.bincount(columns[:, -1])
    assert sizes[-1] > 1.5 * sizes[len(sizes) // 2]


def test_labels_that_are_all_alike_leave_the_single_signal(
    world: tuple[np.ndarray, ...],
) -> None:
    codes, *_ = world
    rows = np.arange(30)
    kept, columns = condense(SIGNALS, codes, rows, np.ones(30), np.zeros(30))
    assert len(kept) == 1
    assert columns.shape == (2_000, 1)


def test_a_row_of_several_labels_counts_as_often(world: tuple[np.ndarray, ...]) -> None:
    codes, _, right = world
    rows = np.arange(100)
    once = predict_score(SIGNALS, codes, rows, 3.0 * right[rows], 3.0 * (1.0 - right[rows]))
    thrice = np.tile(rows, 3)
    again = predict_score(SIGNALS, codes, thrice, right[thrice], 1.0 - right[thrice])
    np.testing.assert_allclose(once, again, atol=1e-3)


def test_a_row_that_stands_for_several_counts_as_all_of_them(
    crowd: tuple[np.ndarray, ...],
) -> None:
    codes, right = crowd
    strata = AttributeSpace(tuple(SIGNALS))
    stratum = strata.arm_index(codes)
    rows = np.arange(200)
    says = (right[rows], 1.0 - right[rows])
    space, of_row = condense_strata(strata, stratum, rows, *says)
    once, place, count = np.unique(stratum, return_inverse=True, return_counts=True)
    again, of_stratum = condense_strata(strata, once, place[rows], *says, count.astype(float))
    assert space == again
    assert of_row is not None
    assert of_stratum is not None
    np.testing.assert_array_equal(of_stratum[place], of_row)


def test_clusters_do_not_make_signals_many() -> None:
    clusters = Attribute("who", tuple(map(str, range(300))), kind="cluster")
    assert not is_crowded(AttributeSpace((*SIGNALS[:3], clusters)))
    assert is_crowded(AttributeSpace((*SIGNALS[:4], clusters)))
    assert condense_strata(AttributeSpace(tuple(SIGNALS)), *NOTHING) == (None, None)
