"""The pool's cells: counted and merged."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support, over_cells
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError

SPACE = AttributeSpace((Attribute("sex", ("F", "M")), Attribute("age", (1, 2, 3))))
STRATA = AttributeSpace((Attribute("says", ("no", "yes")),))


def test_equal_cells_are_counted_once() -> None:
    support = Support.count(SPACE, STRATA, [11, 3, 3, 2], [1.0, 2.0, 0.5, 1.0])
    assert support.cells.tolist() == [2, 3, 11]
    assert support.size.tolist() == [1.0, 2.5, 1.0]
    assert support.arms.tolist() == [1, 5]
    assert support.arm_of_cell.tolist() == [0, 0, 1]
    assert support.arm_size.tolist() == [3.5, 1.0]
    assert support.size_of(np.array([0, 1, 5])).tolist() == [0.0, 3.5, 1.0]


def test_a_typical_arm_is_one_of_those_with_five_rows() -> None:
    support = Support(SPACE, None, np.arange(4), np.array([5.0, 45.0, 4.0, 0.01]))
    assert support.is_active.tolist() == [True, True, False, False]
    assert support.typical_arm_size == pytest.approx(15.0)
    assert Support(SPACE, None, np.arange(2), np.array([1.0, 4.0])).typical_arm_size == 2.0
    assert Support.count(SPACE, None, []).typical_arm_size == 1.0


def test_arms_are_classed_by_their_mean_of_a_signal() -> None:
    # Of arm 0 no row says yes, of arm 1 half, of arm 2 all do; the space has further arms.
    support = Support(SPACE, STRATA, np.array([0, 2, 3, 5]), np.array([8.0, 4.0, 4.0, 2.0]))
    assert support.averaged_signals == (0,)
    assert support.signal_levels[:, 0].tolist() == [0, 6, 11]
    assert support.signal_levels_of(np.array([2, 5, 0]))[:, 0].tolist() == [11, 6, 0]


def test_only_signals_in_order_or_of_two_classes_have_a_mean() -> None:
    strata = AttributeSpace(
        (
            Attribute("class", ("a", "b", "c")),
            Attribute("sure", ("low", "mid", "high"), kind="ordinal"),
            Attribute("speaker", ("p", "q", "r"), kind="cluster"),
        )
    )
    support = Support(SPACE, strata, np.arange(27), np.ones(27))
    assert support.averaged_signals == (1,)
    assert support.signal_levels.shape == (1, 1)
    assert Support(SPACE, None, np.arange(3), np.ones(3)).signal_levels.shape == (3, 0)


def test_merging_the_strata_keeps_the_arms() -> None:
    merged = Support.count(SPACE, STRATA, [2, 3, 11]).without_signals()
    assert merged.n_strata == 1
    assert merged.cells.tolist() == [1, 5]
    assert merged.size.tolist() == [2.0, 1.0]


def test_rows_over_arms_become_rows_over_cells() -> None:
    rows = Affiliation(np.array([0, 2, 3]), np.array([0, 4, 5]), np.array([0.5, 0.5, 1.0]))
    cells = over_cells(rows, STRATA, np.array([1, 0]))
    assert cells.indices.tolist() == [1, 9, 10]
    assert over_cells(rows, None, None) is rows


def test_a_small_space_lists_every_arm_and_a_huge_one_those_of_the_pool() -> None:
    assert Support.count(SPACE, None, [4]).listed_arms.tolist() == list(range(6))
    huge = AttributeSpace(tuple(Attribute(f"a{k}", tuple(range(10))) for k in range(9)))
    assert Support.count(huge, None, [10**9 - 1, 7]).listed_arms.tolist() == [7, 10**9 - 1]


def test_labelled_cells_exist_even_where_the_pool_leaves_them_out() -> None:
    support = Support.count(SPACE, None, [0, 0, 0, 2]).with_at_least(np.array([5, 0]), [2.0, 1.0])
    assert support.cells.tolist() == [0, 2, 5]
    assert support.size.tolist() == [3.0, 1.0, 2.0]


def test_an_empty_support_has_no_rows_anywhere() -> None:
    assert Support.count(SPACE, None, []).size_of(np.arange(3)).tolist() == [0.0, 0.0, 0.0]


def test_cells_that_no_integer_can_number_are_refused() -> None:
    wide = AttributeSpace(tuple(Attribute(f"a{k}", ("x", "y")) for k in range(61)))
    strata = AttributeSpace((Attribute("s", (1, 2, 3, 4)),))
    with pytest.raises(InputError, match=r"arms times strata must stay below 2\^63; got"):
        Support.count(wide, strata, [0])


def test_cells_and_sizes_go_together() -> None:
    with pytest.raises(InputError, match=r"one shape; got \(2,\), \(1,\)"):
        Support(SPACE, None, np.array([0, 1]), np.array([1.0]))


def test_clusters_are_no_signals() -> None:
    speaker = Attribute("speaker", ("ann", "bo", "cy"), kind="cluster")
    support = Support.count(SPACE, AttributeSpace((*STRATA.attributes, speaker)), [0, 1, 2])
    assert support.n_strata == 6
    assert support.n_clusters == 3
    assert support.signals == STRATA.attributes
    assert Support.count(SPACE, STRATA, [0]).n_clusters == 1


def test_clusters_are_merged_and_signals_stay() -> None:
    speaker = Attribute("speaker", ("ann", "bo", "cy"), kind="cluster")
    strata = AttributeSpace((*STRATA.attributes, speaker))
    merged = Support.count(SPACE, strata, [0, 1, 2, 3, 3, 7]).without_clusters()
    assert (merged.n_clusters, merged.strata) == (1, STRATA)
    np.testing.assert_array_equal(merged.cells, [0, 1, 2])
    np.testing.assert_array_equal(merged.size, [3.0, 2.0, 1.0])
    assert merged.without_clusters() is merged
    alone = Support.count(SPACE, AttributeSpace((speaker,)), [0, 2, 3])
    assert alone.without_clusters().strata is None


def test_an_arm_of_very_many_clusters_is_refused() -> None:
    speaker = AttributeSpace((Attribute("speaker", tuple(range(6_000)), kind="cluster"),))
    Support.count(SPACE, speaker, np.arange(3_000, 9_000))  # half of them in each of two arms
    with pytest.raises(InputError, match=r"5,001 in .*'age': 2.*Group clusters"):
        Support.count(SPACE, speaker, np.append(np.arange(6_000, 11_001), 0))
