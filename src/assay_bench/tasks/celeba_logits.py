"""Attribute classifiers of faces: one per attribute is trained, and tells its logits of the pool.

This needs nothing but the images and a classifier, so that it can run on a machine with a GPU and
leave its logits for another.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.tasks.celeba_files import ATTRIBUTES, Faces, Split
from assay_bench.tasks.image_classifier import ImageClassifier

__all__ = ["MakeClassifier", "train_logits"]

MakeClassifier = Callable[[], ImageClassifier]


def train_logits(
    faces: Faces, split: Split, make_classifier: MakeClassifier
) -> dict[str, FloatArray]:
    """Train one classifier per attribute and return its logits of the pool, (n, 2) each."""
    train, pool = split.of(len(faces.names))
    known, unknown = faces.paths(train), faces.paths(pool)
    logits = {}
    for k, name in enumerate(ATTRIBUTES):
        classifier = make_classifier()
        classifier.fit(known, faces.gold[train, k].astype(np.int64))
        logits[name] = classifier.logits(unknown)
    return logits
