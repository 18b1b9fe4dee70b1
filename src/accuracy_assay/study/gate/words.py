"""What a check found, in words.

A probability is said only where it was found to be calibrated (``docs/how-to/gate-a-release.md``
has the counts): of one accuracy, or one loss. That all of several slices hold is doubted a little
by each unsure one, and gaps are often smaller than their posterior allows. There the likeliest
places are named instead, with their own intervals.
"""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.reports.checks import Finding, Verdict
from accuracy_assay.runtime.number_text import count_text, points_text
from accuracy_assay.study.gate.margins import Margins
from accuracy_assay.study.gate.requirement import Requirement

__all__ = ["better_places", "places", "remarks_on", "says"]

_SHOWN_SLICES = 5
"""Most slices listed in words; findings have more."""
_SURE, _UNSURE = 0.995, 0.005
"""Beyond these, probabilities are "more than 99%" and "less than 1%": some hundred draws cannot
say more."""


def says(
    asked: Requirement,
    margins: Margins,
    verdict: Verdict,
    chance: float | None,
    findings: Sequence[Finding],
    more: tuple[int, bool] | None,
    *,
    is_unverified: bool = False,
    is_by_judge: bool = False,
) -> str:
    """Return the finding in one or two sentences."""
    if verdict == "fail":
        return _failure(asked, margins, findings)
    first = _slice(findings[0], margins)
    of_all = f"{margins.count(margins.is_shown):,} {margins.noun}"
    sure = f"{100.0 * asked.confidence:.6g}% confidence"
    if chance is not None:
        found = f"{first}; holds with {_probability(chance)}"
    elif margins.count(margins.is_shown) == 1:
        found = f"{first}; holds with {sure}" if verdict == "pass" else first
    elif verdict == "pass":
        found = f"all {of_all} hold together with {sure}; nearest to the bar: {first}"
    else:
        found = f"none of {of_all} is {_missed(asked)} with {sure}, but not all are shown to hold"
    if verdict == "pass":
        return found
    if is_unverified and is_by_judge:
        return (
            f"{found}; what the judge may be off by could explain the margin: labels of people "
            "instead of its scores would settle it"
        )
    if is_unverified:
        return (
            f"{found}; mistakes of the annotators could explain the margin: gold answers to some "
            "random items would settle it, more answers like these would not"
        )
    return f"{found}; {_settled_by(asked, margins, more)}"


def places(
    asked: Requirement,
    margins: Margins,
    verdict: Verdict,
    others: Sequence[Finding],
    n_failed: int,
) -> tuple[str, ...]:
    """Return the places that the finding does not name, a line each."""
    if verdict == "fail":
        side = _side(asked)
        lines = [f"{_slice(each, margins)}; {_bound(side, each, margins)}" for each in others]
        return _listed(f"also {_missed(asked)}:", lines, n_failed - 1)
    lines = [f"{_slice(each, margins)}{_settled_there(each, margins)}" for each in others]
    return _listed(f"likeliest to be {_missed(asked)}:", lines, len(lines))


def better_places(margins: Margins, better: Sequence[Finding], n_better: int) -> tuple[str, ...]:
    """Return what got better, a line each."""
    lines = [f"{_slice(each, margins)}; {_bound('at least', each, margins)}" for each in better]
    return _listed("better:", lines, n_better)


def _listed(head: str, lines: Sequence[str], n_lines: int) -> tuple[str, ...]:
    shown = [f"- {line}" for line in lines[:_SHOWN_SLICES]]
    n_more = n_lines - len(shown)
    more = [f"- and {n_more:,} more"] if n_more > 0 else []
    return (head, *shown, *more) if shown else ()


def remarks_on(asked: Requirement, margins: Margins, verdict: Verdict) -> tuple[str, ...]:
    """Return what else one should know."""
    said = list(margins.remarks)
    n_watched = int((~margins.is_shown).sum())
    if n_watched and verdict != "fail":
        said.append(
            f"{n_watched:,} values and arms were watched too: a sure drop in one would have "
            "failed the check, but none of them is shown to hold"
        )
    if margins.slices.thin:
        thin = _some(margins.slices.thin)
        said.append(f"left out, with fewer than {asked.least_rows:g} pool rows: {thin}")
    return tuple(said)


def _failure(asked: Requirement, margins: Margins, findings: Sequence[Finding]) -> str:
    first, n_slices = findings[0], margins.count()
    over = f" over the {n_slices:,} {margins.noun} checked" if n_slices > 1 else ""
    return (
        f"{_slice(first, margins)}; {_bound(_side(asked), first, margins)} with "
        f"{100.0 * asked.confidence:.6g}% confidence{over}"
    )


def _missed(asked: Requirement) -> str:
    """Return what a slice is that misses the bar."""
    if asked.bar == "max_gap":
        return f"more than {points_text(asked.limit)} points apart"
    if asked.bar == "not_worse_than":
        return f"more than {points_text(asked.limit)} points worse" if asked.limit else "worse"
    return f"below {asked.limit:.1%}"


def _side(asked: Requirement) -> str:
    return "at least" if asked.bar == "max_gap" else "at most"


def _bound(side: str, finding: Finding, margins: Margins) -> str:
    assert finding.bound is not None
    return f"{side} {_number(finding.bound, margins)}"


def _settled_by(asked: Requirement, margins: Margins, more: tuple[int, bool] | None) -> str:
    what = "the difference" if margins.is_difference else "the accuracy"
    what = "the gap" if asked.bar == "max_gap" else what
    is_one = margins.count(margins.is_shown) == 1
    if more is None:
        short = " short of the whole pool" if margins.pool else ""
        which = what if is_one else "one of them"
        return f"no number of labels{short} would settle it: {which} seems to be at the bar"
    labels, passes = more
    each = " of each service" if margins.is_of_two else ""
    verdict = "pass" if passes else "fail"
    as_now, as_estimated = ("", f"{what} is") if is_one else (", spread as now,", "they are")
    return (
        f"about {labels:,} more labels{each}{as_now} would settle it as a {verdict}, if "
        f"{as_estimated} as estimated"
    )


def _settled_there(finding: Finding, margins: Margins) -> str:
    if finding.labels_to_settle is None:
        return ""
    each = " of each service" if margins.is_of_two else ""
    if margins.pool and finding.labels_to_settle >= finding.rows - finding.labels - 1.0:
        return f"; only labels{each} for all {finding.rows:,.0f} rows there would tell"
    return f"; about {finding.labels_to_settle:,} more labels{each} there would tell"


def _slice(finding: Finding, margins: Margins) -> str:
    ends = (_number(end, margins, unit="") for end in (finding.lower, finding.upper))
    return (
        f"{finding.place} {_number(finding.mean, margins)} ({finding.level:.0%} interval "
        f"{' to '.join(ends)}; {count_text(finding.labels)} labels)"
    )


def _number(value: float, margins: Margins, unit: str = " points") -> str:
    if margins.is_difference or margins.is_gap:
        return f"{points_text(value, is_signed=margins.is_difference)}{unit}"
    return f"{value:.1%}"


def _probability(chance: float) -> str:
    if chance >= _SURE:
        return "a probability of more than 99%"
    if chance < _UNSURE:
        return "a probability of less than 1%"
    return f"a probability of {chance:.0%}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN_SLICES:,} more" if len(names) > _SHOWN_SLICES else ""
    return "; ".join(names[:_SHOWN_SLICES]) + more
