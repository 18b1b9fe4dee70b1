"""The whole faces task on a few hundred tiny images in CelebA's own layout."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.linear_model import LogisticRegression

import accuracy_assay as aa
from accuracy_assay.errors import InputError, MissingExtraError
from accuracy_assay.tasks.celeba import mf_celeba, mf_imdb
from accuracy_assay.tasks.celeba_files import ATTRIBUTES, Split, read_faces
from accuracy_assay.tasks.image_classifier import PixelClassifier, save_logits
from accuracy_assay.tasks.registry import load_task
from accuracy_assay.tasks.resnet50 import ResNet50
from accuracy_assay.tasks.task import Task

N_IMAGES = 300
SPLIT = Split(n_train=100, n_pool=180)
OTHERS = ("5_o_Clock_Shadow", "Attractive")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CelebA in small: attribute k lights a patch of the face, through noise."""
    root = tmp_path_factory.mktemp("data")
    images = root / "celeba" / "img_align_celeba"
    images.mkdir(parents=True)
    rng = np.random.default_rng(5)
    kinds = rng.random((10, 12)) < np.linspace(0.3, 0.7, 12)
    gold = kinds[rng.integers(10, size=N_IMAGES)]  # few kinds of face, so that arms repeat
    columns = [OTHERS[0], *sorted(ATTRIBUTES), OTHERS[1]]
    lines = [str(N_IMAGES), " ".join(columns)]
    for i, row in enumerate(gold):
        face = rng.normal(90.0, 35.0, (16, 12))
        for k, holds in enumerate(row):
            face[4 * (k // 3) : 4 * (k // 3) + 4, 4 * (k % 3) : 4 * (k % 3) + 4] += 60.0 * holds
        name = f"{i + 1:06d}.jpg"
        Image.fromarray(np.clip(face, 0, 255).astype(np.uint8)).convert("RGB").save(images / name)
        known = dict(zip(ATTRIBUTES, row, strict=True))
        marks = ["1" if known.get(column, False) else "-1" for column in columns]
        lines.append(f"{name}  {'  '.join(marks)}")
    (root / "celeba" / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")
    return root


def small_classifier() -> PixelClassifier:
    return PixelClassifier(LogisticRegression(C=0.05, max_iter=500), side_px=12)


def test_the_list_is_read_by_name_of_attribute(data: Path) -> None:
    faces = read_faces(data)
    assert len(faces.names) == N_IMAGES
    assert faces.gold.shape == (N_IMAGES, 12)
    columns = (data / "celeba/list_attr_celeba.txt").read_text().splitlines()[1].split()
    first = (data / "celeba/list_attr_celeba.txt").read_text().splitlines()[2].split()[1:]
    for name, holds in zip(ATTRIBUTES, faces.gold[0], strict=True):
        assert holds == (first[columns.index(name)] == "1")


def test_the_papers_split_is_the_shuffle_of_seed_zero() -> None:
    train, pool = Split().of(202_599)
    assert (train.size, pool.size) == (50_000, 100_000)
    np.random.seed(0)
    order = np.random.permutation(202_599)
    np.testing.assert_array_equal(np.concatenate([train, pool]), order[:150_000])


@pytest.fixture(scope="module")
def trained(data: Path) -> Task:
    return mf_celeba(data, make_classifier=small_classifier, split=SPLIT)


def test_the_whole_task_runs_with_a_small_classifier(trained: Task) -> None:
    task = trained
    assert task.n_rows == 180
    assert 0.6 < task.rows["correct"].mean() < 1.0  # type: ignore[operator]
    for name in ATTRIBUTES:
        guess = task.rows[f"p_{name}__true"] > 0.5
        assert (guess == task.rows[name]).mean() > 0.6  # type: ignore[operator]
    history = aa.simulate(
        task.rows,
        **task.arguments(),
        estimator="beta-independent",
        strategy="random",
        calibration="raw",
        seed_size=60,
        budget=40,
        batch=40,
    )
    assert history.metrics["labels"].to_list() == [60, 100]
    assert history.surface.space.n_arms == 4_096


def test_no_pool_image_was_trained_on(data: Path, trained: Task) -> None:
    faces = read_faces(data)
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

    task = mf_imdb(data, make_classifier=small_classifier, service=AlwaysMale(), split=SPLIT)
    np.testing.assert_array_equal(task.rows["correct"], task.rows["Male"].cast(int))


def test_what_is_missing_is_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Pass --data DIR"):
        load_task("mf-celeba", None)
    with pytest.raises(InputError, match=r"must hold celeba/list_attr_celeba\.txt"):
        load_task("mf-imdb", tmp_path)
    with pytest.raises(InputError, match="must leave images for the pool; got 50000 of 300"):
        load_task("mf-celeba", data)
    zeros = dict.fromkeys(ATTRIBUTES, np.zeros((N_IMAGES, 2)))
    save_logits(data / "celeba" / "attributes.npz", read_faces(data).names, zeros)
    with pytest.raises(InputError, match=r"mf-celeba\.npz.*save_logits"):
        mf_celeba(data, split=SPLIT)


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "celeba"
    folder.mkdir()
    text = "1\n" + " ".join(ATTRIBUTES) + "\n000001.jpg 1 0 1\n"
    (folder / "list_attr_celeba.txt").write_text(text)
    with pytest.raises(InputError, match="line 3 of list_attr_celeba"):
        read_faces(tmp_path)


def test_resnet50_asks_for_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[vision\]"):
        ResNet50()
