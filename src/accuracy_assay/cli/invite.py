"""``assay invite``: a link that lets an annotator into the page."""

from __future__ import annotations

from typing import Annotated

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["invite"]

_ADDRESS = "http://127.0.0.1:8765"
"""Where `assay serve` opens the page unless it is told otherwise, or the port is taken."""


def invite(
    store: StoreAddress,
    annotator: Annotated[str, typer.Argument(help="Name under which answers are recorded.")],
    admin: Annotated[
        bool, typer.Option("--admin", help="Let them see the surface and lead the team too.")
    ] = False,
    reader: Annotated[
        bool, typer.Option("--reader", help="Let them see the surface, and change nothing.")
    ] = False,
    token: Annotated[
        bool,
        typer.Option("--token", help="Make a token for a program instead of a link."),
    ] = False,
    days: Annotated[float, typer.Option(help="How many days it is valid.")] = 7.0,
    address: Annotated[
        str | None,
        typer.Option(
            help="Address of the page, as annotators reach it (default: that of the running page)."
        ),
    ] = None,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Revoke every link, session and token instead.")
    ] = False,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Make a link that lets an annotator into the page once, or revoke it.

    Example: [bold]assay invite my.assay ann[/bold]
    """
    from urllib.parse import urlencode

    from accuracy_assay.cli.console import one_line, print_json, remark, results
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.errors import InputError
    from accuracy_assay.session.admission import Role
    from accuracy_assay.session.page_address import find_address

    if admin and reader:
        raise InputError("an invitation must be for one role; got --admin and --reader.")
    with open_assay(store, name, pool, seed_set) as assay:
        if revoke:
            assay.admission.revoke(annotator)
            results().print(f"{one_line(annotator)} has no access any more; their answers stay")
            return
        role: Role = "admin" if admin else "reader" if reader else "annotator"
        made = assay.admission.invite(annotator, role, days=days, is_link=not token)
        served_at = address or find_address(store, assay.name)
    link = f"{(served_at or _ADDRESS).rstrip('/')}/join?{urlencode({'token': made})}"
    if as_json:
        print_json({"annotator": annotator, "token": made} if token else {"link": link})
    elif token:
        results().print(made, soft_wrap=True, markup=False, highlight=False)
        remark("send it with every call: Authorization: Bearer TOKEN; it is shown only once")
    else:
        results().print(link, soft_wrap=True, markup=False, highlight=False)
        remark(
            f"it lets {one_line(annotator)} in once, within {days:g} days; lost? run this again"
        )
        if served_at is None:
            remark("no page is running here; if assay serve prints another port, put it in")
