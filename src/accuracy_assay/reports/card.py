"""The part of a model card that says how accurate a model is, where it is weak, how that is known.

A Markdown section under YAML metadata: ``model-index``, as the Hugging Face Hub reads it (name of
the model, and for each result a task, a dataset and metrics). Names and values come from outside
and are escaped for both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from accuracy_assay.domain.averages import Estimate, averages_by
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.reports.escaping import markdown_text, yaml_text
from accuracy_assay.reports.markdown import ends_text, markdown_table, weak_places
from accuracy_assay.reports.report import TOO_FEW_LABELS, Report, report_of
from accuracy_assay.reports.verdict import verdict

__all__ = ["render_card", "surface_card", "write_card"]

_MOST_VALUES = 40
"""Values of an attribute that a card lists: nobody reads a longer table."""
_DIGITS = 4
"""Of a metric: a hundredth of a percent."""
_SAID_ELSEWHERE = (
    "labels",
    "certain labels that these are worth",
    "how far labels are verified",
    "pool rows",
    "without an answer",
)
"""Facts that have a sentence of their own."""


def write_card(
    report: Report,
    path: str | Path,
    *,
    model: str | None = None,
    task: str | None = None,
    dataset: str | None = None,
) -> Path:
    """Write the card to a file and return its path."""
    target = Path(path)
    write_whole(target, render_card(report, model=model, task=task, dataset=dataset), "card")
    return target


def render_card(
    report: Report,
    *,
    model: str | None = None,
    task: str | None = None,
    dataset: str | None = None,
) -> str:
    """Return the card as Markdown.

    Parameters
    ----------
    report
        What is known of the surface.
    model
        Name of the model; by default the service of the surface, or the report's title.
    task
        Kind of task as the Hub names it, such as ``image-classification``.
    dataset
        Name of the pool; by default that of the report.
    """
    named = model or report.facts.get("service") or report.title
    pool = dataset or report.title
    lines = [
        "---",
        *_metadata(report, named, task or "other", pool),
        "---",
        "",
        f"## {markdown_text(report.surface.measure.capitalize())} and where it is weak",
        "",
        *_headline(report),
        "",
        "### Where it is weak",
        "",
        *weak_places(report),
        "",
        *_by_attribute(report),
        "### How it was measured",
        "",
        *(f"- {line}" for line in _measured(report)),
        "",
        "### Caveats",
        "",
        *(f"- {line}" for line in _caveats(report)),
    ]
    return "\n".join(lines) + "\n"


def surface_card(
    surface: AccuracySurface, model: str, task: str | None, dataset: str | None
) -> str:
    """Return the card of a surface alone, as `AccuracySurface.card` describes it."""
    return render_card(report_of(surface, dataset or model), model=model, task=task)


def _metadata(report: Report, model: str, task: str, dataset: str) -> Iterator[str]:
    """Yield the lines of ``model-index``."""
    measure, level = report.surface.measure, f"{report.surface.level:.0%}"
    yield "model-index:"
    yield f"- name: {yaml_text(model)}"
    yield "  results:"
    yield "  - task:"
    yield f"      type: {yaml_text(task)}"
    yield "    dataset:"
    yield f"      name: {yaml_text(dataset)}"
    yield f"      type: {yaml_text(_plain(dataset) or 'pool')}"
    yield "    metrics:"
    parts = {report.overall.about: report.overall, "with arms weighted equally": report.equal}
    parts |= {f"where {part.name}": part.estimate for part in report.slices}
    for place, estimate in parts.items():
        ends = f"{estimate.lower:.{_DIGITS}f} to {estimate.upper:.{_DIGITS}f}"
        yield f"    - type: {_plain(measure)}"
        yield f"      value: {estimate.mean:.{_DIGITS}f}"
        yield f"      name: {yaml_text(f'{measure} {place} ({level} interval {ends})')}"


def _plain(name: str) -> str:
    """Return a name as the Hub writes kinds of things: small letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _headline(report: Report) -> list[str]:
    overall, equal = report.overall, report.equal
    names = ", ".join(f"*{markdown_text(name)}*" for name in report.surface.space.names)
    n_arms = int((report.surface.support > 0.0).sum())
    measure = markdown_text(report.surface.measure.capitalize())
    beside = report.other
    other = "" if beside is None else f" {beside.about.capitalize()}: {_figure(beside)}."
    return [
        f"**{markdown_text(verdict(report))}**",
        "",
        f"{measure} **{overall.mean:.1%}** {overall.about} ({_interval(overall)}), and "
        f"**{equal.mean:.1%}** with arms weighted equally ({ends_text(equal)}).{other}",
        "",
        f"An arm is one combination of values of {names}; the pool has {n_arms:,}.",
    ]


def _by_attribute(report: Report) -> Iterator[str]:
    """Yield one table for each attribute that has few enough values."""
    for name in report.surface.space.names:
        frame = averages_by(report.surface, (name,), report.surface.support)
        if not 0 < frame.height <= _MOST_VALUES:
            continue
        measure = markdown_text(report.surface.measure)
        head = (markdown_text(name), measure, f"{report.surface.level:.0%} interval")
        rows = [
            (
                markdown_text(row[name]),
                f"{row['mean']:.1%}",
                f"{row['lower']:.1%} to {row['upper']:.1%}",
                f"{row['support']:,.0f}",
                f"{row['n']:,.0f}",
            )
            for row in frame.iter_rows(named=True)
        ]
        yield f"### By {markdown_text(name)}"
        yield ""
        yield from markdown_table((*head, "pool rows", "labels"), rows)
        yield ""


def _measured(report: Report) -> Iterator[str]:
    surface = report.surface
    yield (f"{surface.said_of_labels}; arms with few labels borrow strength from arms like them.")
    for name, value in report.facts.items():
        if name not in _SAID_ELSEWHERE:
            yield f"{markdown_text(name)}: {markdown_text(value)}"
    if surface.expected_macro_mse is not None:
        error = (surface.expected_macro_mse / 100.0) ** 0.5
        yield (
            f"expected error of an arm's estimate: about {100.0 * error:.1f} points, as the "
            "estimator sees it"
        )
    if report.check is not None:
        yield (
            f"overall accuracy without a model, from how rows were drawn: "
            f"{report.check['mean']:.1%} ({report.check['lower']:.1%} to "
            f"{report.check['upper']:.1%})"
        )


def _caveats(report: Report) -> Iterator[str]:
    surface = report.surface
    yield (
        f"These numbers are {surface.about}. With another mix of attributes the overall number is "
        "another."
    )
    yield from (f"{said}." for said in surface.said_of_rows)
    if surface.is_error:
        yield "This is an error rate: lower is better."
    if not surface.tells_arms_apart:
        yield TOO_FEW_LABELS
    if report.check is not None and report.check["said"] is not None:
        yield f"Warning: {report.check['said']}."
    n_vague = int((surface.status == 1).sum())
    if n_vague:
        n_arms = int((surface.support > 0.0).sum())
        yield f"{n_vague:,} of {n_arms:,} arms have few labels and rest mostly on arms like them."
    if report.slices:
        yield f"Up to {report.slices.fdr:.0%} of the weak slices listed may be false alarms."
    yield "A slice that is not listed may still be weak if it has few labels."
    if report.truth is None:
        yield "The intervals are the estimator's own; the true accuracy of the arms is unknown."


def _interval(estimate: Estimate) -> str:
    return f"{estimate.level:.0%} interval {ends_text(estimate)}"


def _figure(estimate: Estimate) -> str:
    return f"{estimate.mean:.1%} ({ends_text(estimate)})"
