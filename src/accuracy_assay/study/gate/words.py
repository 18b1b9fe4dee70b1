"""What a check found, in words."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.reports.checks import Finding, Verdict
from accuracy_assay.runtime.number_text import count_text, points_text
from accuracy_assay.study.gate.margins import Margins
from accuracy_assay.study.gate.requirement import Requirement

__all__ = ["remarks_on", "says"]

_SHOWN_SLICES = 5
"""Most slices listed in words, failed or left out; findings have all."""
_SURE, _UNSURE = 0.995, 0.005
"""Beyond these, probabilities are "more than 99%" and "less than 1%": some hundred draws cannot
say more."""


def says(
    asked: Requirement,
    margins: Margins,
    verdict: Verdict,
    chance: float,
    findings: Sequence[Finding],
    more: tuple[int, bool] | None,
) -> str:
    """Return the finding in one or two sentences."""
    if verdict == "fail":
        return _failure(asked, margins, findings)
    first = findings[0]
    n_shown = margins.count(margins.is_shown)
    nearest = f"nearest to the bar of {n_shown:,} {margins.noun}: " if n_shown > 1 else ""
    all_of = " everywhere" if n_shown > 1 else ""
    found = f"{nearest}{_slice(first, margins)}; holds{all_of} with {_probability(chance)}"
    return found if verdict == "pass" else f"{found}; {_settled_by(asked, margins, more)}"


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
    assert first.bound is not None
    side = "at least" if asked.bar == "max_gap" else "at most"
    over = f" over the {n_slices:,} {margins.noun} checked" if n_slices > 1 else ""
    said = (
        f"{_slice(first, margins)}; {side} {_number(first.bound, margins)} with "
        f"{100.0 * asked.confidence:.6g}% confidence{over}"
    )
    others = [finding.place for finding in findings[1:]]
    return f"{said}; also {_some(others)}" if others else said


def _settled_by(asked: Requirement, margins: Margins, more: tuple[int, bool] | None) -> str:
    what = "the difference" if margins.is_difference else "the accuracy"
    what = "the gap" if asked.bar == "max_gap" else what
    if more is None:
        short = " short of the whole pool" if margins.pool else ""
        return f"no number of labels{short} would settle it: {what} seems to be at the bar"
    labels, passes = more
    each = " of each service" if margins.is_of_two else ""
    verdict = "pass" if passes else "fail"
    return (
        f"about {labels:,} more labels{each} would settle it as a {verdict}, if {what} is as "
        "estimated"
    )


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
