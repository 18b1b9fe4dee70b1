"""The whole faces task on a few hundred tiny images in CelebA's own layout."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.task import Task
from assay_bench.tasks.celeba import mf_celeba, mf_imdb
from assay_bench.tasks.celeba_files import ATTRIBUTES, Split, read_faces
from assay_bench.tasks.image_classifier import PixelClassifier, save_logits

N_IMAGES = 300
SIZES = {"n_train": 100, "n_pool": 180}
SPLIT = Split(**SIZES)


def small_classifier() -> PixelClassifier:
    return PixelClassifier(LogisticRegression(C=0.05, max_iter=500), side_px=12)


@pytest.fixture
def data(faces_data: Path, tmp_path: Path) -> Path:
    """The faces, in a folder that the test may write logits to."""
    (tmp_path / "celeba").mkdir()
    for path in (faces_data / "celeba").iterdir():
        (tmp_path / "celeba" / path.name).symlink_to(path)
    return tmp_path


@pytest.fixture(scope="module")
def trained(faces_data: Path) -> Task:
    return mf_celeba(faces_data, make_classifier=small_classifier, **SIZES)


def test_the_whole_task_runs_with_a_small_classifier(trained: Task) -> None:
    task = trained
    assert task.n_rows == 180
    assert 0.6 < task.rows["correct"].mean() < 1.0  # type: ignore[operator]
    for name in ATTRIBUTES:
        guess = task.rows[f"p_{name}__true"] > 0.5
        assert (guess == task.rows[name]).mean() > 0.6  # type: ignore[operator]
    history = aa.simulate(
        task.rows,
        task.columns,
        estimator="beta-independent",
        strategy="random",
        calibration="raw",
        seed_size=60,
        budget=40,
        batch=40,
    )
    assert history.metrics["labels"].to_list() == [60, 100]
    assert history.surface.space.n_arms == 4_096


def test_no_pool_image_was_trained_on(faces_data: Path, trained: Task) -> None:
    faces = read_faces(faces_data)
    train, _ = SPLIT.of(N_IMAGES)
    assert not {faces.names[i] for i in train} & set(trained.rows["id"])


def test_precomputed_logits_stand_in_for_classifiers(data: Path) -> None:
    faces = read_faces(data)
    _, pool = SPLIT.of(N_IMAGES)
    names = [faces.names[i] for i in pool][::-1]  # any order of rows
    sure = np.where(faces.gold[pool[::-1], :, None] == [False, True], 4.0, -4.0)
    tables = {name: sure[:, k] for k, name in enumerate(ATTRIBUTES)}
    save_logits(data / "celeba" / "attributes.npz", names, tables)
    wrong = tables["Male"].copy()
    wrong[:18] *= -1.0
    save_logits(data / "celeba" / "mf-imdb.npz", names, {"Male": wrong})
    task = load_task("mf-imdb:n_train=100,n_pool=180", data)
    assert task.rows["correct"].sum() == 180 - 18
    assert ((task.rows["p_Smiling__true"] > 0.5) == task.rows["Smiling"]).all()


def test_a_service_from_elsewhere_may_be_an_object(data: Path) -> None:
    class AlwaysMale:
        def fit(self, paths: object, labels: object) -> None: ...

        def logits(self, paths: list[Path]) -> np.ndarray:
            return np.tile([0.0, 1.0], (len(paths), 1))

    task = mf_imdb(data, make_classifier=small_classifier, service=AlwaysMale(), **SIZES)
    np.testing.assert_array_equal(task.rows["correct"], task.rows["Male"].cast(int))


def test_what_is_missing_is_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Pass --data DIR"):
        load_task("mf-celeba", None)
    with pytest.raises(InputError, match=r"must hold celeba/list_attr_celeba\.txt"):
        load_task("mf-imdb", tmp_path / "celeba")
    with pytest.raises(InputError, match="must leave images for the pool; got 50000 of 300"):
        load_task("mf-celeba", data)
    zeros = dict.fromkeys(ATTRIBUTES, np.zeros((N_IMAGES, 2)))
    save_logits(data / "celeba" / "attributes.npz", read_faces(data).names, zeros)
    with pytest.raises(InputError, match=r"mf-celeba\.npz.*save_logits"):
        mf_celeba(data, **SIZES)
