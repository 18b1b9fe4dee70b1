"""``mf-celeba`` and ``mf-imdb``: is the person on the photograph male? The paper's faces.

Twelve binary attributes of CelebA (4,096 arms) are guessed by one classifier each, trained on the
first 50,000 images of the paper's shuffle; the next 100,000 are the pool. The label is the
attribute Male, which is therefore known once a row is labelled. The two tasks differ in the
service: ``mf-celeba`` is trained on CelebA itself, ``mf-imdb`` elsewhere.

Logits are read from ``<data>/celeba/attributes.npz`` (one array of shape (images, 2) per
attribute) and ``<data>/celeba/<task>.npz`` (one array ``Male``), or made by classifiers that are
given instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import softmax

from accuracy_assay.runtime.arrays import BoolArray, FloatArray
from accuracy_assay.tasks.task import Task
from assay_bench.tasks.celeba_files import (
    ATTRIBUTES,
    LABEL,
    MakeClassifier,
    Split,
    read_faces,
    train_logits,
)
from assay_bench.tasks.image_classifier import ImageClassifier, load_logits

__all__ = ["mf_celeba", "mf_imdb"]


_PAPERS = Split()


def mf_celeba(
    data: Path | None,
    n_train: int = _PAPERS.n_train,
    n_pool: int = _PAPERS.n_pool,
    seed: int = _PAPERS.seed,
    *,
    make_classifier: MakeClassifier | None = None,
    service: ImageClassifier | None = None,
) -> Task:
    """Return the task whose service was trained on CelebA.

    Parameters
    ----------
    data
        Folder that holds ``celeba``.
    n_train, n_pool, seed
        How many images train and how many are the pool, and the seed of their shuffle; those of
        the paper by default.
    make_classifier
        Makes an untrained classifier, once per attribute; without it their logits are read.
    service
        A trained classifier of Male. Without it its logits are read or, where
        ``make_classifier`` is given, those of the classifier of Male are taken.
    """
    split = Split(n_train, n_pool, seed)
    return _faces_task("mf-celeba", data, make_classifier, service, split)


def mf_imdb(
    data: Path | None,
    n_train: int = _PAPERS.n_train,
    n_pool: int = _PAPERS.n_pool,
    seed: int = _PAPERS.seed,
    *,
    make_classifier: MakeClassifier | None = None,
    service: ImageClassifier | None = None,
) -> Task:
    """Return the task whose service was trained elsewhere, in the paper on IMDB-Wiki.

    Parameters are those of ``mf_celeba``, but the service is never trained here: it is given, or
    its logits are read.
    """
    split = Split(n_train, n_pool, seed)
    return _faces_task("mf-imdb", data, make_classifier, service, split)


def _faces_task(
    name: str,
    data: Path | None,
    make_classifier: MakeClassifier | None,
    service: ImageClassifier | None,
    split: Split,
) -> Task:
    faces = read_faces(data)
    _, pool = split.of(len(faces.names))
    names = [faces.names[i] for i in pool]
    if make_classifier is None:
        attributes = load_logits(faces.folder / "attributes.npz", names, ATTRIBUTES)
    else:
        attributes = train_logits(faces, split, make_classifier)
    if service is not None:
        answer = service.logits(faces.paths(pool))
    elif make_classifier is not None and name == "mf-celeba":
        answer = attributes[LABEL]
    else:
        answer = load_logits(faces.folder / f"{name}.npz", names, [LABEL])[LABEL]
    return Task(
        name=name,
        description="Faces of CelebA: is the person male? Attributes guessed from the photograph.",
        rows=_rows(names, faces.gold[pool], attributes, answer),
        attributes=ATTRIBUTES,
        kinds=dict.fromkeys(ATTRIBUTES, "boolean"),
        y_true="label",
        y_pred="service_pred",
        evidence={attribute: f"p_{attribute}__*" for attribute in ATTRIBUTES},
        signals=("service_confidence",),
        from_label=(LABEL,),
        services={name: "service_pred"},
    )


def _rows(
    names: list[str],
    gold: BoolArray,
    attributes: Mapping[str, FloatArray],
    answer: FloatArray,
) -> pl.DataFrame:
    probability = softmax(answer, axis=1)
    predicted = probability[:, 1] > probability[:, 0]
    label = gold[:, ATTRIBUTES.index(LABEL)]
    evidence = {}
    for name, logits in attributes.items():
        guess = softmax(logits, axis=1)
        evidence[f"p_{name}__false"], evidence[f"p_{name}__true"] = guess[:, 0], guess[:, 1]
    return pl.DataFrame(
        {
            "id": names,
            **{name: gold[:, k] for k, name in enumerate(ATTRIBUTES)},
            "label": label,
            "service_pred": predicted,
            "service_confidence": probability.max(axis=1),
            "correct": (predicted == label).astype(np.int64),
            **evidence,
        }
    )
