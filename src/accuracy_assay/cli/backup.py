"""``assay backup``: a copy of a store that is whole, made while people work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import StoreAddress

__all__ = ["backup"]


def backup(
    store: StoreAddress,
    out: Annotated[str, typer.Option(help="File to write, or a postgresql:// URL to copy into.")],
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Restore: replace the store that is there, and its log."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Copy a store, with all of its assays, while others may be writing to it.

    The copy is complete and needs no log (-wal) beside it. It is compared with the store before it
    takes its place. To restore, back up the copy to the store's path with --replace.

    Example: [bold]assay backup my.assay --out backups/my.assay[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.registry import open_store
    from accuracy_assay.runtime.secrets import hide_secrets
    from accuracy_assay.storage.backup import back_up, copy_into
    from accuracy_assay.storage.sql import SqlStore

    is_url = "://" in out
    if not is_url:
        require_outputs({"store": Path(out)}, [store])
    home = open_store(store)
    assert isinstance(home, SqlStore)
    try:
        if is_url:
            target = open_store(out, is_new=True)
            assert isinstance(target, SqlStore)
            try:
                made = copy_into(home, target)
            finally:
                target.close()
        else:
            made = back_up(home, Path(out), is_replacing=replace)
    finally:
        home.close()
    shown = one_line(hide_secrets(out))
    if as_json:
        counts = {"events": made.events, "labels": made.labels}
        print_json({"file": shown, "assays": list(made.assays), **counts})
        return
    remark(
        f"copied {len(made.assays)} assay{'' if len(made.assays) == 1 else 's'} with "
        f"{made.labels:,} labels ({made.events:,} events) to {shown}"
    )
