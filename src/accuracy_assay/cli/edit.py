"""``assay edit``: change the spec of an assay that has begun, or accept a changed pool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

__all__ = ["edit"]


def edit(
    store: StoreAddress,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Key of the spec, such as assay.budget=500; repeat."),
    ] = None,
    spec: Annotated[
        Path | None, typer.Option(help="Spec file that replaces the old spec.")
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="Column of the pool whose values may have changed; repeat."),
    ] = None,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Change budget, batch, leases, choices, methods or services of an assay that has begun.

    Write the keys of services as service.NAME.KEY. What the labels so far depend on cannot change.

    Example: [bold]assay edit my.assay --set assay.budget=500 --set service.ibm.price=0.01[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, remark
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.cli.trust import trust
    from accuracy_assay.errors import InputError
    from accuracy_assay.spec.read import read_spec

    if not (settings or spec or accept):
        raise InputError("an edit must change something; got neither --set, --spec nor --accept.")
    if settings and spec:
        raise InputError("an edit must use --set or --spec; got both.")
    with open_assay(store, name, pool, seed_set, accept or ()) as assay:
        changed = accept or []
        if spec is not None:
            changed = [*changed, *assay.edit(read_spec(spec))]
        elif settings:
            changed = [*changed, *assay.edit(_nested(settings))]
        trust(store, assay.spec)
    if as_json:
        print_json({"changed": changed})
        return
    text = ", ".join(map(one_line, changed)) if changed else "nothing: the spec is the same"
    remark(f"changed {text}")


def _nested(texts: list[str]) -> dict[str, Any]:
    """Return ``section.key=value`` texts as the tables of a spec."""
    from accuracy_assay.cli.parse import split_pairs
    from accuracy_assay.errors import InputError
    from accuracy_assay.runtime.settings import toml_value

    tables: dict[str, Any] = {}
    services: dict[str, dict[str, Any]] = {}
    for key, text in split_pairs(texts, "a setting", "section.key=value"):
        section, _, rest = key.partition(".")
        if section == "service":
            service, _, rest = rest.rpartition(".")
            services.setdefault(service, {"name": service})[rest] = toml_value(text)
        elif rest:
            tables.setdefault(section, {})[rest] = toml_value(text)
        if not rest or (section == "service" and not service):
            raise InputError(
                f"a setting must read section.key=value or service.NAME.key=value; got {key!r}."
            )
    return tables | ({"service": list(services.values())} if services else {})
