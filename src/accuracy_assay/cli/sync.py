"""``assay sync``: keep an assay and a labelling tool on a server in sync while people work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress
from accuracy_assay.runtime.number_text import plural

if TYPE_CHECKING:
    from accuracy_assay.session.syncing import Sync, SyncRound

__all__ = ["sync"]

_TOOLS = ("label-studio",)


def sync(
    tool: Annotated[str, typer.Argument(help="The labelling tool: label-studio.")],
    store: StoreAddress,
    url: Annotated[
        str, typer.Option(help="Address of the server, such as http://localhost:8080.")
    ],
    project: Annotated[
        str,
        typer.Option(help="Number of a project, or its title; it is created if missing."),
    ],
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Tasks waiting at a time; a batch of the spec by default."),
    ] = None,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between rounds.")] = 10.0,
    once: Annotated[bool, typer.Option("--once", help="Do one round and stop.")] = False,
    timeout: Annotated[
        float, typer.Option(min=1.0, max=600.0, help="Seconds to wait for a response.")
    ] = 30.0,
    media: Annotated[str, typer.Option(help="Prefix for the paths of images and sounds.")] = "",
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Let people label in Label Studio: push tasks, record answers, re-rank.

    The token of a user who may edit the project comes from LABEL_STUDIO_API_KEY. Kill the command
    at any moment and start it again: nothing is lost or doubled.

    Example: [bold]assay sync label-studio my.assay --url http://localhost:8080 --project 3[/bold]
    """
    import os
    from contextlib import closing

    from accuracy_assay.cli.console import one_line, remark
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.errors import UnknownNameError
    from accuracy_assay.labelers.label_studio_server import TOKEN_VARIABLE, LabelStudioServer
    from accuracy_assay.session.syncing import Sync, open_project

    if tool not in _TOOLS:
        raise UnknownNameError("labelling tool", tool, _TOOLS)
    token = os.environ.get(TOKEN_VARIABLE, "")
    with (
        closing(LabelStudioServer(url, token, timeout_s=timeout)) as server,
        open_assay(store, name, pool, seed_set, is_long=True) as assay,
    ):
        found = open_project(assay.session, server, project)
        remark(f"in sync with {one_line(found.place)}; stop with Ctrl-C")
        _run_rounds(Sync(assay.session, found, batch, media), every, once=once, as_json=as_json)


def _run_rounds(sync: Sync, every: float, *, once: bool, as_json: bool) -> None:
    """Run rounds until there is nothing more to do; wait for a server that is down."""
    import time

    from accuracy_assay.cli.console import one_line, remark, remarks
    from accuracy_assay.errors import ServiceError
    from accuracy_assay.runtime.secrets import hide_secrets

    said: set[str] = set()
    while True:
        try:
            made = sync.round()
        except ServiceError as error:
            if once:
                raise
            remark(one_line(hide_secrets(f"waiting: {error}")))
            time.sleep(every)
            continue
        for mistake in made.mistakes:
            if mistake not in said:
                remark(one_line(hide_secrets(f"left out: {mistake}")))
        said = set(made.mistakes)
        if made.is_eventful or once:
            _show(made, as_json=as_json)
        if once or made.end is not None:
            return
        with remarks().status(f"{made.waiting} tasks waiting for answers"):
            time.sleep(every)


def _show(made: SyncRound, *, as_json: bool) -> None:
    """Print what a round did, on one line."""
    import json
    from dataclasses import asdict

    from accuracy_assay.cli.console import one_line, results

    if as_json:
        print(json.dumps(asdict(made)), flush=True)
        return
    parts = [
        plural(made.new, "new answer"),
        f"{plural(made.pushed, 'task')} pushed",
        f"{made.waiting} waiting",
        f"{plural(made.labels, 'instance')} labelled",
    ]
    if made.unwanted:
        parts.append(f"{made.unwanted} no longer wanted")
    if made.version is not None:
        parts.append(f"order {made.version!r}")
    if made.end is not None:
        parts.append(f"done: {made.end}")
    results().print(one_line("; ".join(parts)), soft_wrap=True)
