"""The verdict: how good the service is and where it fails, in words that can be repeated.

Every output that opens with a verdict takes it from here: `print(surface)`, the commands, the
page, the card, the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.measure import ACCURACY
from accuracy_assay.domain.slices import WeakSlice
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.picture_parts import short_name
from accuracy_assay.reports.report import Report
from accuracy_assay.runtime.number_text import count_text
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["share_text", "verdict"]

_NAMED = 2
"""Weak slices in a verdict: nobody repeats a third."""
_WORTH_NAMING = 0.1
"""Rows that go wrong in a second slice, relative to the first: fewer are beside the point."""
_WIDEST = 0.1
"""Width of an interval above which a verdict gives its ends: the middle would say too much."""


def verdict(report: Report) -> str:
    """Return a sentence on the whole, one on where it fails, one on what more labels would do.

    The slices with the most wrong rows are named. Those that rest on their neighbours
    (``is_thin``) are named only if there are no others. The last sentence is there once the fits
    of a session have shown how fast the error falls.

    Examples
    --------
    ``Right for 77% of these 24,000 rows. Fails most on rotation 50 (38%) and -50 (49%). Labelling
    about 200 more would cut the typical error of an arm from 6.3 to 4.5 points.``
    """
    sentences = (_whole(report.surface, report.overall), _weakest(report), _outlook(report))
    return " ".join(sentence for sentence in sentences if sentence)


def share_text(share: float) -> str:
    """Return a share as whole percent; with a decimal where that would say none or all.

    Examples
    --------
    >>> [share_text(x) for x in (0.774, 0.996, 1.0, 0.99999, 0.0004, 0.0)]
    ['77%', '99.6%', '100%', 'over 99.9%', 'under 0.1%', '0%']
    """
    if share in (0.0, 1.0) or 0.005 <= share < 0.995:
        return f"{share:.0%}"
    if share < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if share >= 0.9995 else f"{share:.1%}"


def _whole(surface: AccuracySurface, overall: Estimate) -> str:
    is_wide = overall.upper - overall.lower > _WIDEST
    ends = (overall.lower, overall.upper) if is_wide else (overall.mean,)
    figure = " to ".join(map(share_text, ends))
    trust = surface.label_trust
    is_open = trust is not None and not trust.is_verified
    rows = overall.about.removeprefix("of ") + (", going by unverified labels" if is_open else "")
    if surface.measure != ACCURACY:
        name = visible_text(surface.measure, keep="")
        return f"{name[:1].upper()}{name[1:]}: {figure} on {rows}."
    if _is_yes_or_no(surface):
        return f"Right for {figure} of {rows}."
    return f"Scores {figure} on average on {rows}."


def _outlook(report: Report) -> str:
    """Return what more labels would do; empty where fits have not shown it.

    Expected squared errors are times 100, so ten times the root is in points.
    """
    surface, more = report.surface, report.labels_to_halve
    if more is None or surface.expected_macro_mse is None:
        return ""
    if more > surface.support.sum() - surface.n_labels:
        return ""  # the pool has no such number of unlabelled rows
    now = 10.0 * math.sqrt(surface.expected_macro_mse)
    return (
        f"Labelling about {count_text(_rounded(more))} more would cut the typical error of an "
        f"arm from {now:.1f} to {now / math.sqrt(2.0):.1f} points."
    )


def _is_yes_or_no(surface: AccuracySurface) -> bool:
    """Return whether every score was 0 or 1, as far as the surface can say.

    Guessed attributes share a label among arms, so only an estimator knows then: its dispersion is
    exactly a coin's.
    """
    if "dispersion" in surface.details:
        return bool(surface.details["dispersion"] == 1.0)
    is_whole = np.array_equal(surface.n, np.round(surface.n))
    return not is_whole or np.array_equal(surface.correct, np.round(surface.correct))


def _weakest(report: Report) -> str:
    surface, found = report.surface, report.slices
    if not found:
        if not surface.tells_arms_apart:
            return "Too few labels to tell where it fails."
        is_searched = found.searched > 0
        return f"No slice is {'clearly weaker' if is_searched else 'large enough to look at'}."
    named = [part for part in found if not part.is_thin] or list(found)
    named = [part for part in named[:_NAMED] if part.wrong >= _WORTH_NAMING * named[0].wrong]
    is_failure = surface.measure == ACCURACY and _is_yes_or_no(surface)
    fails = "Fails most on" if is_failure else "Worst on"
    return f"{fails} {_join(named)}."


def _rounded(labels: float) -> int:
    """Return a forecast number of labels with two digits: it is no surer than that."""
    step = int(10 ** max(len(str(int(labels))) - 2, 0))
    return max(round(labels / step) * step, 1)


def _join(parts: Sequence[WeakSlice]) -> str:
    """Return slices with their figures; a second value of one attribute does not repeat it."""
    is_one = len({tuple(part.where) for part in parts}) == 1 and len(parts[0].where) == 1
    words = [
        f"{_words(part.where, is_bare=is_one and k > 0)} ({share_text(part.estimate.mean)})"
        for k, part in enumerate(parts)
    ]
    return " and ".join(words) if is_one else " and on ".join(words)


def _words(where: Mapping[str, object], *, is_bare: bool) -> str:
    """Return the values of a slice, each after its attribute unless they go without saying."""
    return ", ".join(
        short_name(str(value)) if is_bare else f"{short_name(name)} {short_name(str(value))}"
        for name, value in where.items()
    )
