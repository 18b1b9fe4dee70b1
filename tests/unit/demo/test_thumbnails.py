"""PNG bytes hold the pixels they were made from."""

from io import BytesIO

import numpy as np
from PIL import Image

from accuracy_assay.demo.thumbnails import encode_png, pick_examples


def test_png_decodes_to_the_same_pixels(rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (7, 5)).astype(np.uint8)
    decoded = Image.open(BytesIO(encode_png(image)))
    assert (decoded.format, decoded.mode, decoded.size) == ("PNG", "L", (5, 7))
    np.testing.assert_array_equal(np.asarray(decoded), image)


def test_a_view_into_other_pixels_is_encoded_as_it_looks(rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (8, 8)).astype(np.uint8)[::2, ::-1].T
    np.testing.assert_array_equal(np.asarray(Image.open(BytesIO(encode_png(image)))), image)


def test_examples_are_of_the_wanted_arm_and_at_most_as_many_as_asked() -> None:
    images = np.arange(5, dtype=np.uint8)[:, None, None] * np.ones((1, 2, 2), np.uint8)
    examples = pick_examples([7, 9], np.array([7, 8, 7, 7, 8]), images, count=2)
    assert examples[7] == (encode_png(255 - images[0]), encode_png(255 - images[2]))
    assert examples[9] == ()
