"""``assay attributes``: which attributes matter, and which unused columns might."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    RowOptions,
    SignalOptions,
    refuse_for_assay,
    refuse_for_file,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import MetricName, ServiceName, is_store

if TYPE_CHECKING:
    from rich.console import RenderableType

    from accuracy_assay.domain.importance import Importance, Importances
    from accuracy_assay.study.attributes.propose import Proposals

__all__ = ["attributes"]


def attributes(
    rows: Annotated[
        str,
        typer.Argument(help="Labelled rows, logs, the store of an assay, or a surface file."),
    ],
    table: RowOptions,
    free: SignalOptions,
    fit: FitOptions,
    session: AssayOptions,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Unused column to judge; repeat. By default all unused ones."),
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option(help="Unused column of a table not to judge; repeat.")
    ] = None,
    cluster_texts: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of texts of a table whose clusters to judge too; repeat. Needs the extra "
            "'embeddings'."
        ),
    ] = None,
    is_bare: Annotated[
        bool, typer.Option("--no-columns", help="Only rank attributes; judge no unused column.")
    ] = False,
    service: ServiceName = None,
    metric: MetricName = None,
    pairs: Annotated[int, typer.Option(min=0, help="Pairs of attributes to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Rank attributes by the variance of accuracy they explain, and propose unused columns.

    A surface file has no rows, so its attributes are ranked but no columns are judged.

    Example: [bold]assay attributes rows.csv -a sex -a age:30,60 --score correct[/bold], or
    [bold]assay attributes my.assay --service google[/bold]
    """
    from accuracy_assay.cli.console import print_json, remark, remarks, results
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.files.tables import read_table
    from accuracy_assay.study.attributes.propose import propose_attributes
    from accuracy_assay.study.estimate import estimate
    from accuracy_assay.study.read.open_rows import is_rows

    proposals: Proposals | None = None
    if is_rows(rows):
        refuse_for_table("a ranking of attributes", session)
        asked = read_rows(
            *(rows, table, free),
            what="attributes of a table",
            score=table.one_score(),
            service=service,
            metric=metric,
        )
        columns, labelled = asked.columns, asked.rows
        every = None if table.pool is None else read_table(table.pool, what="pool")
        options: dict[str, Any] = {**fit.methods(), "seed": fit.seed, "pool": every}
        with remarks().status("fitting"):
            fitted = estimate(labelled, columns, **options)
            if not is_bare:
                others = [*(leave_out or ()), *asked.giveaways]
                options.pop("target", None)
                proposals = propose_attributes(
                    labelled,
                    columns,
                    columns=column,
                    leave_out=others,
                    cluster_texts=cluster_texts or (),
                    **options,
                )
    else:
        if is_store(rows):
            what = "attributes of an assay"
            own = {"leave_out": leave_out, "cluster_texts": cluster_texts, "metric": metric}
            refuse_for_assay(what, table, free, fit, **own)
            with session.open(rows, table.pool_path) as assay, remarks().status("fitting"):
                fitted = assay.surface(service)
                if not is_bare:
                    proposals = assay.propose_attributes(service, column)
        else:
            own = {"leave_out": leave_out, "column": column, "service": service, "metric": metric}
            own |= {"cluster_texts": cluster_texts}
            refuse_for_file(rows, table, free, fit, session, pool=table.pool, **own)
            fitted = AccuracySurface.load(rows)
    for said in fitted.said_of_rows:
        remark(said)
    found = fitted.attributes()
    if as_json:
        print_json(_as_dict(found, proposals))
        return
    for shown in (*_ranking(found, pairs), *(() if proposals is None else _proposing(proposals))):
        results().print(shown)


def _ranking(found: Importances, count: int) -> list[RenderableType]:
    """Return the ranking in words and as tables of attributes and of pairs."""
    from accuracy_assay.cli.console import text_table

    said = (
        f"Accuracy differs between arms by a standard deviation of {100 * found.sd:.1f} points. "
        f"The attributes' own effects explain {found.together:.0%} of its variance."
    )
    if not any(i.is_clear for i in found.attributes):
        said += " No attribute has a clear effect: labels are too few, or accuracy is the same "
        said += "everywhere."
    head = ("share", f"{found.level:.0%} interval", "spread in points")
    single = [
        [i.name, *_share_cells(i), f"{i.beyond or 0.0:.1%}", i.finding] for i in found.attributes
    ]
    shown: list[RenderableType] = [said]
    shown.append(text_table(("attribute", *head, "beyond the others", "finding"), single))
    both = [[i.name, *_share_cells(i), i.finding] for i in found.pairs[:count]]
    if both:
        shown.append(text_table(("pair, beyond both", *head, "finding"), both))
    return shown


def _share_cells(of: Importance) -> tuple[str, str, str]:
    return f"{of.share:.1%}", f"{of.lower:.1%} to {of.upper:.1%}", f"{100 * of.spread:.1f}"


def _proposing(found: Proposals) -> list[RenderableType]:
    """Return the judged columns, and those that cannot be an attribute."""
    from accuracy_assay.cli.console import text_table

    shown: list[RenderableType] = []
    if found.columns:
        shown.append(
            f"Unused columns by what they add to the log score of {found.labels:,} labels, each "
            "predicted from the other folds. The chance that any is proposed by luck is at most "
            f"{found.error:.0%}."
        )
        rows = [
            [p.as_typed, f"{p.gain:+.1f} ± {p.gain_se:.1f}", f"{p.p_value:.4f}", p.finding]
            for p in found.columns
        ]
        shown.append(text_table(("column", "gain in nats", "p-value", "finding"), rows))
    if found.skipped:
        shown.append("Not judged:")
        shown += [f"  {name} {reason}" for name, reason in found.skipped.items()]
    return shown


def _as_dict(found: Importances, proposals: Proposals | None) -> dict[str, Any]:
    """Return the tables for programs."""
    ranked = {
        "sd": found.sd,
        "together": found.together,
        "level": found.level,
        "attributes": found.to_frame().to_dicts(),
    }
    if proposals is None:
        return ranked
    return ranked | {
        "labels": proposals.labels,
        "columns": proposals.to_frame().to_dicts(),
        "skipped": proposals.skipped,
    }
