from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray
from assay_bench.tasks.celeba_files import ATTRIBUTES, Split, read_faces
from assay_bench.tasks.celeba_logits import train_logits

SPLIT = Split(n_train=40, n_pool=30)


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
    faces = read_faces(faces_data)
    made: list[Recorder] = []

    def make() -> Recorder:
        made.append(Recorder())
        return made[-1]

    logits = train_logits(faces, SPLIT, make)
    train, pool = SPLIT.of(len(faces.names))
    assert list(logits) == list(ATTRIBUTES)
    for k, (classifier, name) in enumerate(zip(made, ATTRIBUTES, strict=True)):
        assert classifier.trained_on == faces.paths(train)
        expected = np.full((pool.size, 2), faces.gold[train, k].mean())
        np.testing.assert_array_equal(logits[name], expected)
