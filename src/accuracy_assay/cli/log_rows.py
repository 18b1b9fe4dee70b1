"""Rows that a command asks about: a table, or evaluation logs, which say what their columns mean.

What the options leave open, a log fills in: the attributes, the score, the cluster, the judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.cli.option_groups import GuessOptions, RowOptions, SignalOptions
    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.domain.eval_log import EvalLog
    from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["AskedRows", "attributes_of", "find_log_at", "read_rows", "surface_of_log"]

_MOST_ATTRIBUTES = 5
"""Attributes of a log that are taken without being named; more make too many arms for its rows."""
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class AskedRows:
    """Rows that were read, or the path of Parquet, which is not read yet; and the whole log."""

    columns: Columns
    rows: pl.DataFrame | str
    log: EvalLog | None = None

    @property
    def giveaways(self) -> list[str]:
        """Columns of a log that would give a score away: answers, scores, the truth."""
        if self.log is None:
            return []
        from accuracy_assay.domain.column_names import holds_truth

        facts = {*self.log.attributes, *self.log.texts}
        meant = [name for name in self.log.names if name not in facts]
        others = set(self.log.rows.columns) - set(self.log.names)
        return [*meant, *(name for name in sorted(others) if holds_truth(name))]

    def scores_of_all(self, metric: str | None) -> list[str]:
        """Return the score columns of all services of a log, if the question is about them."""
        from accuracy_assay.study.compare.of_log import score_columns

        if self.log is None or self.columns.scored_by:
            return []
        return list(score_columns(self.log, self.log.services, metric).values())

    def scored(self) -> AskedRows:
        """Return the same without the rows of a log that have no score; a table stays whole."""
        from dataclasses import replace

        from accuracy_assay.cli.console import remark

        label = self.columns.label
        if self.log is None or label is None or isinstance(self.rows, str):
            return self
        known = self.rows.drop_nulls(label)
        if n_missing := self.rows.height - known.height:
            remark(f"left out: {n_missing:,} rows without a score")
        return replace(self, rows=known)


def read_rows(
    rows: str,
    table: RowOptions,
    free: SignalOptions | None = None,
    guesses: GuessOptions | None = None,
    *,
    what: str,
    score: str | None = None,
    service: str | None = None,
    metric: str | None = None,
    is_shared: bool = False,
) -> AskedRows:
    """Return what columns mean, and the rows, read once: the standard input cannot be read again.

    Parameters
    ----------
    rows
        A table, or a file, a folder or a pattern of logs.
    table, free, guesses, score
        What the options say about the columns, as in ``columns_of``.
    what
        What errors call the question.
    service, metric
        Which answers of a log, and which of their scores.
    is_shared
        Whether the question is about all services of a log.
    """
    from dataclasses import replace

    from accuracy_assay.cli.option_groups import columns_of
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.parquet_paths import find_parquet
    from accuracy_assay.files.tables import read_table
    from accuracy_assay.study.read.open_rows import rows_of_log

    log = find_log_at(rows)
    if log is not None:
        scored = service or next(iter(log.find_score(score or "") or ()), None)
        if not (is_shared or scored or score or table.y_pred):
            log.columns(service, metric, ["any"])  # first of all, one of several must be named
        own = None if table.attribute else attributes_of(log, *_named(scored))
        asked = columns_of(table, free, guesses, what=what, score=score, attributes=own)
        if is_shared:
            return AskedRows(replace(asked, cluster=asked.cluster or log.cluster), log.rows, log)
        found, said = rows_of_log(log, asked, service, metric)
        return AskedRows(said, found, log)
    asked = columns_of(table, free, guesses, what=what, score=score)
    given = {"--service": service, "--metric": metric}
    if named := [option for option, value in given.items() if value is not None]:
        raise InputError(
            f"{named[0]} must go with an assay or a log; got it with a table, whose columns say "
            "which service it is. Leave it out."
        )
    return AskedRows(asked, rows if find_parquet(rows) else read_table(rows))


def find_log_at(address: str | Sequence[str]) -> EvalLog | None:
    """Return the logs at some paths, None for anything else; say what they leave out."""
    from accuracy_assay.cli.console import one_line, remark
    from accuracy_assay.study.read.open_rows import find_log

    log = find_log(address)
    if log is None:
        return None
    for left, why in list(log.left_out.items())[:_SHOWN]:
        remark(f"left out: {one_line(left)}: {one_line(why)}")
    if len(log.left_out) > _SHOWN:
        remark(f"left out: {len(log.left_out) - _SHOWN} more")
    return log


def attributes_of(
    log: EvalLog, *services: str, advice: str = "Name columns with --attribute"
) -> tuple[str, ...]:
    """Return the attributes of services in a log, if they are few enough not to be named.

    Parameters
    ----------
    log, services
        The log, and whose items the attributes describe.
    advice
        What to do if there is none or there are too many.

    Raises
    ------
    InputError
        If there is none, or too many.
    """
    from accuracy_assay.errors import InputError

    found = log.attributes_of(*services)
    if 1 <= len(found) <= _MOST_ATTRIBUTES:
        return found
    counted = ", ".join(f"{name} ({log.attributes[name]})" for name in found)
    derived = f", or derive them: -a length=text:{log.texts[0]}:length" if log.texts else ""
    raise InputError(
        f"attributes of a log must be named unless it has 1 to {_MOST_ATTRIBUTES}; got "
        f"{counted or 'none'}. {advice}{derived}."
    )


def surface_of_log(
    log: EvalLog, service: str | None, metric: str | None, advice: str
) -> AccuracySurface:
    """Return the surface of a service in a log by the log's own attributes."""
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.domain.columns import Columns
    from accuracy_assay.study.estimate import estimate
    from accuracy_assay.study.read.open_rows import rows_of_log

    own = attributes_of(log, *_named(service), advice=advice)
    rows, columns = rows_of_log(log, Columns(own), service, metric)
    with remarks().status("fitting"):
        return estimate(rows, columns)


def _named(service: str | None) -> tuple[str, ...]:
    return () if service is None else (service,)
