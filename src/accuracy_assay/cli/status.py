"""``assay status``: where an assay stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

if TYPE_CHECKING:
    from rich.table import Table

    from accuracy_assay.assay.status import Status

__all__ = ["service_table", "status"]


def status(
    store: StoreAddress,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Show labels, budget, annotators, services and disagreements.

    Example: [bold]assay status my.assay[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, results
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.cli.tables import frame_table

    with open_assay(store, name, pool, seed_set) as assay:
        found, disagreements = assay.status(), assay.disagreements()
    if as_json:
        print_json(found.to_dict() | {"disagreements": disagreements.to_dicts()})
        return
    out = results()
    out.print(
        f"{one_line(found.name)}: {found.labels} of {found.pool} instances labelled; "
        f"{found.spent} of {found.budget} of the budget used, {found.held} held now"
    )
    answers = (
        ", ".join(f"{one_line(who)} {n}" for who, n in found.annotators.items()) or "nobody yet"
    )
    out.print(f"answers: {answers}; {found.disputed} disputed, {found.skipped} skipped")
    out.print(service_table(found))
    if disagreements.height:
        out.print(frame_table(disagreements))


def service_table(status: Status) -> Table:
    """Return one row per service."""
    from accuracy_assay.cli.tables import text_table

    columns = (
        "service",
        "predicted",
        "cost",
        "labels in the last fit",
        "expected MSE x100",
        "labels to halve it",
    )
    rows = [
        (
            s.name,
            f"{s.predicted}",
            f"{s.cost:.2f}",
            "" if s.fitted_labels is None else f"{s.fitted_labels}",
            "" if s.expected_macro_mse is None else f"{s.expected_macro_mse:.3f}",
            "" if s.labels_to_halve is None else f"{s.labels_to_halve:.0f}",
        )
        for s in status.services
    ]
    return text_table(columns, rows)
