import numpy as np
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.study.watch.slices import OVERALL, slice_weights, watched_slices

SPACE = AttributeSpace((Attribute("a", ("x", "y", "z")), Attribute("b", ("p", "q"))))
CODES = np.array([[i % 3, (i // 3) % 2] for i in range(180)])


def test_the_whole_values_and_pairs_are_watched() -> None:
    names = [each.name for each in watched_slices(SPACE, CODES, 2)[0]]
    assert names[:6] == [OVERALL, "a = x", "a = y", "a = z", "b = p", "b = q"]
    assert names[6] == "a = x and b = p"
    assert len(names) == 12
    assert len(watched_slices(SPACE, CODES, 1)[0]) == 6


def test_weights_go_by_size_and_add_up_to_one() -> None:
    codes = np.concatenate([CODES, np.tile([0, 0], (60, 1))])
    slices, _ = watched_slices(SPACE, codes, 1)
    weights = dict(zip([each.name for each in slices], slice_weights(slices, codes), strict=True))
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["a = x"] == pytest.approx(2.0 * weights["a = y"])


def test_more_values_take_nothing_from_a_slice_of_the_same_size() -> None:
    def weight(n_values: int) -> float:
        values = tuple(str(k) for k in range(n_values))
        space = AttributeSpace((Attribute("a", values),))
        codes = np.concatenate([np.zeros(500), 1 + np.arange(500) % (n_values - 1)])
        codes = codes.astype(int)[:, None]
        slices, _ = watched_slices(space, codes, 1)
        return float(slice_weights(slices, codes)[1])

    assert weight(20) == pytest.approx(weight(2))


def test_small_slices_and_the_same_rows_again_are_left_out() -> None:
    codes = np.concatenate([CODES[CODES[:, 0] < 2], [[2, 0]]])
    slices, thin = watched_slices(SPACE, codes, 1)
    assert "a = z" not in [each.name for each in slices]
    assert thin == 1
    nested = np.array([[i % 2, i % 2] for i in range(100)])
    assert len(watched_slices(SPACE, nested, 2)[0]) == 3


def test_a_slice_holds_the_rows_with_its_values() -> None:
    slices, _ = watched_slices(SPACE, CODES, 2)
    frame = SPACE.frame(SPACE.arm_index(CODES))
    for each in slices:
        wanted = [all(row[k] == v for k, v in each.where.items()) for row in frame.to_dicts()]
        assert each.holds(CODES).tolist() == wanted
