import numpy as np
import pytest

from accuracy_assay.study.gate.labels_to_settle import labels_there, labels_to_settle


def settle(mean: list[float], reach: list[float], labels: float, pool: float | None = None):
    return labels_to_settle(np.array(mean), np.array(reach), np.array(reach), labels, pool)


def test_half_the_room_takes_four_times_the_labels() -> None:
    assert settle([0.04], [0.08], 200.0) == (600, True)
    assert settle([0.02], [0.08], 200.0) == (3_000, True)


def test_it_passes_when_the_last_place_is_sure() -> None:
    assert settle([0.04, 0.08], [0.08, 0.08], 200.0) == (600, True)


def test_it_fails_when_the_first_place_below_the_bar_is_sure() -> None:
    assert settle([-0.04, -0.02, 0.01], [0.08, 0.08, 0.08], 200.0) == (600, False)


def test_in_a_pool_fewer_labels_are_enough_and_never_more_than_it_has() -> None:
    found = settle([0.01], [0.08], 200.0, 1_000.0)
    assert found is not None
    assert found[0] < 800
    # 1/n' = 1/N + (1/n - 1/N) / 64
    assert 200 + found[0] == pytest.approx(1.0 / (1 / 1000 + (1 / 200 - 1 / 1000) / 64), rel=0.02)


@pytest.mark.parametrize("mean", [0.0, 0.001, -0.001])
def test_on_the_bar_no_number_of_labels_is_enough(mean: float) -> None:
    assert settle([mean], [0.08], 200.0) is None


def test_a_number_of_labels_has_two_digits() -> None:
    assert settle([0.03], [0.08], 777.0) == (4_700, True)


def test_without_a_label_nobody_can_tell() -> None:
    assert settle([0.04], [0.08], 0.0) is None


@pytest.mark.parametrize(("rows", "labels"), [(None, 300), ((10_000.0, 9_900.0), 290)])
def test_labels_in_one_slice_add_to_what_its_neighbours_tell(
    rows: tuple[float, float] | None, labels: int
) -> None:
    """A spread worth 100 labels halves with 300 more, and with fewer where rows run out."""
    variance = 0.16 / 100 * (1.0 if rows is None else 0.99)
    assert labels_there(-0.02, 0.04, variance, 0.16, rows) == labels


def test_labels_for_all_rows_of_a_slice_settle_it() -> None:
    assert labels_there(0.0, 0.04, 0.01, 0.16, (30.0, 24.0)) == 24
    assert labels_there(0.0001, 0.04, 0.01, 0.16, None) is None


def test_a_settled_slice_needs_no_label() -> None:
    assert labels_there(0.05, 0.04, 0.01, 0.16, None) is None
    assert labels_there(0.02, 0.04, 0.0, 0.16, (30.0, 0.0)) is None
