"""PNG bytes hold the pixels they were made from."""

from io import BytesIO

import numpy as np
from matplotlib.image import imread

from accuracy_assay.reports.thumbnails import encode_png, pick_examples


def test_png_decodes_to_the_same_pixels() -> None:
    image = np.random.default_rng(0).integers(0, 256, (7, 5)).astype(np.uint8)
    decoded = imread(BytesIO(encode_png(image)), format="png")
    np.testing.assert_array_equal(np.round(255 * decoded).astype(np.uint8), image)


def test_examples_are_of_the_wanted_arm_and_at_most_as_many_as_asked() -> None:
    images = np.arange(5, dtype=np.uint8)[:, None, None] * np.ones((1, 2, 2), np.uint8)
    examples = pick_examples([7, 9], np.array([7, 8, 7, 7, 8]), images, count=2)
    assert examples[7] == (encode_png(255 - images[0]), encode_png(255 - images[2]))
    assert examples[9] == ()
