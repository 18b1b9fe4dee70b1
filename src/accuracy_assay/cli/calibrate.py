"""``assay calibrate``: learn what the attribute predictors are worth, and show it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["calibrate"]


def calibrate(
    store: StoreAddress,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    out: Annotated[Path | None, typer.Option(help="Calibration file to write.")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Reliability picture to write: PNG, PDF or SVG.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Learn from the seed set how far guessed attributes can be trusted.

    Later commands use what is learned.

    Example: [bold]assay calibrate my.assay --out my.calibration --picture reliability.png[/bold]
    """
    from accuracy_assay.calibration.report import CalibrationWarning
    from accuracy_assay.cli.console import frame_table, print_json, remark, results, steps
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.session import open_assay

    require_outputs({"calibration": out, "picture": picture}, [store, pool, seed_set])
    with (
        open_assay(store, name, pool, seed_set) as assay,
        steps("calibrating") as advance,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", CalibrationWarning)  # shown below as notes
        report = assay.calibrate(out, advance)
    if report is not None and report.joint is not None and picture is not None:
        from accuracy_assay.reports.reliability import write_reliability

        write_reliability(report, picture)
    if as_json:
        print_json(None if report is None else report.to_dict())
    elif report is None:
        results().print("nothing to calibrate: every attribute is exact")
    else:
        results().print(frame_table(report.to_frame()))
        for note in report.notes:
            remark(note)
