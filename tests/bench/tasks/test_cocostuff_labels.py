from assay_bench.tasks.cocostuff_labels import (
    ANIMALS,
    BACKGROUNDS,
    PIXEL_OF_ANIMAL,
    PIXELS_OF_BACKGROUND,
)

NUMBERED = {
    "water": ("sea", 154),
    "ground": ("tree", 168),
    "sky": ("clouds", 105),
    "structure": ("fence", 112),
    "furniture": ("table", 164),
}


def test_labels_have_the_numbers_of_the_data_set() -> None:
    assert (PIXEL_OF_ANIMAL["bird"], PIXEL_OF_ANIMAL["giraffe"]) == (15, 24)
    for coarse, (fine, pixel) in NUMBERED.items():
        assert PIXELS_OF_BACKGROUND[coarse][BACKGROUNDS[coarse].index(fine)] == pixel


def test_no_label_belongs_to_two_backgrounds() -> None:
    pixels = [p for fine in PIXELS_OF_BACKGROUND.values() for p in fine]
    assert len(pixels) == len(set(pixels)) == 73
    assert (min(pixels), max(pixels)) == (93, 181)  # branch and wood


def test_water_is_what_the_papers_table_names() -> None:
    assert set(BACKGROUNDS["water"]) == {"sea", "river"}


def test_animals_and_backgrounds_make_the_papers_320_arms() -> None:
    assert len(ANIMALS) * 2 ** len(BACKGROUNDS) == 320
