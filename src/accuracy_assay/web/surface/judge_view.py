"""Where a judge may decide in place of people, as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.reports.certificate import Certificate
from accuracy_assay.reports.certificate_page import certificate_values
from accuracy_assay.web.surface.values import About, Judge, JudgedSlice

__all__ = ["judge_view"]


def judge_view(about: About, found: Certificate, judges: Sequence[str]) -> Judge:
    """Return what the page of the certificate shows too."""
    shown = certificate_values(found)
    return Judge(
        about=about,
        judge=found.judge,
        judges=list(judges),
        verdict=shown["verdict"],
        is_level=shown["is_level"],
        tolerance=found.tolerance,
        slices=[JudgedSlice.model_validate(row) for row in shown["rows"]],
        left_out=shown["n_more"],
        remarks=shown["remarks"],
    )
