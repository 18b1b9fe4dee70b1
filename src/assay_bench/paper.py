"""Figures that the paper prints, to stand beside ours.

Errors are MSE times 100, but for those of the simple setting, which are sums over its ten arms.

Source: Piratla, Chakrabarti and Sarawagi, NeurIPS 2021, table 2, and the appendices on the
Beta's parameters, on the statistics of the surfaces, on deviations and more metrics, and on the
simple setting. The appendix prints the rows MF-CelebA and MF-IMDB of its worst MSE the other way
round than table 2; here they are as in table 2. Its table of infrequent MSE names its rows in the
same order and is read likewise.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

__all__ = [
    "ACTIVE_ARMS",
    "METRICS",
    "PARAMETERISATION",
    "SIMPLE_SETTING",
    "TABLES",
    "TASKS",
    "Printed",
    "SimpleRow",
    "compare_order",
]

TASKS = ("ac-cocos10k", "ac-cocos", "mf-imdb", "mf-celeba")


class Printed(NamedTuple):
    """An error as the appendix prints it: mean and standard deviation of three runs."""

    mean: float
    sd: float


def _row(*numbers: float) -> tuple[Printed, ...]:
    """Return mean and deviation, in turn, as one entry per task."""
    return tuple(map(Printed, numbers[::2], numbers[1::2]))


_MACRO: Mapping[str, tuple[Printed, ...]] = {
    "constant": _row(5.4, 0.2, 3.2, 0.1, 1.2, 0.0, 5.2, 0.1),
    "beta-independent": _row(7.0, 0.6, 4.3, 0.3, 1.6, 0.1, 4.7, 0.2),
    "bern-gp": _row(7.0, 0.7, 3.5, 0.3, 1.7, 0.2, 4.9, 0.4),
    "beta-gp": _row(7.1, 0.3, 3.3, 0.2, 2.2, 0.2, 4.6, 0.8),
    "beta-gp-sl": _row(5.3, 0.2, 2.8, 0.0, 1.4, 0.1, 4.1, 0.1),
    "beta-gp-slp": _row(4.7, 0.1, 2.8, 0.1, 1.4, 0.1, 4.3, 0.1),
}
_WORST: Mapping[str, tuple[Printed, ...]] = {
    "constant": _row(15.0, 0.8, 9.4, 0.4, 8.2, 0.2, 35.9, 0.6),
    "beta-independent": _row(15.6, 0.3, 10.0, 0.4, 8.4, 0.7, 30.3, 1.2),
    "bern-gp": _row(13.2, 2.2, 8.6, 0.7, 7.6, 1.3, 28.1, 2.7),
    "beta-gp": _row(14.3, 3.0, 7.9, 0.9, 6.6, 0.7, 25.9, 2.7),
    "beta-gp-sl": _row(11.7, 1.7, 6.8, 0.5, 4.4, 0.6, 22.6, 1.4),
    "beta-gp-slp": _row(10.4, 1.5, 5.7, 0.5, 3.9, 0.7, 23.3, 2.3),
}
_MICRO: Mapping[str, tuple[Printed, ...]] = {
    "constant": _row(3.0, 0.0, 1.4, 0.0, 0.2, 0.0, 0.8, 0.0),
    "beta-independent": _row(3.4, 0.2, 1.8, 0.2, 0.3, 0.1, 0.7, 0.1),
    "bern-gp": _row(3.6, 0.2, 1.6, 0.1, 0.2, 0.0, 0.7, 0.1),
    "beta-gp": _row(3.5, 0.1, 1.6, 0.1, 0.3, 0.0, 0.7, 0.2),
    "beta-gp-sl": _row(3.2, 0.1, 1.7, 0.1, 0.3, 0.1, 0.9, 0.1),
    "beta-gp-slp": _row(3.3, 0.4, 2.1, 0.3, 0.8, 0.1, 1.2, 0.1),
}
_INFREQUENT: Mapping[str, tuple[Printed, ...]] = {
    "constant": _row(7.3, 0.3, 4.0, 0.1, 2.9, 0.0, 11.7, 0.2),
    "beta-independent": _row(11.8, 1.5, 6.9, 1.2, 2.8, 0.0, 11.3, 0.3),
    "bern-gp": _row(10.8, 1.9, 4.8, 0.3, 3.3, 1.2, 11.4, 0.6),
    "beta-gp": _row(12.4, 0.1, 4.9, 0.3, 3.9, 0.4, 11.0, 0.7),
    "beta-gp-sl": _row(7.3, 0.2, 3.8, 0.1, 3.2, 0.2, 9.3, 1.1),
    "beta-gp-slp": _row(6.4, 0.4, 3.8, 0.3, 2.9, 0.3, 9.4, 0.6),
}

TABLES: Mapping[str, Mapping[str, tuple[Printed, ...]]] = {
    "macro_mse": _MACRO,
    "worst_mse": _WORST,
    "micro_mse": _MICRO,
    "infrequent_mse": _INFREQUENT,
}
"""Errors at 2,000 random labels by metric and method, over ``TASKS``."""

METRICS = tuple(TABLES)

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


def compare_order(
    ours: Mapping[str, float], metric: str = "macro_mse"
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return our methods of the paper from best to worst, and the pairs that it orders otherwise.

    Parameters
    ----------
    ours
        Error by method; methods that the paper does not print are left out.
    metric
        Which error it is.

    Returns
    -------
    ranking, differing
        ``differing`` holds (better here, worse here) where the paper finds the second one better
        on more of its four tasks than the first.
    """
    ranking = sorted((m for m in ours if m in TABLES[metric]), key=lambda method: ours[method])
    pairs = [(a, b) for a, b in combinations(ranking, 2) if ours[a] < ours[b]]
    return ranking, [(a, b) for a, b in pairs if _wins(metric, b, a) > _wins(metric, a, b)]


def _wins(metric: str, first: str, second: str) -> int:
    table = TABLES[metric]
    pairs: Sequence[tuple[Printed, Printed]] = list(zip(table[first], table[second], strict=True))
    return sum(a.mean < b.mean for a, b in pairs)
