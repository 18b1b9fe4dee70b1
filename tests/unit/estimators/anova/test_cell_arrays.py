"""Cells as arrays: coded by arm, stratum and signal group."""

import numpy as np
import pytest
from anova_world import SPACE, STRATA

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.history import HISTORY
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.anova.cell_arrays import cell_arrays, to_layout
from accuracy_assay.runtime.precision import precision


def test_own_variance_is_inverse_to_the_arm_s_size_and_at_most_twice_the_typical() -> None:
    sizes = np.array([100.0] * 8 + [200.0, 50.0, 1.0])
    # Two arms at 200 and 50 leave the geometric mean at 100; the last is too small to be active.
    support = Support(SPACE, None, np.arange(11), sizes)
    with precision():
        own = np.asarray(cell_arrays(support, np.array([0, 8, 9, 10, 11])).own)
    np.testing.assert_allclose(own[:5], [1.0, 0.5, 2.0, 2.0, 1.0])
    np.testing.assert_array_equal(own[5:], 1.0)


def test_cells_are_coded_by_arm_stratum_and_signal_group() -> None:
    support = Support(SPACE, STRATA, np.arange(96), np.full(96, 10.0))
    with precision():
        arrays = cell_arrays(support, np.array([0, 7 * 8 + 6]))
    # Arms of equal make-up have equal means of both signals.
    np.testing.assert_array_equal(
        np.asarray(arrays.codes)[:2, :6], [[0, 0, 0, 0, 0, 0], [2, 1, 1, 2, 0, 0]]
    )
    assert np.asarray(arrays.arm)[:2].tolist() == [0, 7]
    assert np.asarray(arrays.group)[:2].tolist() == [0, 1]
    assert (np.asarray(arrays.codes)[2:] == -1).all()


def test_cells_follow_the_slope_of_a_signal_of_log_odds_at_equal_steps() -> None:
    edges = (-1.0, 0.0, 1.0)
    log_odds = AttributeSpace((Attribute("people", kind="log-odds", edges=edges),))
    found = []
    for strata in (log_odds, AttributeSpace((Attribute("x", kind="continuous", edges=edges),))):
        support = Support(SPACE, strata, np.arange(48), np.full(48, 10.0))
        with precision():
            found.append(cell_arrays(support, np.arange(4)).trend)
    step = np.diff(np.asarray(found[0])[:4, 0])
    assert step[0] > 0.0
    np.testing.assert_allclose(step, step[0])
    assert np.asarray(found[0])[:4].sum() == pytest.approx(0.0)  # the middles are symmetric
    assert found[1] is None


def test_cells_follow_the_logit_of_the_rank_of_a_history_alone() -> None:
    classes = tuple(f"class {k + 1}" for k in range(4))
    for name, is_followed in ((HISTORY, True), ("confidence", False)):
        strata = AttributeSpace((Attribute(name, classes, kind="ordinal"),))
        support = Support(SPACE, strata, np.arange(48), np.full(48, 10.0))
        with precision():
            found = cell_arrays(support, np.arange(4)).trend
        assert (found is not None) == is_followed
        if found is not None:
            wanted = [np.log(1 / 7), np.log(3 / 5), np.log(5 / 3), np.log(7.0)]
            np.testing.assert_allclose(np.asarray(found)[:4, 0], wanted, rtol=1e-6)


def test_the_layout_is_that_of_attributes_and_signals() -> None:
    layout = to_layout(Support(SPACE, STRATA, np.arange(2), np.ones(2)))
    assert layout.sizes == (4, 3, 2, 4, 12, 12)
    assert layout.ordered == (False, False, False, True, True, True)
    assert (layout.n_attributes, layout.n_groups, layout.n_means) == (2, 2, 2)
