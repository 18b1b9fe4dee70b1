from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.tasks.celeba_files import ATTRIBUTES, LABEL, Split, read_faces, train_logits


def write_list(folder: Path, *lines: str) -> Path:
    (folder / "celeba").mkdir()
    (folder / "celeba" / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")
    return folder


def test_the_list_is_read_by_name_of_attribute(faces_data: Path) -> None:
    faces = read_faces(faces_data)
    assert faces.gold.shape == (len(faces.names), 12) == (300, 12)
    lines = (faces_data / "celeba/list_attr_celeba.txt").read_text().splitlines()
    columns, first = lines[1].split(), lines[2].split()[1:]
    for name, holds in zip(ATTRIBUTES, faces.gold[0], strict=True):
        assert holds == (first[columns.index(name)] == "1")


def test_a_list_as_csv_is_the_same_list(faces_data: Path, tmp_path: Path) -> None:
    lines = (faces_data / "celeba/list_attr_celeba.txt").read_text().splitlines()
    table = ["image_id," + ",".join(lines[1].split()), *(",".join(x.split()) for x in lines[2:])]
    (tmp_path / "celeba").mkdir()
    (tmp_path / "celeba/list_attr_celeba.csv").write_text("\r\n".join(table) + "\r\n")
    ours, theirs = read_faces(tmp_path), read_faces(faces_data)
    assert ours.names == theirs.names
    np.testing.assert_array_equal(ours.gold, theirs.gold)


def test_a_malformed_line_of_a_csv_is_named(tmp_path: Path) -> None:
    (tmp_path / "celeba").mkdir()
    text = f"image_id,{','.join(ATTRIBUTES)}\n000001.jpg,1,0,1\n"
    (tmp_path / "celeba/list_attr_celeba.csv").write_text(text)
    with pytest.raises(InputError, match=r"line 2 of list_attr_celeba\.csv.*12 values"):
        read_faces(tmp_path)


def test_the_label_is_one_of_the_attributes() -> None:
    assert LABEL in ATTRIBUTES
    assert len(set(ATTRIBUTES)) == 12


def test_the_papers_split_is_the_shuffle_of_seed_zero() -> None:
    train, pool = Split().of(202_599)
    assert (train.size, pool.size) == (50_000, 100_000)
    np.random.seed(0)
    order = np.random.permutation(202_599)
    np.testing.assert_array_equal(np.concatenate([train, pool]), order[:150_000])


def test_the_pool_ends_with_the_images_and_may_not_be_empty() -> None:
    train, pool = Split(n_train=3, n_pool=100).of(10)
    assert sorted([*train, *pool]) == list(range(10))
    with pytest.raises(InputError, match="must leave images for the pool; got 10 of 10"):
        Split(n_train=10).of(10)


def test_an_image_that_is_listed_must_exist(tmp_path: Path) -> None:
    marks = " ".join(["1"] * 12)
    faces = read_faces(write_list(tmp_path, "1", " ".join(ATTRIBUTES), f"000001.jpg {marks}"))
    with pytest.raises(InputError, match=r"got none at .*000001\.jpg"):
        faces.paths(np.array([0]))


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    write_list(tmp_path, "1", " ".join(ATTRIBUTES), "000001.jpg 1 0 1")
    with pytest.raises(InputError, match="line 3 of list_attr_celeba"):
        read_faces(tmp_path)


def test_an_attribute_that_is_not_listed_is_named(tmp_path: Path) -> None:
    write_list(tmp_path, "0", " ".join(ATTRIBUTES[1:]))
    with pytest.raises(UnknownNameError, match="got 'Black_Hair'"):
        read_faces(tmp_path)


@dataclass
class Recorder:
    """A classifier that notes what it was shown and answers with the share of ones."""

    trained_on: list[Path] = field(default_factory=list)
    share: float = 0.0

    def fit(self, paths: Sequence[Path], labels: IntArray) -> None:
        self.trained_on, self.share = list(paths), float(labels.mean())

    def logits(self, paths: Sequence[Path]) -> FloatArray:
        assert not set(paths) & set(self.trained_on)
        return np.full((len(paths), 2), self.share)


def test_each_attribute_has_a_classifier_that_never_saw_the_pool(faces_data: Path) -> None:
    faces, split = read_faces(faces_data), Split(n_train=40, n_pool=30)
    made: list[Recorder] = []

    def make() -> Recorder:
        made.append(Recorder())
        return made[-1]

    logits = train_logits(faces, split, make)
    train, pool = split.of(len(faces.names))
    assert list(logits) == list(ATTRIBUTES)
    for k, (classifier, name) in enumerate(zip(made, ATTRIBUTES, strict=True)):
        assert classifier.trained_on == faces.paths(train)
        expected = np.full((pool.size, 2), faces.gold[train, k].mean())
        np.testing.assert_array_equal(logits[name], expected)
