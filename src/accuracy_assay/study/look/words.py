"""A first look in words: five lines about what was found, the accuracy, weak slices, commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.candidate_columns import CandidateColumn
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.number_text import plural
from accuracy_assay.runtime.visible_text import visible_text

if TYPE_CHECKING:
    from accuracy_assay.study.look.look import Look

__all__ = ["command_lines", "look_text", "surface_lines"]

_SHOWN = 5
"""Most names of a kind on a line."""
_REASONS = 3
"""Columns left out that are named with the reason; the others are counted."""
_SLICES = 3
"""Weak slices that are shown."""
_LEAST_ROWS = 20.0
"""Fewest rows of a value that may be named as the lowest, as for weak slices."""


def look_text(seen: Look) -> str:
    """Return a look as it is printed."""
    lines = [*_found(seen), "", *_accuracy(seen)]
    if seen.commands:
        lines += ["", *command_lines(seen.commands)]
    return "\n".join(visible_text(line, keep="") for line in lines)


def command_lines(commands: Mapping[str, str]) -> list[str]:
    """Return commands to copy, each under what it does."""
    return [line for what, typed in commands.items() for line in (f"{what}:", f"  {typed}")]


def surface_lines(surface: AccuracySurface) -> list[str]:
    """Return the weakest slices of a surface; if none is clear, the lowest values."""
    found = surface.slices()
    if len(found):
        first = f"Weakest slices, clearly {found.side} {found.bar:.1%}, most wrong rows first:"
        shown = [(part.name, part.estimate) for part in found.found[:_SLICES]]
        more = len(found) - len(shown)
        lines = [first, *_estimates(shown)]
        return [*lines, f"  and {more:,} more"] if more else lines
    lowest = _lowest(surface)
    if not lowest:
        return ["No slice has enough rows to tell."]
    return ["No slice is clearly weaker than the whole. The lowest values:", *_estimates(lowest)]


def _lowest(surface: AccuracySurface) -> list[tuple[str, Estimate]]:
    """Return the weakest values of single attributes, whether clearly weaker or not."""
    found = []
    for attribute in surface.space.attributes:
        for value in attribute.values:
            estimate = surface.at(**{attribute.name: value})
            if estimate.support >= _LEAST_ROWS:
                found.append((f"{attribute.name} = {value}", estimate))
    sign = -1.0 if surface.is_error else 1.0
    return sorted(found, key=lambda each: sign * each[1].mean)[:_SLICES]


def _estimates(shown: Sequence[tuple[str, Estimate]]) -> list[str]:
    width = max(len(name) for name, _ in shown)
    return [
        f"  {name:<{width}}  {e.mean:6.1%}  ({e.lower:.1%} to {e.upper:.1%}; {e.n:,.0f} labels)"
        for name, e in shown
    ]


def _found(seen: Look) -> list[str]:
    """Return what was found, five lines at most."""
    roles = seen.roles
    lines = [
        f"{seen.name}: {seen.kind}, {_rows(seen)}",
        _line("services", _services(seen)),
        _line("scored by", _scored_by(seen)),
        _line("attributes", _attributes(roles)),
        _line("left out", _left_out(roles)),
    ]
    return [line for line in lines if line]


def _line(what: str, text: str) -> str:
    return f"  {what:<11} {text}" if text else ""


def _rows(seen: Look) -> str:
    """Return how many rows there are, and which of them are labelled or belong together."""
    roles, n_rows, trust = seen.roles, seen.rows.height, seen.trust
    if trust is not None:
        gold = f", {trust.checked:,} with gold ({roles.gold})" if trust.is_verified else ""
        return (
            f"{trust.answers:,} answers of {trust.annotators:,} people ({roles.annotator}) to "
            f"{n_rows:,} items ({roles.id}){gold}"
        )
    most = max((each.labels for each in seen.scores), default=0)
    whole = "all with a label" if n_rows > 1 else "with a label"
    labels = whole if most == n_rows else f"{most:,} with a label"
    said = [plural(n_rows, "row"), labels if most else "none with a label"]
    if roles.cluster is not None:
        n_clusters = seen.rows.get_column(roles.cluster).n_unique()
        said.append(f"in {plural(n_clusters, 'group')} by {roles.cluster}")
    if roles.annotator is not None:
        n_people = seen.rows.get_column(roles.annotator).n_unique()
        said.append(f"answers of {n_people:,} people ({roles.annotator})")
    return ", ".join(said)


def _services(seen: Look) -> str:
    if not seen.roles.services:
        return "none: no column looks like predictions or scores"
    if not seen.scores:
        return _listed(list(seen.roles.services))
    ranked = [f"{each.service} {each.mean:.1%}" for each in seen.scores]
    if len(ranked) == 1:
        return seen.scores[0].service
    return f"{len(seen.roles.services)}, the best first: {_listed(ranked)}"


def _scored_by(seen: Look) -> str:
    roles = seen.roles
    service = seen.service or next(iter(roles.services), None)
    if service is None:
        return _judges(roles)
    said = roles.services[service]
    if said.scores:
        names = [f"{column}" for column in said.scores.values()]
        first = names[0] if seen.metric is None else said.scores[seen.metric]
        others = [name for name in names if name != first]
        text = first + (f" (also there: {_listed(others)})" if others else "")
        text += f"; truth in {roles.truth}" if roles.truth else ""
    elif seen.trust is not None:
        text = f"{said.prediction} by all that people say in {roles.truth}"
        if seen.trust.is_verified:
            text = (
                f"{said.prediction} equal to {roles.gold}; {roles.truth} is evidence on the rest"
            )
    elif roles.truth is not None and said.prediction is not None:
        text = f"{said.prediction} equal to {roles.truth}"
        n_missing = next((s.missing for s in seen.scores if s.service == service), 0)
        counts = "counts" if n_missing == 1 else "count"
        missing = plural(n_missing, "missing answer")
        text += f"; {missing} {counts} as wrong" if n_missing else ""
    else:
        text = "nothing: no column has the truth or a score"
    return text + (f"; {_judges(roles)}" if roles.judges else "")


def _judges(roles: ColumnRoles) -> str:
    return f"judges {_listed(roles.judges)}" if roles.judges else ""


def _attributes(roles: ColumnRoles) -> str:
    """Return the attributes with their numbers of values, and what they may be derived from."""
    named = [_attribute(a, has_gaps=a.name in roles.gaps) for a in roles.attributes]
    said = [_listed(named)] if named else []
    if roles.texts:
        said.append(f"features of {' and '.join(roles.texts[:2])} (length, numbers, ...)")
    guessed = [name for name in roles.evidence if name not in {a.name for a in roles.attributes}]
    if guessed:
        said.append(f"guessed: {_listed(guessed)}")
    if not said and roles.truth is not None and not roles.are_answers:
        return "none but the truth itself: no other column has a few values"
    return "; ".join(said) or "none: no other column has a few values"


def _attribute(known: CandidateColumn, *, has_gaps: bool) -> str:
    edges = ", ".join(f"{edge:g}" for edge in known.edges)
    values = f"cut at {edges}" if edges else f"{known.size}"
    return f"{known.name} ({values}{', missing in some rows' if has_gaps else ''})"


def _left_out(roles: ColumnRoles) -> str:
    if not roles.left_out:
        return ""
    shown = [f"{name} ({why})" for name, why in list(roles.left_out.items())[:_REASONS]]
    more = len(roles.left_out) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _accuracy(seen: Look) -> list[str]:
    if not seen.scores:
        return ["No row has a label, so no accuracy is known yet."]
    own = next(each for each in seen.scores if each.service == seen.service)
    labelled = plural(own.labels, "labelled row" if seen.trust is None else "labelled item")
    is_voted = seen.trust is not None and not seen.trust.is_verified
    is_right = "agrees with most people" if is_voted else "is right"
    whole = f"{own.service} {is_right} in {own.mean:.1%} of {labelled}"
    if own.is_graded:
        whole = f"{own.service} has a mean score of {own.mean:.1%} in {labelled}"
    if seen.surface is None:
        trust = [] if seen.trust is None else [f"{seen.trust}."]
        return [f"{whole}. Where it fails is unknown: {_why_not(seen)}.", *trust]
    overall = seen.surface.overall
    whole += f"; {overall.about}: {overall.mean:.1%} ({seen.surface.level:.0%} interval "
    whole += f"{overall.lower:.1%} to {overall.upper:.1%})."
    if seen.roles.cluster is not None and not seen.is_clustered:
        whole += (
            f" Rows of one {seen.roles.cluster} are taken as independent, so intervals are too"
        )
        whole += f" narrow: --cluster {seen.roles.cluster} fixes that, but takes longer."
    over = f"Looked at: {', '.join(map(_looked_at, seen.attributes))}."
    trust = [] if seen.trust is None else [f"{seen.surface.label_trust}."]
    return [whole, *trust, over, *surface_lines(seen.surface)]


def _why_not(seen: Look) -> str:
    """Return why no attribute was looked at."""
    if seen.has_few_labels:
        return "labels are too few"
    gaps = [a.name for a in seen.roles.attributes if a.name in seen.roles.gaps]
    if not gaps:
        return "no column may be an attribute"
    return f"an attribute needs a value in every row; fill those of {', '.join(gaps)}"


def _looked_at(typed: str) -> str:
    """Return an attribute as people call it: its name, and the text it is derived from."""
    name, is_of_text, rest = typed.partition("=text:")
    return f"{name} of {rest.rpartition(':')[0]}" if is_of_text else typed


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = len(every) - _SHOWN
    return ", ".join(every[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
