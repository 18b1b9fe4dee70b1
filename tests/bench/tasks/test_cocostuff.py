"""The whole animals task on tiny pixel maps in COCO-Stuff's own layout."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.tasks.registry import load_task
from assay_bench.tasks.cocostuff import read_map, see
from assay_bench.tasks.cocostuff_labels import ANIMALS, PIXEL_OF_ANIMAL

SEA, TREE, CLOUDS, FENCE, TABLE, TOWEL = 154, 168, 105, 112, 164, 167
STUFF = {"water": SEA, "ground": TREE, "sky": CLOUDS, "structure": FENCE, "furniture": TABLE}
UNLABELLED = 255
N_IMAGES = 240


def scene(animals: dict[str, int], stuff: list[int]) -> np.ndarray:
    """A map of 8 x 8 pixels: animals with their areas, one row for each kind of stuff."""
    pixels = np.full(64, UNLABELLED, dtype=np.uint8)
    start = 0
    for name, area in animals.items():
        pixels[start : start + area] = PIXEL_OF_ANIMAL[name]
        start += area
    for row, value in enumerate(stuff):
        pixels[64 - 4 * (row + 1) : 64 - 4 * row] = value
    return pixels.reshape(8, 8)


def save(path: Path, pixels: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels.astype(np.uint8)).save(path)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images with one animal, some with two or none, and a service that errs on a fifth."""
    root = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(3)
    for i in range(N_IMAGES):
        part = "train2017" if i % 4 else "val2017"
        animal = ANIMALS[int(rng.integers(3))]
        stuff = [value for value in STUFF.values() if rng.random() < 0.5]
        shown = {animal: 10}
        if i % 20 == 7:
            shown = {}
        if i % 20 == 11:
            shown = {"zebra": 6, "giraffe": 6}
        save(root / f"cocostuff/annotations/{part}/{i:012d}.png", scene(shown, stuff))
        answer = animal if rng.random() < 0.8 else "bear"
        found = [value for value in stuff if rng.random() < 0.9]
        drawn = scene({answer: 9, "cow": 4}, found)
        save(root / f"cocostuff/ac-cocos/{part}/{i:012d}.png", drawn)
    return root


def test_a_scene_ranks_animals_by_area_and_collapses_stuff() -> None:
    seen = see(scene({"cat": 3, "dog": 9}, [SEA, TOWEL, FENCE]).astype(np.int64))
    assert seen.animals == ("dog", "cat")
    assert seen.backgrounds == {"water", "structure"}


def test_only_images_with_a_single_animal_are_kept(data: Path) -> None:
    task = load_task("ac-cocos", data)
    assert task.n_rows == N_IMAGES - 2 * N_IMAGES // 20
    assert set(task.rows["animal"]) == {"bird", "cat", "dog"}


def test_the_whole_task_runs_on_saved_label_maps(data: Path) -> None:
    task = load_task("ac-cocos", data)
    assert 0.7 < task.rows["correct"].mean() < 0.9  # type: ignore[operator]
    found, absent = np.e / (np.e + 1 / np.e), (1 / np.e) / (np.e + 1 / np.e)
    assert set(task.rows["p_sky__true"].round(6)) == {round(found, 6), round(absent, 6)}
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
    assert history.surface.space.n_arms == 3 * 32


def test_every_animal_in_the_services_map_is_found(tmp_path: Path) -> None:
    for name, animals in (("a", {"dog": 9, "cat": 4}), ("b", {})):
        save(tmp_path / f"cocostuff/annotations/val2017/{name}.png", scene({"dog": 5}, []))
        save(tmp_path / f"cocostuff/ac-cocos/val2017/{name}.png", scene(animals, []))
    rows = load_task("ac-cocos", tmp_path).rows
    assert rows["service_pred"].to_list() == ["dog", "none"]
    odds = rows.select((pl.col(f"p_animal__{x}") / pl.col("p_animal__bird")) for x in ANIMALS)
    seen = [np.exp(2.0) if x in ("dog", "cat") else 1.0 for x in ANIMALS]
    np.testing.assert_allclose(odds.rows(), [seen, [1.0] * len(ANIMALS)])


def test_logits_name_the_nearest_animal_where_none_is_seen(tmp_path: Path) -> None:
    logits = np.zeros((182, 4, 4))
    logits[TREE] = 5.0
    logits[PIXEL_OF_ANIMAL["horse"], :3] = 2.0
    logits[PIXEL_OF_ANIMAL["sheep"], 3:] = 2.0
    np.save(tmp_path / "x.npy", logits)
    pixels, answer = read_map(tmp_path, "x")
    assert (pixels == TREE).all()
    assert answer == "horse"
    logits[PIXEL_OF_ANIMAL["cow"], 0, 0] = 9.0
    np.save(tmp_path / "x.npy", logits)
    assert read_map(tmp_path, "x")[1] == "cow"


def test_a_label_map_without_an_animal_answers_none(tmp_path: Path) -> None:
    save(tmp_path / "x.png", scene({}, [SEA]))
    assert read_map(tmp_path, "x")[1] == "none"


def test_what_is_missing_is_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Pass --data DIR"):
        load_task("ac-cocos", None)
    with pytest.raises(InputError, match="must hold cocostuff/annotations"):
        load_task("ac-cocos", tmp_path)
    with pytest.raises(InputError, match="must have a map of every image"):
        load_task("ac-cocos10k", data)
    np.save(tmp_path / "x.npy", np.zeros((10, 2, 2)))
    with pytest.raises(InputError, match="with more than 181 labels"):
        read_map(tmp_path, "x")
