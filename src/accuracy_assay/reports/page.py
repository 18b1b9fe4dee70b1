"""The report as one HTML page that stands alone: no network, no server, no build step."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.rows_right import rows_right
from accuracy_assay.domain.slices import WeakSlice, slice_name
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.metrics.scores import check_intervals
from accuracy_assay.reports.axis import Axis, axis_of
from accuracy_assay.reports.certificate_page import certificate_values
from accuracy_assay.reports.figures import write_figures
from accuracy_assay.reports.page_data import page_data
from accuracy_assay.reports.provenance import model_numbers
from accuracy_assay.reports.reliability import reliability_png
from accuracy_assay.reports.report import (
    MOST_SLICES,
    TOO_FEW_LABELS,
    Report,
    label_next,
    report_of,
)
from accuracy_assay.reports.services_board import services_section
from accuracy_assay.reports.standalone import content_policy, page_templates, template_text
from accuracy_assay.reports.verdict import verdict
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.runtime.version import __version__

__all__ = ["render_page", "write_page", "write_surface_page"]

_SHOWN_CONTESTED = 12
"""Listed rows on which all services differ: a batch to label."""
_LEAST_REACH = 0.05
"""Bias at the ends of a bar, at the least: five points."""


def write_page(report: Report, path: str | Path, *, max_arms: int = 5_000) -> Path:
    """Write the page to a file and return its path."""
    target = Path(path)
    write_whole(target, render_page(report, max_arms=max_arms), "page")
    return target


def write_surface_page(
    surface: AccuracySurface, path: str | Path, title: str | None, figures: str | Path | None
) -> Path:
    """Write the page of a surface alone, as `AccuracySurface.report` describes it."""
    report = report_of(surface, title or Path(path).stem)
    written = write_page(report, path)
    if figures is not None:
        write_figures(report, figures)
    return written


def render_page(report: Report, *, max_arms: int = 5_000, worst: int = 15) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    report
        What to show.
    max_arms
        Most arms in the table of all arms; the page says how many were left out.
    worst
        Most single arms under "Where it fails".
    """
    surface = report.surface
    style, script = (
        template_text("page.css"),
        template_text("drawing.js") + template_text("page.js"),
    )
    certified = None
    if report.certificate is not None:
        certified, style = (
            certificate_values(report.certificate),
            style + template_text("certificate.css"),
        )
    slices = [_slice(report, found) for found in report.slices]
    weak = report.weak_arms()
    arms = _arms(report, weak[:worst])
    marginals = _marginals(report)
    by_value = [row for marginal in marginals for row in marginal["rows"]]
    template = page_templates().get_template("page.html")
    return template.render(
        report=report,
        verdict=verdict(report),
        surface=surface,
        overall=report.overall,
        equal=report.equal,
        counts=_counts(report),
        slices=slices,
        most_slices=MOST_SLICES,
        slices_axis=_axis(slices, report.overall.mean),
        weak=arms,
        n_weak=weak.size,
        weak_axis=_axis(arms, report.overall.mean),
        marginals=marginals,
        marginals_axis=_axis(by_value, report.overall.mean),
        checks=_checks(report),
        **_own_checks(report),
        advice=_arms(report, label_next(surface)),
        numbers=model_numbers(surface),
        reliability=_reliability(report),
        judges=_judges(report),
        referees=[] if report.referees is None else report.referees.to_dicts(),
        contested=_contested(report),
        certified=certified,
        services=services_section(report.services, report.facts.get("service", "")),
        over_time=report.over_time,
        least_rows=LEAST_ACTIVE_ROWS,
        too_few_labels=TOO_FEW_LABELS,
        n_left_out=max(surface.arms.size - max_arms, 0),
        version=__version__,
        data=page_data(report, max_arms),
        style=style,
        script=script,
        policy=content_policy(style, script),
    )


def _counts(report: Report) -> dict[str, int]:
    """Count arms by what can be said about them."""
    surface = report.surface
    return {
        "in_pool": int((surface.support > 0.0).sum()),
        "estimated": int((surface.status == 0).sum()),
        "vague": int((surface.status == 1).sum()),
        "pool": round(float(surface.support.sum())),
    }


def _axis(rows: list[dict[str, Any]], *besides: float) -> Axis:
    """Return the axis that holds the intervals of some rows, and what else is drawn there."""
    ends = [row[name] for row in rows for name in ("lower", "upper", "truth")]
    return axis_of([*besides, *(end for end in ends if end is not None)])


def _slice(report: Report, found: WeakSlice) -> dict[str, Any]:
    """Return a weak slice with the truth and with labelled instances, where they are known."""
    estimate = found.estimate
    return {
        "values": found.where,
        "name": found.name,
        "mean": estimate.mean,
        "lower": estimate.lower,
        "upper": estimate.upper,
        "n": estimate.n,
        "support": estimate.support,
        "wrong": found.wrong,
        "chance": found.chance_below,
        "is_thin": found.is_thin,
        "truth": report.truth_where(found.where),
        "cases": report.cases.get(found.name, ()),
    }


def _marginals(report: Report) -> list[dict[str, Any]]:
    """Accuracy by value of each attribute, with the truth where it is known."""
    marginals = []
    for name in report.surface.space.names:
        frame = averages_by(report.surface, (name,), report.surface.support)
        truth = report.truth_of(name)
        if truth is not None:
            frame = frame.join(truth, on=name, how="left", maintain_order="left")
        rows = [{"truth": None} | row for row in frame.rename({name: "value"}).to_dicts()]
        marginals.append({"name": name, "rows": rows})
    return marginals


def _arms(report: Report, listed: IntArray) -> list[dict[str, Any]]:
    """Return the arms at some positions of the surface."""
    surface = report.surface
    truth = report.truth_by_arm()
    values = [surface.space.describe(int(arm)) for arm in surface.arms[listed]]
    said = rows_right(surface, listed)
    return [
        {
            "values": where,
            "name": slice_name(where),
            "cases": report.cases.get(slice_name(where), ()),
            "mean": surface.mean[i],
            "lower": surface.lower[i],
            "upper": surface.upper[i],
            "in_rows": in_rows,
            "n": surface.n[i],
            "support": surface.support[i],
            "truth": None if np.isnan(truth[i]) else truth[i],
            "is_vague": bool(surface.status[i] == 1),
            "pictures": report.examples.get(int(surface.arms[i]), ()),
        }
        for i, where, in_rows in zip(listed, values, said, strict=True)
    ]


def _judges(report: Report) -> list[dict[str, Any]]:
    """Return what is said of each judge, and its bias by value, by attribute."""
    found = report.judges
    if found is None:
        return []
    reach = float(
        found.values.select(pl.max_horizontal(pl.col("lower", "upper").abs().max())).item()
    )
    return [
        {
            "name": name,
            "remarks": found.remarks(name),
            "reach": max(reach, _LEAST_REACH),
            "attributes": [
                {"name": attribute, "rows": rows.to_dicts()}
                for (attribute,), rows in found.values.filter(judge=name).group_by(
                    ["attribute"], maintain_order=True
                )
            ],
        }
        for name in found.judges.get_column("judge").to_list()
    ]


def _contested(report: Report) -> dict[str, Any] | None:
    """Return the first contested rows and how many there are, None without any."""
    if report.contested is None or not report.contested.height:
        return None
    shown = report.contested.head(_SHOWN_CONTESTED)
    return {"count": report.contested.height, "columns": shown.columns, "rows": shown.rows()}


def _checks(report: Report) -> list[dict[str, Any]]:
    if report.truth is None:
        return []
    return check_intervals(report.surface, report.truth).to_dicts()


def _own_checks(report: Report) -> dict[str, Any]:
    """Return what is known of a surface without the truth: its error and the check by design."""
    surface, check = report.surface, report.check
    expected = surface.expected_macro_mse
    width = (surface.upper - surface.lower)[surface.support > 0.0]
    rows = [
        {"mean": e["mean"], "lower": e["lower"], "upper": e["upper"], "truth": None}
        for e in (asdict(report.overall), check)
        if e is not None
    ]
    return {
        "expected": None if expected is None else np.sqrt(expected / 100.0),
        "width": float(np.median(width)) if width.size else 1.0,
        "check_axis": _axis(rows),
        "model_row": rows[0],
        "check_row": rows[-1],
    }


def _reliability(report: Report) -> str | None:
    """Return the reliability picture of the guessed attributes, where something was measured."""
    if report.calibration is None or report.calibration.joint is None:
        return None
    return reliability_png(report.calibration)
