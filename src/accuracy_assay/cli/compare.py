"""``assay compare``: which service is best for some arms or a mix, and how surely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    RowOptions,
    SignalOptions,
    columns_of,
    refuse_for_assay,
    refuse_for_file,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson, AsMarkdown, Cluster
from accuracy_assay.cli.session import MetricName

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from accuracy_assay.domain.eval_log import EvalLog
    from accuracy_assay.domain.missing_answers import MissingAnswers
    from accuracy_assay.study.compare.comparison import Comparison
    from accuracy_assay.study.compare.paired_tables import OnService

__all__ = ["compare"]

_COLUMNS = ("score", "y_true", "y_pred")
"""Options that name columns of a table."""


def compare(
    what: Annotated[
        list[str],
        typer.Argument(
            help="The store of an assay; a table of labelled rows; evaluation logs; or two or "
            "more surface files."
        ),
    ],
    table: RowOptions,
    fit: FitOptions,
    session: AssayOptions,
    service: Annotated[
        list[str] | None,
        typer.Option(
            help="Service of the assay or the logs, or column of a service's answers; repeat."
        ),
    ] = None,
    metric: MetricName = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", help="attribute=value; repeat.")
    ] = None,
    mix: Annotated[
        Path | None,
        typer.Option(help="Table of attribute columns, one row per instance or with weights."),
    ] = None,
    per_arm: Annotated[
        bool, typer.Option("--per-arm", help="Show the best service of each arm too.")
    ] = False,
    price: Annotated[
        list[str] | None, typer.Option(help="service=price of one answer; repeat.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Accuracy to give up for a cheaper service, with --per-arm.")
    ] = 0.01,
    cluster: Cluster = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Compare services for some arms, a mix, or the pool as it is; the best comes first.

    If the same labels scored all services, in an assay or a table, they are compared row by row.
    Surface files are compared as if they had separate labels.

    Example: [bold]assay compare my.assay --where accent=hindi[/bold], or
    [bold]assay compare google.surface ibm.surface --mix customers.csv[/bold]
    """
    from accuracy_assay.cli.console import (
        print_json,
        print_markdown,
        refuse_two_formats,
        remarks,
        results,
    )
    from accuracy_assay.cli.parse import parse_conditions, parse_prices
    from accuracy_assay.runtime.number_text import points_text

    refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
    prices = parse_prices(price or []) or None
    with remarks().status("fitting") as status:

        def on_service(done: int, of: int) -> None:
            status.update(f"fitted {done} of {of} services")

        log = _find_log(what)
        if log is not None:
            refuse_for_table("a comparison", session)
            found = _of_log(log, service, metric, table, fit, cluster, prices, on_service)
        elif _is_table(what):
            refuse_for_table("a comparison", session, metric=metric)
            found = _of_rows(what[0], service, table, fit, cluster, prices, on_service)
        elif _is_store(what):
            others: dict[str, object] = {"cluster": cluster, "metric": metric}
            refuse_for_assay("the comparison of an assay", table, fit, **others)
            with session.open(what[0], table.pool_path) as assay:
                found = assay.compare(service, prices=prices, on_service=on_service)
        else:
            others = {"service": service, "metric": metric, "cluster": cluster}
            others["pool"] = table.pool
            refuse_for_file(what[0], table, fit, session, **others)
            found = _of_surfaces(what, prices)
        found = found.asked(parse_conditions(where or [], found.space), mix)
        best = found.best_per_arm(tolerance=tolerance) if per_arm else None
    if as_json:
        print_json(_as_json(found, best))
        return
    if as_markdown:
        print_markdown(_as_markdown(found, best))
        return
    results().print(_places_table(found))
    results().print(f"Accuracies are {found[0].estimate.about}. {_how_judged(found)}")
    for line in _missing_words(found):
        results().print(line)
    if best is not None:
        results().print(_arms_table(found, best))
        if found.prices:
            results().print(
                f"choice: the cheapest that is at most {points_text(tolerance)} points less "
                "accurate than the best with a probability of 90%"
            )


def _find_log(what: list[str]) -> EvalLog | None:
    """Return the logs, if everything that is named is one."""
    from accuracy_assay.cli.log_rows import find_log_at
    from accuracy_assay.study.read.open_rows import is_rows

    return find_log_at(what if len(what) > 1 else what[0]) if all(map(is_rows, what)) else None


def _of_log(
    log: EvalLog,
    services: list[str] | None,
    metric: str | None,
    table: RowOptions,
    fit: FitOptions,
    cluster: str | None,
    prices: dict[str, float] | None,
    on_service: OnService,
) -> Comparison:
    from accuracy_assay.cli.console import remark
    from accuracy_assay.cli.log_rows import attributes_of
    from accuracy_assay.cli.parse import parse_attributes
    from accuracy_assay.errors import InputError
    from accuracy_assay.runtime.number_text import plural
    from accuracy_assay.study.compare.of_log import compare_log

    if given := [f"--{n.replace('_', '-')}" for n in _COLUMNS if getattr(table, n)]:
        raise InputError(
            f"services of a log must be named by --service; got {', '.join(given)}. The log says "
            "which columns are theirs."
        )
    names = tuple(services or log.services)
    n_others = log.rows.height - log.shared_rows(names).height
    if n_others:
        items = plural(n_others, "item")
        remark(f"left out: {items} that some of these services were not asked")
    attributes = (
        parse_attributes(table.attribute) if table.attribute else attributes_of(log, *names)
    )
    return compare_log(
        log,
        attributes,
        services,
        metric,
        cluster=cluster,
        agreement=table.agreement or "equal",
        missing_prediction=table.missing_prediction or "wrong",  # type: ignore[arg-type]
        pool=table.pool,
        prices=prices,
        **fit.methods(),
        seed=fit.seed,
        on_service=on_service,
    )


def _is_table(what: list[str]) -> bool:
    from accuracy_assay.study.read.open_rows import is_rows

    return len(what) == 1 and is_rows(what[0])


def _is_store(what: list[str]) -> bool:
    """Return whether one thing is named that is not a surface file."""
    from zipfile import is_zipfile

    is_surface = "://" not in what[0] and Path(what[0]).is_file() and is_zipfile(what[0])
    return len(what) == 1 and not is_surface


def _of_rows(
    rows: str,
    services: list[str] | None,
    table: RowOptions,
    fit: FitOptions,
    cluster: str | None,
    prices: dict[str, float] | None,
    on_service: OnService,
) -> Comparison:
    from accuracy_assay.errors import InputError
    from accuracy_assay.study.compare import compare as study

    columns = columns_of(
        table, SignalOptions(cluster=cluster), what="a comparison of labelled rows"
    )
    if bool(services and table.y_true) == bool(table.score) or table.y_pred:
        raise InputError(
            "services in a table must be named by --service and --y-true, or by --score; got "
            f"--service {services}, --y-true {table.y_true}, --score {table.score}, --y-pred "
            f"{table.y_pred}."
        )
    return study.compare(
        rows,
        columns,
        services=services,
        scores=table.score,
        pool=table.pool,
        prices=prices,
        **fit.methods(),
        seed=fit.seed,
        on_service=on_service,
    )


def _of_surfaces(paths: list[str], prices: dict[str, float] | None) -> Comparison:
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.study.compare.compare import compare_surfaces

    return compare_surfaces({path: AccuracySurface.load(path) for path in paths}, prices)


def _as_json(found: Comparison, best: pl.DataFrame | None) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "paired": found.is_paired,
        "places": [
            {**asdict(place), "missing_prediction": said}
            for place in found
            for said in [found.surfaces[place.name].details.get("missing_prediction")]
        ],
        "ranks": found.ranks.to_dicts(),
        "best_per_arm": None if best is None else best.to_dicts(),
    }


def _how_judged(found: Comparison) -> str:
    if found.is_paired:
        return "The same labels scored every service, so differences are judged row by row."
    return (
        "Differences are judged as if the surfaces had separate labels; in one assay or one "
        "table\nthey are judged row by row, which is mostly surer."
    )


def _missing_answers(found: Comparison) -> dict[str, MissingAnswers]:
    """Return what became of rows without an answer, by service; empty if there are none."""
    every = {name: surface.missing_answers for name, surface in found.surfaces.items()}
    return {name: missing for name, missing in every.items() if missing is not None}


def _missing_words(found: Comparison) -> list[str]:
    """Return a line about rows without an answer, if there are any."""
    missing = _missing_answers(found)
    if any(each.rule == "drop" for each in missing.values()):
        return [f"{each}." for each in dict.fromkeys(map(str, missing.values()))]
    rows = "Labelled rows without an answer count as wrong answers of that service"
    return [f'{rows}: column "no answer".'] if missing else []


def _as_markdown(found: Comparison, best: pl.DataFrame | None) -> str:
    """Return a comparison for a pull request: the best first, then the arms if asked for."""
    from accuracy_assay.reports.escaping import markdown_text
    from accuracy_assay.reports.markdown import markdown_table

    columns, rows = _places_rows(found)
    chance = f"the best of {len(rows)} with a probability of {found[0].probability_best:.0%}"
    lines = [f"### {markdown_text(rows[0][0])}: {chance}", ""]
    lines += markdown_table(columns, [[markdown_text(cell) for cell in row] for row in rows])
    lines += ["", f"Accuracies are {found[0].estimate.about}. {_how_judged(found)}"]
    lines += [line for said in _missing_words(found) for line in ("", markdown_text(said))]
    if best is not None:
        columns, rows = _arms_rows(found, best)
        cells = [[markdown_text(cell) for cell in row] for row in rows]
        lines += ["", *markdown_table([markdown_text(name) for name in columns], cells)]
    return "\n".join([*lines, ""])


def _places_table(found: Comparison) -> Table:
    from accuracy_assay.cli.console import text_table

    return text_table(*_places_rows(found))


def _places_rows(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the head and the cells of the places, best first."""
    from accuracy_assay.runtime.number_text import points_text

    rows, missing = [], _missing_answers(found)
    for name, place in zip(_short_names(found), found, strict=True):
        e = place.estimate
        apart = (place.behind, place.behind_lower, place.behind_upper)
        behind, *ends = (points_text(value) for value in apart)
        row = [
            name,
            f"{e.mean:.1%}",
            f"{e.lower:.1%} to {e.upper:.1%}",
            f"{e.n:,.0f}",
            "" if place is found[0] else f"{behind} ({' to '.join(ends)})",
            f"{place.probability_best:.0%}",
        ]
        row += [f"{missing[place.name].rows:,}" if place.name in missing else "0"] * bool(missing)
        rows.append(row + ([f"{place.price or 0.0:g}"] if found.prices else []))
    level = found[0].estimate.level
    columns = ["service", "accuracy", f"{level:.0%} interval", "labels", "points behind"]
    columns += ["is the best", *(["no answer"] if missing else [])]
    columns += ["price"] if found.prices else []
    return columns, rows


def _short_names(found: Comparison) -> list[str]:
    """Return the names of the services; files without their folders, if these stay different."""
    names = [place.name for place in found]
    short = [Path(name).name for name in names]
    return names if found.is_paired or len(set(short)) < len(short) else short


def _arms_table(found: Comparison, best: pl.DataFrame) -> Table:
    """Return the best service of each arm, the arms with the most rows first."""
    from accuracy_assay.cli.console import text_table

    return text_table(*_arms_rows(found, best))


def _arms_rows(found: Comparison, best: pl.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return the head and the cells of the best service of each arm."""
    from accuracy_assay.runtime.number_text import points_text

    names = found.space.names
    rows = []
    for row in best.sort("rows", descending=True).iter_rows(named=True):
        cells = [
            ", ".join(str(row[name]) for name in names),
            row["best"],
            f"{row['accuracy']:.1%}",
            f"{row['probability']:.0%}",
        ]
        if found.prices:
            cells += [row["choice"], f"{row['price']:g}", points_text(row["behind"])]
        rows.append([*cells, f"{row['labels']:,.0f}", f"{row['rows']:,.0f}"])
    columns = [", ".join(names), "best", "accuracy", "is the best"]
    if found.prices:
        columns += ["choice", "price", "points behind"]
    return [*columns, "labels", "rows"], rows
