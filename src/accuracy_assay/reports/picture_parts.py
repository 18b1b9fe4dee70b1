"""What pictures of a surface are made of: boxes of a heat map, bars of intervals, one palette.

Colour fades where the interval is wide, so that only what is well supported stands out (after the
value-suppressing uncertainty palettes of Correll, Moritz and Heer, CHI 2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from accuracy_assay.reports.axis import WHOLE, Axis, axis_of
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.visible_text import visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

__all__ = [
    "BAD",
    "GOOD",
    "INK",
    "LINE",
    "MIDDLE",
    "RANGE",
    "SOFT",
    "STYLE",
    "draw_boxes",
    "draw_intervals",
    "framed",
    "heat_colour",
    "percent_axis",
    "quiet_axes",
    "short_name",
]

# Orange and blue stay apart for people who do not see red and green apart.
BAD, MIDDLE, GOOD = "#c4520b", "#f1efea", "#0a69ad"
INK, SOFT, LINE, RANGE = "#1d2329", "#5c6670", "#dddbd5", "#a9cdea"
_FITTING_CHARACTERS = 50
"""Of all names under the heat map together, that fit side by side at its width; found by eye."""
STYLE: Any = {
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "axes.edgecolor": LINE,
    "pdf.fonttype": 42,  # TrueType: publishers refuse the default, and text can be searched
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a name is a dollar
}
"""Settings of matplotlib; of type Any, since its own type lists every setting."""


@contextmanager
def framed(
    width: float, height: float, title: str, *, font_size: float = 10.0, legend_columns: int = 3
) -> Iterator[Figure]:
    """Yield an empty figure under a title, in inches; a legend of what was drawn is added."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.suptitle(title, x=0.012, ha="left", fontsize=font_size, fontweight="bold")
        yield figure
        figure.legend(loc="outside lower right", ncols=legend_columns, frameon=False, fontsize=8.5)


def percent_axis(axes: Axes, values: Iterable[float], overall: float, measure: str) -> None:
    """Zoom to some shares and draw the overall one among them, in per cent."""
    axis = axis_of([*values, overall])
    axes.axvline(100.0 * overall, color=SOFT, linewidth=0.9, zorder=0, label="overall")
    axes.set_xlim(100.0 * axis.low - 1.0, 100.0 * axis.high + 1.0)
    axes.set_xticks([100.0 * tick for tick in axis.ticks])
    axes.set_xlabel(f"{short_name(measure)}, %")


def draw_boxes(
    axes: Axes,
    boxes: Iterable[tuple[int, int, float, float, float]],
    rows: tuple[str, Sequence[str]],
    columns: tuple[str, Sequence[str]],
    overall: float,
    axis: Axis = WHOLE,
    *,
    is_error: bool = False,
) -> None:
    """Draw a heat map.

    Parameters
    ----------
    axes
        Where.
    boxes
        Row, column, mean, lower and upper end of each.
    rows, columns
        Name of the attribute and of its values.
    overall
        The accuracy at which colour changes.
    axis
        The scale of the small intervals under the numbers.
    is_error
        Whether the numbers are error rates, so lower is better.
    """
    for y, x, mean, lower, upper in boxes:
        width = upper - lower
        good = (1.0 - mean, width, 1.0 - overall) if is_error else (mean, width, overall)
        axes.add_patch(_box(x, y, heat_colour(*good)))
        axes.text(x, y - 0.08, f"{100 * mean:.0f}", ha="center", va="center", fontweight="bold")
        reach = np.array([0.0, 1.0]) * 0.7 + x - 0.35
        axes.plot(reach, [y + 0.3, y + 0.3], color=INK, alpha=0.18, linewidth=1.2)
        held = np.array([axis.at(lower), axis.at(upper)]) * 0.7 + x - 0.35
        axes.plot(held, [y + 0.3, y + 0.3], color=INK, alpha=0.8, linewidth=1.6)
    axes.set_xlim(-0.52, len(columns[1]) - 0.48)
    axes.set_ylim(len(rows[1]) - 0.48, -0.52)
    is_tight = max(map(len, columns[1])) * len(columns[1]) > _FITTING_CHARACTERS
    axes.set_xticks(range(len(columns[1])), columns[1], rotation=20 if is_tight else 0)
    axes.set_yticks(range(len(rows[1])), rows[1])
    axes.set_xlabel(columns[0])
    axes.set_ylabel(rows[0])
    worse, better = ("above", "below") if is_error else ("below", "above")
    axes.set_title(
        f"In %: orange {worse} {overall:.0%}, blue {better}, pale where unsure",
        fontsize=9.5,
        loc="left",
        color=SOFT,
    )
    quiet_axes(axes)


def draw_intervals(
    axes: Axes,
    names: Sequence[str],
    mean: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
) -> None:
    """Draw one line per name, from the top: a bar for the interval and a dot for the mean."""
    y = np.arange(len(names))
    axes.hlines(
        y, np.asarray(lower), np.asarray(upper), color=RANGE, linewidth=5.5, capstyle="round"
    )
    axes.plot(np.asarray(mean), y, "o", color=GOOD, markersize=5.5, label="estimate")
    axes.set_yticks(y, names, fontsize=8.0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    quiet_axes(axes)


def short_name(text: str, most: int = 44) -> str:
    """Return a name on one line, cut where it is longer than a picture has room for."""
    shown = visible_text(text, keep="")
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def quiet_axes(axes: Axes) -> None:
    """Take away the frame and the ticks."""
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def heat_colour(mean: float, width: float, overall: float) -> FloatArray:
    """Mix towards orange below the overall accuracy or blue above it, less where unsure."""
    from matplotlib.colors import to_rgb

    reach = overall if mean < overall else 1.0 - overall
    distance = min(abs(mean - overall) / reach, 1.0) if reach > 0.0 else 0.0
    strength = np.sqrt(distance) * max(0.0, 1.0 - width)
    end = np.asarray(to_rgb(BAD if mean < overall else GOOD))
    return np.asarray((1.0 - strength) * np.asarray(to_rgb(MIDDLE)) + strength * end)


def _box(x: int, y: int, colour: FloatArray) -> FancyBboxPatch:
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.08"
    return FancyBboxPatch(
        (x - 0.48, y - 0.48), 0.96, 0.96, boxstyle=style, facecolor=tuple(colour), linewidth=0
    )
