"""Figures that the paper prints, to stand beside ours.

Errors are MSE times 100, but for those of the simple setting, which are sums over its ten arms.

Source: Piratla, Chakrabarti and Sarawagi, NeurIPS 2021, table 2, and the appendices on the
Beta's parameters, on the statistics of the surfaces and on the simple setting. The
appendix prints the worst MSE of MF-CelebA and MF-IMDB the other way round; here they are as in
table 2.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

__all__ = [
    "ACTIVE_ARMS",
    "MACRO",
    "PARAMETERISATION",
    "SIMPLE_SETTING",
    "TASKS",
    "WORST",
    "SimpleRow",
    "compare_order",
]

TASKS = ("ac-cocos10k", "ac-cocos", "mf-imdb", "mf-celeba")

MACRO: Mapping[str, tuple[float, ...]] = {
    "constant": (5.4, 3.2, 1.2, 5.2),
    "beta-independent": (7.0, 4.3, 1.6, 4.7),
    "bern-gp": (7.0, 3.5, 1.7, 4.9),
    "beta-gp": (7.1, 3.3, 2.2, 4.6),
    "beta-gp-sl": (5.3, 2.8, 1.4, 4.1),
    "beta-gp-slp": (4.7, 2.8, 1.4, 4.3),
}
"""Macro MSE at 2,000 random labels by method, over ``TASKS``."""

WORST: Mapping[str, tuple[float, ...]] = {
    "constant": (15.0, 9.4, 8.2, 35.9),
    "beta-independent": (15.6, 10.0, 8.4, 30.3),
    "bern-gp": (13.2, 8.6, 7.6, 28.1),
    "beta-gp": (14.3, 7.9, 6.6, 25.9),
    "beta-gp-sl": (11.7, 6.8, 4.4, 22.6),
    "beta-gp-slp": (10.4, 5.7, 3.9, 23.3),
}
"""Worst MSE at 2,000 random labels by method, over ``TASKS``."""

PARAMETERISATION: Mapping[str, Mapping[int, tuple[str, str]]] = {
    "mf-celeba": {
        1_000: ("5.4 ± 0.5", "6.6 ± 0.1"),
        2_000: ("4.6 ± 0.8", "6.2 ± 0.1"),
        3_500: ("4.6 ± 0.3", "6.1 ± 0.1"),
    },
    "ac-cocos": {
        1_000: ("3.7 ± 0.2", "5.6 ± 0.6"),
        2_000: ("3.3 ± 0.2", "4.8 ± 0.1"),
        3_500: ("3.2 ± 0.2", "5.2 ± 0.4"),
    },
}
"""Macro MSE of BetaGP and BetaGP-ab by labels."""

ACTIVE_ARMS: Mapping[str, tuple[int, int]] = {"CelebA": (4_096, 398), "COCO-Stuff": (320, 176)}
"""Arms, and those with at least five rows."""


class SimpleRow(NamedTuple):
    """A method's row of both tables of the simple setting."""

    bias2: float
    variance: float
    mse: float
    length: float
    scales: tuple[float, ...]


SIMPLE_SETTING: Mapping[str, SimpleRow] = {
    "beta-gp": SimpleRow(
        0.052,
        1.011,
        1.063,
        0.67,
        (10.33, 10.88, 11.37, 11.73, 11.92, 11.91, 11.72, 11.34, 10.85, 10.29),
    ),
    "beta-gp-sl": SimpleRow(
        0.051,
        1.010,
        1.061,
        0.68,
        (1.49, 1.42, 1.59, 9.64, 10.40, 10.42, 9.58, 1.59, 1.42, 1.49),
    ),
    "beta-gp-slp": SimpleRow(
        0.095,
        0.221,
        0.316,
        1.87,
        (1.72, 1.63, 1.92, 9.63, 10.38, 10.27, 9.48, 1.93, 1.53, 1.62),
    ),
}
"""The simple setting of the appendix: error, length of f and scale of each of the ten arms."""


def compare_order(ours: Mapping[str, float]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return our methods of the paper from best to worst, and the pairs that it orders otherwise.

    Parameters
    ----------
    ours
        Macro MSE by method; methods that the paper does not print are left out.

    Returns
    -------
    ranking, differing
        ``differing`` holds (better here, worse here) where the paper finds the second one better
        on more of its four tasks than the first.
    """
    ranking = sorted((m for m in ours if m in MACRO), key=lambda method: ours[method])
    pairs = combinations(ranking, 2)
    return ranking, [(a, b) for a, b in pairs if _wins(b, a) > _wins(a, b)]


def _wins(first: str, second: str) -> int:
    pairs: Sequence[tuple[float, float]] = list(zip(MACRO[first], MACRO[second], strict=True))
    return sum(a < b for a, b in pairs)
