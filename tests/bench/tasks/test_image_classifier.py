from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.linear_model import LogisticRegression

from accuracy_assay.errors import InputError
from assay_bench.tasks.image_classifier import (
    ImageClassifier,
    PixelClassifier,
    load_logits,
    save_logits,
)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Four images: two dark, two bright."""
    found = [tmp_path / f"{i}.png" for i in range(4)]
    for i, path in enumerate(found):
        Image.fromarray(np.full((6, 5), 20 if i < 2 else 200, np.uint8)).save(path)
    return found


def test_pixels_tell_dark_images_from_bright_ones(paths: list[Path]) -> None:
    classifier = PixelClassifier(LogisticRegression(), side_px=4)
    assert isinstance(classifier, ImageClassifier)
    classifier.fit(paths, np.array([0, 0, 1, 1]))
    logits = classifier.logits(paths)
    assert logits.argmax(axis=1).tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(np.exp(logits).sum(axis=1), 1.0)


def test_a_label_that_was_never_seen_has_a_finite_logit(paths: list[Path]) -> None:
    classifier = PixelClassifier(LogisticRegression(), side_px=4)
    classifier.fit(paths, np.array([0, 0, 2, 2]))
    logits = classifier.logits(paths)
    assert logits.shape == (4, 3)
    np.testing.assert_allclose(logits[:, 1], np.log(1e-6))


def test_logits_come_back_by_name_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "logits.npz"
    save_logits(path, ["a", "b", "c"], {"Male": np.arange(6.0).reshape(3, 2)})
    found = load_logits(path, ["c", "a"], ["Male"])["Male"]
    np.testing.assert_array_equal(found, [[4.0, 5.0], [0.0, 1.0]])


@pytest.mark.parametrize(
    ("names", "wanted", "message"),
    [
        (["a"], ["Young"], r"must hold 'Young'; got \['Male', 'names'\]"),
        (["a", "z"], ["Male"], "must have a row for every image; got none for 'z'"),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, names: list[str], wanted: list[str], message: str
) -> None:
    save_logits(tmp_path / "x.npz", ["a", "b"], {"Male": np.zeros((2, 2))})
    with pytest.raises(InputError, match=message):
        load_logits(tmp_path / "x.npz", names, wanted)


def test_logits_must_be_finite_and_the_file_must_exist(tmp_path: Path) -> None:
    save_logits(tmp_path / "x.npz", ["a"], {"Male": np.array([[np.nan, 0.0]])})
    with pytest.raises(InputError, match=r"must be finite numbers of shape \(1, values\)"):
        load_logits(tmp_path / "x.npz", ["a"], ["Male"])
    with pytest.raises(InputError, match=r"got no such file\. Write it with save_logits"):
        load_logits(tmp_path / "y.npz", ["a"], ["Male"])
