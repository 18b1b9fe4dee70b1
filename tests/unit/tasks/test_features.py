"""Laws of the numbers that describe an image."""

import numpy as np
import pytest

from accuracy_assay.tasks.features import describe
from accuracy_assay.tasks.transforms import Images


@pytest.fixture
def images() -> Images:
    return np.random.default_rng(0).random((3, 16, 16), dtype=np.float32)


def test_features_are_finite_also_for_a_blank_image(images: Images) -> None:
    features = describe(np.concatenate([images, np.zeros((1, 16, 16), np.float32)]))
    assert features.shape == (4, 64 + 16 + 12 + 9)
    assert np.isfinite(features).all()


def test_gradient_directions_see_a_horizontal_bar() -> None:
    bar = np.zeros((1, 16, 16), np.float32)
    bar[:, 6:10] = 1.0
    directions = describe(bar)[0, 80:92]
    assert directions.argmax() == 6
    assert directions[6] == pytest.approx(1.0, abs=1e-4)


def test_every_image_is_described_alone(images: Images) -> None:
    np.testing.assert_allclose(describe(images)[1:2], describe(images[1:2]), rtol=1e-5)


def test_directions_turn_with_the_image() -> None:
    bar = np.zeros((1, 16, 16), np.float32)
    bar[:, :, 6:10] = 1.0
    assert describe(bar)[0, 80:92].argmax() == 0
