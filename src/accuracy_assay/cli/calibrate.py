"""``assay calibrate``: learn what the attribute predictors are worth, and show it."""

from __future__ import annotations

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["calibrate"]


def calibrate(
    store: StoreAddress,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Learn how guessed attributes are to be believed; kept for every later command.

    Example: [bold]assay calibrate my.assay[/bold]
    """
    from accuracy_assay.cli.console import print_json, remarks, results
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.cli.tables import frame_table

    with open_assay(store, name, pool, seed_set) as assay, remarks().status("calibrating"):
        report = assay.calibrate()
    if as_json:
        print_json(None if report is None else report.to_dict())
    elif report is None:
        results().print("every attribute is exact: there is nothing to calibrate")
    else:
        results().print(frame_table(report.to_frame()))
        for note in report.notes:
            remarks().print(note)
