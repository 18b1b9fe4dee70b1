"""The labels of COCO-Stuff that the animal tasks use: ten animals and five coarse backgrounds.

A pixel map holds the label's number less one; 255 is a pixel without a label. The 91 kinds of
stuff are numbered in the order of the alphabet. They are collapsed as in the paper's appendix:
water is sea and river, as its table has it; the others follow the data set's own hierarchy: sky,
ground with solid and plant, structural with building, and furniture with window, floor, ceiling,
wall and raw material. Food, textile and the rest of water belong to no background.
"""

from collections.abc import Mapping

__all__ = ["ANIMALS", "BACKGROUNDS", "PIXELS_OF_BACKGROUND", "PIXEL_OF_ANIMAL"]

ANIMALS = (
    "bird",
    "cat",
    "dog",
    "horse",
    "sheep",
    "cow",
    "elephant",
    "bear",
    "zebra",
    "giraffe",
)

BACKGROUNDS: Mapping[str, tuple[str, ...]] = {
    "water": ("river", "sea"),
    "ground": (
        *("dirt", "gravel", "ground-other", "mud", "pavement", "platform", "playingfield"),
        *("railroad", "road", "sand", "snow"),
        *("hill", "mountain", "rock", "solid-other", "stone", "wood"),
        *("branch", "bush", "flower", "grass", "leaves", "moss", "plant-other", "straw", "tree"),
    ),
    "sky": ("clouds", "sky-other"),
    "structure": (
        *("cage", "fence", "net", "railing", "structural-other"),
        *("bridge", "building-other", "house", "roof", "skyscraper", "tent"),
    ),
    "furniture": (
        *("cabinet", "counter", "cupboard", "desk-stuff", "door-stuff", "furniture-other"),
        *("light", "mirror-stuff", "shelf", "stairs", "table"),
        *("window-blind", "window-other", "cardboard", "metal", "paper", "plastic"),
        *("carpet", "floor-marble", "floor-other", "floor-stone", "floor-tile", "floor-wood"),
        *("ceiling-other", "ceiling-tile", "wall-brick", "wall-concrete", "wall-other"),
        *("wall-panel", "wall-stone", "wall-tile", "wall-wood"),
    ),
}
"""Each coarse background and the fine labels that it is made of."""

_NO_BACKGROUND = (
    *("food-other", "fruit", "salad", "vegetable"),
    *("banner", "blanket", "cloth", "clothes", "curtain", "mat", "napkin", "pillow", "rug"),
    *("textile-other", "towel"),
    *("fog", "water-other", "waterdrops"),
)
_STUFF = sorted((*_NO_BACKGROUND, *(name for fine in BACKGROUNDS.values() for name in fine)))
_FIRST_ANIMAL, _FIRST_STUFF = 15, 91
"""Pixel values of bird and of banner, the first kind of stuff: labels 16 and 92, less one."""

PIXEL_OF_ANIMAL: Mapping[str, int] = {name: _FIRST_ANIMAL + k for k, name in enumerate(ANIMALS)}
PIXELS_OF_BACKGROUND: Mapping[str, tuple[int, ...]] = {
    coarse: tuple(_FIRST_STUFF + _STUFF.index(name) for name in fine)
    for coarse, fine in BACKGROUNDS.items()
}
