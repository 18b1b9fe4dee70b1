"""A pool that lacks labelled rows, or values that they have: what is then estimated.

Labelled rows exist, so a pool that leaves some out never loses their labels
(`Support.with_at_least`). But its own rows are then not known to be labelled: their accuracy would
look certain where nothing is known about them.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from accuracy_assay.domain.cells import Support, over_cells
from accuracy_assay.runtime.number_text import count_text
from accuracy_assay.study.read.problem import LabelledProblem

__all__ = ["PoolWarning", "settle_lacking_pool"]

_FEW = 0.01
"""Share of the labelled rows that a pool may lack and still be about its own rows."""
_ROUNDING = 1e-6
"""Of a number of rows: sums of fractions are off by less."""


class PoolWarning(UserWarning):
    """A pool that lacks labelled rows."""


def settle_lacking_pool(found: LabelledProblem, *, is_asked: bool) -> LabelledProblem:
    """Return the problem; warn if its pool lacks labelled rows, and say what is estimated.

    If it lacks more than a few, accuracies are those of rows like the pool's, unless the user
    asked for those of the pool's own rows.
    """
    support = found.problem.support
    lacking = _lacking(found)
    if not support.is_pool or lacking is None:
        return found
    is_pool = is_asked or lacking.rows <= _FEW * lacking.labels
    whole = count_text(float(support.size.sum()) + lacking.rows)
    estimated = (
        f"they count as rows of the pool, and the accuracy is that of these {whole} rows"
        if is_pool
        else "its labelled rows are unknown, and the accuracy is that of rows like the pool's"
        + ("; combinations of which it has no row count by their labels" * lacking.has_new)
    )
    warnings.warn(
        f"pool must hold the labelled rows; it lacks {count_text(lacking.rows)} of "
        f"{count_text(lacking.labels)}, such as {lacking.example}: {estimated}. Add them to the "
        "pool, or ask for target='population'.",
        PoolWarning,
        stacklevel=6,
    )
    if is_pool:
        return found
    support = replace(support, is_pool=False)
    return replace(found, problem=replace(found.problem, support=support))


class _Lacking(NamedTuple):
    """Labelled rows that a pool lacks, of how many, where, and whether it lacks all of them."""

    rows: float
    labels: float
    example: str
    has_new: bool = False


def _lacking(found: LabelledProblem) -> _Lacking | None:
    problem, known = found.problem, found.labels
    support = problem.support
    stratum = None if problem.stratum is None else problem.stratum[known.rows]
    cells = over_cells(problem.arms.labelled(known.rows), problem.strata, stratum)
    count = np.ones(known.rows.size) if known.count is None else known.count.astype(np.float64)
    labels, whole = float(count.sum()), float(support.size.sum())
    is_guessed = problem.arms.calibration is not None or not problem.candidate.is_exact
    if is_guessed or not cells.is_exact:  # only the number of the pool's rows is known
        above = labels - whole
        return _Lacking(above, labels, "any") if above > _ROUNDING * labels else None
    seen = Support.count(support.space, support.strata, cells.indices, count)
    size = support.rows_in(seen.cells)
    more = np.maximum(seen.size - size, 0.0)
    if more.sum() <= _ROUNDING * labels:
        return None
    arm = support.space.describe(int(seen.cells[int(np.argmax(more))] // support.n_strata))
    shown = ", ".join(f"{name}={value}" for name, value in arm.items())
    return _Lacking(float(more.sum()), labels, f"those of {shown}", bool(np.any(size == 0.0)))
