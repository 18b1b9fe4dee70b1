"""A judge's certificate on the command line: what makes one, and what demands one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from accuracy_assay.cli.log_rows import AskedRows
    from accuracy_assay.cli.option_groups import FitOptions
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.reports.certificate import Certificate

__all__ = [
    "JudgeSettings",
    "certificate_of",
    "read_settings",
    "refuse_judge_alone",
    "surface_by_judge",
]

JudgeSettings = Annotated[
    Path | None,
    typer.Option(
        "--judge-settings",
        help="JSON file of what the judge is: its version, prompt, model, temperature.",
    ),
]
_SERVICE = "service"
"""Column of the service in rows of a log, whose answers are of one."""


def read_settings(path: Path | None) -> Mapping[str, Any] | None:
    """Return a judge's settings; None without a file."""
    from accuracy_assay.errors import InputError

    if path is None:
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"judge settings must be a file that can be read; got {str(path)!r}: {error.strerror}."
        ) from None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputError(
            'judge settings must be a JSON object such as {"version": "2026-05", "prompt": "..."};'
            f" got {str(path)!r}."
        )
    return found


def certificate_of(
    asked: AskedRows, service: str | None, by_service: str | None, **options: Any
) -> Certificate:
    """Certify the one judge of the rows; ``options`` are those of ``certify``."""
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.errors import InputError
    from accuracy_assay.study.judges.certify import certify

    judges = asked.columns.judges
    if len(judges) != 1:
        raise InputError(
            f"a certificate must be of one judge; got {', '.join(judges) or 'none'}. Name it with "
            "--judge."
        )
    rows, column = _with_service(asked, service, by_service)
    columns = replace(asked.columns, judges=(), signals=(), referees=(), history=())
    columns = replace(columns, answer_form=False)
    with remarks().status("certifying"):
        return certify(rows, columns, judge=judges[0], service=column, **options)


def refuse_judge_alone(asked: AskedRows) -> None:
    """Raise an error if only a judge scored the rows."""
    from accuracy_assay.errors import InputError

    columns, log = asked.columns, asked.log
    alone = columns.judges if columns.label is None else ()
    if log is not None and (columns.score in log.judges or columns.graded_by_model):
        alone = (str(columns.score),)
    if alone:
        raise InputError(
            f"a check on the scores of a judge alone must have its certificate; got "
            f"{', '.join(alone)} and no labels of people. Make one from blind labels with assay "
            "judges TABLE --certificate FILE, and pass --judge-certificate FILE."
        )


def surface_by_judge(
    asked: AskedRows,
    certificate: Path,
    settings: Path | None,
    pool: str | None,
    fit: FitOptions,
    service: str | None,
    *,
    by_slice: bool,
) -> AccuracySurface:
    """Return the surface of rows that people or a certified judge decided."""
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.reports.certificate import Certificate
    from accuracy_assay.study.gate.by_judge import judged_surface

    found = Certificate.load(certificate)
    rows, _ = _with_service(asked, service, None)
    columns = asked.columns
    if columns.graded_by_model:  # the scores of the log are those of the judge
        rows = rows.rename({str(columns.score): found.judge})
        columns = replace(columns, score=None, y_true=None, y_pred=None, judges=(found.judge,))
    with remarks().status("fitting"):
        return judged_surface(
            rows,
            columns,
            certificate=found,
            settings=read_settings(settings),
            by_slice=by_slice,
            pool=pool,
            **fit.methods(),
            seed=fit.seed,
        )


def _with_service(
    asked: AskedRows, service: str | None, by_service: str | None
) -> tuple[Any, str | None]:
    """Return the rows, of a log with a column of the service, and the name of that column."""
    if asked.log is None or service is None or isinstance(asked.rows, str):
        return asked.rows, by_service
    import polars as pl

    return asked.rows.with_columns(pl.lit(service).alias(_SERVICE)), _SERVICE
