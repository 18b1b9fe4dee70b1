"""Laws of the image operations."""

import numpy as np
import pytest

from accuracy_assay.tasks.transforms import (
    Images,
    add_noise,
    change_stroke,
    cover,
    enlarge,
    rotate,
    shrink,
)


@pytest.fixture
def images() -> Images:
    return np.random.default_rng(0).random((3, 16, 16), dtype=np.float32)


def test_strength_zero_changes_nothing(images: Images) -> None:
    zero = np.zeros(3)
    rng = np.random.default_rng(1)
    np.testing.assert_allclose(rotate(images, zero), images, atol=1e-6)
    np.testing.assert_array_equal(change_stroke(images, zero), images)
    np.testing.assert_array_equal(cover(images, zero, zero), images)
    np.testing.assert_array_equal(add_noise(images, zero, rng), images)


def test_right_angle_turns_clockwise(images: Images) -> None:
    turned = rotate(images, np.full(3, 90.0))
    expected = np.rot90(images[0], k=-1)
    np.testing.assert_allclose(turned[0, 1:-1, 1:-1], expected[1:-1, 1:-1], atol=1e-5)


def test_stroke_weight_orders_the_ink(images: Images) -> None:
    ink = [change_stroke(images, np.full(3, w)).sum() for w in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    assert ink == sorted(ink)
    assert len(set(ink)) == 5


def test_covered_rows_are_blank_and_the_others_untouched(images: Images) -> None:
    hidden = cover(images, np.full(3, 4.0), np.full(3, 2.0))
    assert not hidden[:, :4].any()
    assert not hidden[:, -2:].any()
    np.testing.assert_array_equal(hidden[:, 4:-2], images[:, 4:-2])


def test_noise_stays_in_the_range_of_ink(images: Images) -> None:
    noisy = add_noise(images, np.full(3, 2.0), np.random.default_rng(0))
    assert noisy.min() >= 0.0
    assert noisy.max() <= 1.0
    assert np.abs(noisy - images).mean() > 0.1


def test_shrink_undoes_enlarge_of_a_flat_image() -> None:
    flat = np.full((2, 8, 8), 0.25, np.float32)
    assert enlarge(flat).shape == (2, 16, 16)
    np.testing.assert_allclose(shrink(enlarge(flat)), flat, atol=1e-6)
