"""``assay serve``: the page on which a team labels and an evaluator reads the surface."""

from __future__ import annotations

from typing import Annotated

import typer

from accuracy_assay.cli.options import Device
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["serve"]


def serve(
    store: StoreAddress,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but 127.0.0.1 is open to others.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port; 0 is any (default: the first free from 8765)."),
    ] = None,
    annotator: Annotated[
        str, typer.Option("--annotator", help="Your name as an annotator and admin.")
    ] = "admin",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Another host name of the page, as behind a proxy; repeat."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="Address of a proxy in front, whose X-Forwarded-For counts; repeat."),
    ] = None,
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="Let everyone on this machine in, without a link."),
    ] = False,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser.")
    ] = False,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    device: Device = "auto",
) -> None:
    """Open the page of an assay: label, watch the surface, lead a team.

    Prints a link that lets you in once, as admin; [bold]assay invite[/bold] makes one for each
    annotator. Nobody else gets in, and nothing leaves this machine. Stop with Ctrl-C: every answer
    is on disk.

    Example: [bold]assay serve my.assay[/bold]
    """
    from contextlib import closing

    from accuracy_assay.cli.console import one_line, remark, remarks, results
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.errors import InputError
    from accuracy_assay.session.page_address import announced

    try:
        from accuracy_assay.web.connections import named_proxies
        from accuracy_assay.web.fitting_process import FittingProcess
        from accuracy_assay.web.server import bind
        from accuracy_assay.web.server import serve as serve_page
    except ImportError as error:
        raise InputError(
            f"the page must have the extra 'web'; got no module {error.name!r}. "
            "Install it with: pip install 'accuracy-assay[web]'"
        ) from None

    proxies = named_proxies(proxy or ())
    listener = bind(host, port)

    def say(address: str) -> None:
        results().print(f"the page of {one_line(assay.name)} is at", soft_wrap=True)
        results().print(f"  {address}", soft_wrap=True, markup=False, highlight=False)
        if not no_token:
            remark("the link lets you in once, as admin; the page then stays open in that browser")
        remark("invite annotators with: assay invite STORE NAME; stop with Ctrl-C")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    with (
        closing(listener.socket),
        open_assay(store, name, pool, seed_set, is_long=True) as assay,
    ):
        tables = (None if table is None else str(table.absolute()) for table in (pool, seed_set))
        with closing(FittingProcess(store, assay.name, *tables)) as fitter:
            with remarks().status("choosing the first instances"):
                fitter.pick(1, ())
            with announced(store, assay.name, listener.address):
                serve_page(
                    assay,
                    listener,
                    fitter,
                    annotator=annotator,
                    use_tokens=not no_token,
                    names=allow_host or (),
                    proxies=proxies,
                    on_ready=say,
                )
