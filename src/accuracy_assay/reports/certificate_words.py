"""A judge's certificate in words: the verdict first, then where not, then what would settle it."""

from __future__ import annotations

from accuracy_assay.reports.certificate import MAY, MAY_NOT, UNSURE, Certificate, CertifiedSlice
from accuracy_assay.runtime.number_text import plural, points_text

__all__ = ["certificate_words", "statement_words"]

_SHOWN = 5
"""Slices of a kind that are put in words; the table has all."""


def statement_words(certificate: Certificate) -> str:
    """Return what is certified, in words."""
    within = points_text(certificate.tolerance)
    if certificate.statement == "level":
        return f"its figure is within {within} points of people's"
    return f"it passes and fails what people would, but for {within}% of the answers"


def certificate_words(certificate: Certificate) -> list[str]:
    """Return the lines."""
    whole, rest = certificate.whole, certificate.rest
    lines = [_verdict(certificate, whole)]
    if certificate.refused:
        wide = certificate.widest_refused
        lines += [f"may not decide: {_found(certificate, s)}" for s in wide[:_SHOWN]]
        lines += _more(len(wide))
        if rest is None:
            lines.append("nothing is left outside of these")
        elif rest is not whole:
            lines.append(f"{rest.verdict} on {_found(certificate, rest)}")
    named = [s.place for s in certificate.certified]
    if named:
        more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        lines.append(f"slices certified on their own: {', '.join(named[:_SHOWN])}{more}")
    unsure = [s for s in certificate.slices if not s.name and s.verdict == UNSURE]
    if unsure:
        have = "has" if len(unsure) == 1 else "have"
        found = f"{plural(len(unsure), 'slice')} {have} not enough labels"
        lines.append(f"{found}{_cheapest(unsure)}")
    left = certificate.rows - certificate.decided
    saved = certificate.labels_saved
    lines.append(
        f"it may decide {certificate.decided:,} of {certificate.rows:,} rows "
        f"({certificate.decided / certificate.rows:.0%}); people the other {left:,}"
        + (f"; saves {plural(saved, 'label')}" if saved else "")
    )
    if certificate.unlabelled:
        lines.append(f"refused, since no label has them: {', '.join(certificate.unlabelled)}")
    if certificate.support.outside > 0.0:
        low, high = certificate.support.low, certificate.support.high
        lines.append(
            f"refused, beyond the scores that labels have seen ({low:g} to {high:g}): "
            f"{certificate.support.outside:.1%} of the rows"
        )
    lines += [f"left out: {n:,} {why}" for why, n in certificate.left_out.items() if n]
    if not certificate.settings:
        lines.append(
            "nothing says what the judge is (settings), so the certificate does not expire when "
            "the judge changes"
        )
    if not certificate.is_blind:
        lines.append(
            "no column says whether labels were given without seeing the verdict; name it with "
            "blind"
        )
    return lines


def _verdict(certificate: Certificate, whole: CertifiedSlice) -> str:
    wide = certificate.widest_refused
    but = f", but for {plural(len(wide), 'slice')}" if wide else ""
    said = {
        MAY: f" may decide{but}: {statement_words(certificate)}",
        MAY_NOT: f" may not decide: not true that {statement_words(certificate)}",
        UNSURE: f": not enough labels to say that {statement_words(certificate)}",
    }[whole.verdict]
    return f"{certificate.judge}{said}; {_found(certificate, whole)}"


def _found(certificate: Certificate, s: CertifiedSlice) -> str:
    ends = f"{points_text(s.lower, is_signed=True)} to {points_text(s.upper, is_signed=True)}"
    labels = f"{s.labels:,} labels of {s.rows:,} rows"
    if certificate.statement == "decisions":
        level = f"{100 * s.difference:.0f}% of decisions differ"
        ends = f"{100 * s.lower:.0f}% to {100 * s.upper:.0f}%"
        return f"{s.place}: {level} ({ends}; {labels}){_needed(s)}"
    kind = "lenient" if s.difference > 0.0 else "harsh"
    off = f"{kind} by {points_text(abs(s.difference))} points"
    return f"{s.place}: {off} ({ends}; {labels}){_needed(s)}"


def _needed(s: CertifiedSlice) -> str:
    if s.verdict != UNSURE:
        return ""
    if s.labels_needed is None:
        return "; no number of labels would settle it: it seems to be at the tolerance"
    return f"; about {s.labels_needed:,} more labels would settle it"


def _cheapest(unsure: list[CertifiedSlice]) -> str:
    known = [s for s in unsure if s.labels_needed is not None]
    if not known:
        return ""
    first = min(known, key=lambda s: s.labels_needed or 0)
    return f"; the cheapest to settle is {first.place}, about {first.labels_needed:,} more"


def _more(n: int) -> list[str]:
    return [f"and {plural(n - _SHOWN, 'more slice')} where it may not"] if n > _SHOWN else []
