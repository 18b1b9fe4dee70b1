"""``assay export``: what people did, as a table; it reads only the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, StoreAddress

__all__ = ["export"]


def export(
    store: StoreAddress,
    part: Annotated[
        str, typer.Argument(help="labels, answers (with annotator, time and lease) or events.")
    ],
    out: Annotated[Path, typer.Option(help="File to write: CSV, JSONL or Parquet.")],
    name: AssayName = None,
    as_json: AsJson = False,
) -> None:
    """Write the labels, the answers or all events of an assay to a file.

    Needs neither the pool nor the services. Events can be imported into a new store. From a
    damaged store, the good part is saved.

    Example: [bold]assay export my.assay answers --out answers.csv[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.files.tables import write_table
    from accuracy_assay.registry import open_store
    from accuracy_assay.session.export import export_frame
    from accuracy_assay.session.opening import only_one
    from accuracy_assay.storage.chain import good_events

    home = open_store(store, is_saving=True)
    try:
        recorded, damage = good_events(home, only_one(home.list(), name))
    finally:
        home.close()
    frame = export_frame(recorded, part)
    write_table(frame, out, what=part)
    if damage is not None:
        remark(f"the store is damaged or not whole; what is there was saved: {damage}")
    if as_json:
        print_json({"file": str(out), "rows": frame.height, "is_damaged": damage is not None})
        return
    remark(f"wrote {frame.height:,} {part} to {one_line(out)}")
