"""What a tracker of experiments is told about a surface: numbers, facts, and three files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.label_count import LABELS_WORTH
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import MissingExtraError
from accuracy_assay.reports.card import write_card
from accuracy_assay.reports.page import write_page
from accuracy_assay.reports.report import Report, report_of

__all__ = ["Tracked", "tracker"]

_REFUSED = re.compile(r"[^\w.\- ]")
"""Characters that MLflow refuses in the name of a metric; a slash would make a folder."""
_LONGEST_NAME, _LONGEST_MEASURE = 180, 50
"""Characters of the name of a slice and of a measure: MLflow takes 250 of a whole name."""


@dataclass(frozen=True)
class Tracked:
    """A surface as it is logged."""

    report: Report

    @classmethod
    def of(cls, surface: AccuracySurface, title: str) -> Tracked:
        """Return what is logged of a surface under a title."""
        return cls(report_of(surface, title))

    @property
    def name(self) -> str:
        """Name of the files."""
        return _REFUSED.sub("_", self.report.title)[:_LONGEST_NAME].strip(" .") or "surface"

    @property
    def metrics(self) -> dict[str, float]:
        """The numbers: the whole under both mixes, then the weak slices.

        Examples of names: ``overall/accuracy``, ``overall/lower``, ``equal_arms/accuracy``,
        ``slices/found`` and ``slice/accent german and digit 7/accuracy``.
        """
        report, surface = self.report, self.report.surface
        name = _REFUSED.sub("_", surface.measure)[:_LONGEST_MEASURE].strip(" .") or "measure"
        found = _numbers("overall", name, report.overall)
        found |= _numbers("equal_arms", name, report.equal)
        found |= {"labels": surface.n_labels, "slices/found": float(len(report.slices))}
        if surface.missing_answers is not None:
            found["without_answer"] = float(surface.missing_answers.rows)
        if LABELS_WORTH in surface.details:
            found[LABELS_WORTH] = surface.label_count.worth
        if surface.label_trust is not None:
            found["labels_verified"] = float(surface.label_trust.is_verified)
        if surface.expected_macro_mse is not None:
            found["expected_macro_mse"] = surface.expected_macro_mse
        for part in report.slices:
            words = " and ".join(f"{which} {value}" for which, value in part.where.items())
            plain = _REFUSED.sub("_", words)[:_LONGEST_NAME].strip(" .") or "_"
            place, number = f"slice/{plain}", 1
            while f"{place}/{name}" in found:
                number += 1
                place = f"slice/{plain}-{number}"
            found |= _numbers(place, name, part.estimate) | {f"{place}/go_wrong": part.wrong}
        return found

    @property
    def facts(self) -> dict[str, str]:
        """How the surface was made, by names of letters and digits."""
        return {re.sub(r"\W", "_", name): value for name, value in self.report.facts.items()}

    def write(self, folder: str | Path) -> list[Path]:
        """Write the page, the card and the surface to a folder; return the files."""
        surface = Path(folder, f"{self.name}.surface")
        self.report.surface.save(surface)
        return [
            write_page(self.report, Path(folder, f"{self.name}.html")),
            write_card(self.report, Path(folder, f"{self.name}.md")),
            surface,
        ]


def tracker(module: str, called: str) -> Any:
    """Return the module of a tracker, which is also the extra that it comes with.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module:
            raise
        raise MissingExtraError(f"logging to {called}", module) from None


def _numbers(place: str, measure: str, estimate: Estimate) -> dict[str, float]:
    return {
        f"{place}/{measure}": estimate.mean,
        f"{place}/lower": estimate.lower,
        f"{place}/upper": estimate.upper,
    }
