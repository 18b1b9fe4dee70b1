"""How the line of a method looks: a colour per estimator, dashes per strategy, ours the thickest.

One method looks the same in every figure. Calibrations have the colours of the paper's figure 5.
"""

from typing import Any

from accuracy_assay.registry import PRESETS

__all__ = ["is_ours", "is_peer", "line_style"]

_OURS = "anova-gp"
_PEERS = (
    "metric-frame",
    "structured-regression",
    "shrinkage",
    "eb-regression",
    "ppi",
    "stratified-ppi",
)

_COLOURS = {
    "constant": "#9a9a9a",
    "beta-independent": "#b8860b",
    "bern-gp": "#56b4e9",
    "beta-gp": "#0060a8",
    "beta-gp-ab": "#44aa99",
    "beta-gp-sl": "#1b9e4b",
    "beta-gp-slp": "#8e44ad",
    "aaa-2021": "#e377c2",
    "aaa-2021-code": "#6d5acf",
    "metric-frame": "#7f7f7f",
    "structured-regression": "#1f77b4",
    "shrinkage": "#2ca02c",
    "eb-regression": "#ff9f1c",
    "eb-regression+signals": "#a65e00",
    "anova-gp": "#e0301e",
    "anova-gp+signals": "#7a0c0c",
    "anova-gp+referees": "#ff7f50",
    "anova-gp+signals+referees": "#3b0a45",
}
_CALIBRATIONS = {"raw": "black", "temperature": "#1f4fd8", "full": "#d62728"}
_OTHERS = ("#17becf", "#bcbd22", "#8c564b", "#4e79a7", "#f28e2b", "#59a14f")
"""Colours of methods that have none of their own, in turn."""

_DASHES = {"random": ":", "largest-variance": (0, (5, 1.5))}
_PRESET_DASHES = (0, (3, 1, 1, 1))
_MARKERS = "os^Dv<>Ph"


def line_style(method: str, k: int) -> dict[str, Any]:
    """Return what matplotlib's ``plot`` takes for the line of ``method``, the k-th of its figure.

    Examples
    --------
    >>> line_style("beta-gp/random", 0)["linestyle"]
    ':'
    """
    rest, _, calibration = method.partition("@")
    estimator, _, strategy = rest.partition("/")
    own = _COLOURS.get(estimator, _OTHERS[k % len(_OTHERS)])
    return {
        "color": _CALIBRATIONS.get(calibration, own),
        "linestyle": _PRESET_DASHES if method in PRESETS else _DASHES.get(strategy, "-"),
        "linewidth": _width(estimator),
        "marker": _MARKERS[k % len(_MARKERS)],
        "zorder": (4 if estimator == _OURS else 3) if is_ours(method) else 2,
    }


def is_ours(method: str) -> bool:
    """Return whether a method is of this project's own estimator."""
    return method.startswith(_OURS)


def is_peer(method: str) -> bool:
    """Return whether a method is neither the paper's nor ours."""
    return method.startswith(_PEERS)


def _width(estimator: str) -> float:
    """Return points: with signals broader than without, since the two may lie on one another."""
    if not is_ours(estimator):
        return 1.4
    return 1.8 if estimator == _OURS else 2.8
