"""``assay compare``: which service is best for some arms or a mix, and how surely."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.compare_tables import (
    Cells,
    arms_cells,
    board_cells,
    board_table,
    by_cells,
    by_tables,
    by_words,
    missing_answers,
)
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

    from accuracy_assay.domain.eval_log import EvalLog
    from accuracy_assay.study.compare.comparison import Comparison
    from accuracy_assay.study.compare.paired_tables import OnService

__all__ = ["compare"]

_MOST_VALUES = 100
"""Most values of an attribute in a table of the page."""
_OF_ROWS = ("missing_prediction", "label_trust")
"""Details of a surface that say what its rows are."""
_COLUMNS = ("score", "y_true", "y_pred")
"""Options that name columns of a table."""


def compare(
    what: Annotated[
        list[str],
        typer.Argument(
            help="The store of an assay; a table of labelled rows; evaluation logs; two or more "
            "surface files; or a board file."
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
    by: Annotated[
        str | None, typer.Option("--by", help="Attribute: show the services by its values too.")
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            help="service=family: answers of one family do not judge one another; repeat."
        ),
    ] = None,
    price: Annotated[
        list[str] | None, typer.Option(help="service=price of one answer; repeat.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Accuracy to give up for a cheaper service, with --per-arm.")
    ] = 0.01,
    cluster: Cluster = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the comparison here (.board), to ask it again without a fit."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the board here as CSV.")] = None,
    board: Annotated[
        Path | None, typer.Option(help="Write a page here (.html) to sort, search and pick.")
    ] = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Compare services for some arms, a mix, or the pool as it is; the best comes first.

    If the same labels scored all services, in an assay or a table, they are compared row by row.
    Surface files are compared as if they had separate labels. A board file that --save wrote is
    asked again under another mix without a fit.

    Example: [bold]assay compare my.assay --where accent=hindi[/bold], or
    [bold]assay compare google.surface ibm.surface --mix customers.csv[/bold]
    """
    from accuracy_assay.cli.console import (
        print_json,
        print_markdown,
        refuse_two_formats,
        steps,
    )
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.parse import parse_conditions, parse_families, parse_prices

    refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
    require_outputs({"board": save, "table": csv, "page": board}, [*what, table.pool, mix])
    prices = parse_prices(price or []) or None
    families = parse_families(family or []) or None
    is_board = _is_board(what)
    with steps("services") if _is_fitted(what) else nullcontext(_no_steps) as advance:

        def on_service(done: int, of: int) -> None:
            advance(done, of, "")

        log = None if is_board else _find_log(what)
        others: dict[str, object]
        if is_board:
            others = {"service": service, "metric": metric, "cluster": cluster, "family": family}
            refuse_for_file(what[0], table, fit, session, pool=table.pool, **others)
            found = _of_board(what[0], prices)
        elif log is not None:
            refuse_for_table("a comparison", session)
            how = _How(fit, cluster, prices, families, on_service)
            found = _of_log(log, service, metric, table, how)
        elif len(what) == 1 and _are_rows(what):
            refuse_for_table("a comparison", session, metric=metric)
            how = _How(fit, cluster, prices, families, on_service)
            found = _of_rows(what[0], service, table, how)
        elif _is_store(what):
            others = {"cluster": cluster, "metric": metric, "family": family}
            refuse_for_assay("the comparison of an assay", table, fit, **others)
            with session.open(what[0], table.pool_path) as assay:
                found = assay.compare(service, prices=prices, on_service=on_service)
        else:
            others = {"service": service, "metric": metric, "cluster": cluster, "family": family}
            refuse_for_file(what[0], table, fit, session, pool=table.pool, **others)
            found = _of_surfaces(what, prices)
        found = found.asked(parse_conditions(where or [], found.space), mix)
        best = found.best_per_arm(tolerance=tolerance) if per_arm else None
        by_value = None if by is None else found.by(by)
        _write(found, save, csv)
        if board is not None:
            _write_page(found, board, tolerance)
    if as_json:
        print_json(_as_json(found, best, by_value, tolerance))
    elif as_markdown:
        print_markdown(_as_markdown(found, best, by_value, tolerance))
    else:
        _show(found, best, by_value, tolerance)


def _write(found: Comparison, save: Path | None, csv: Path | None) -> None:
    """Write the files that are asked for."""
    import polars as pl

    from accuracy_assay.files.tables import write_csv

    if save is not None:
        found.save(save)
    if csv is not None:
        write_csv(found.to_frame().with_columns(pl.col("tied_with").list.join("; ")), csv)


def _write_page(found: Comparison, path: Path, tolerance: float) -> None:
    """Write the page of a comparison."""
    from accuracy_assay.reports.board_page import BoardReport, write_board_page

    attributes = found.space.attributes
    shown = [a.name for a in attributes if a.size <= _MOST_VALUES]
    report = BoardReport(
        path.stem,
        found[0].estimate.about,
        [
            _how_judged(found),
            *_row_words(found, has_column=False),
            *_choice_words(found, tolerance),
        ],
        found[0].estimate.level,
        found.to_frame().to_dicts(),
        {name: found.by(name).to_dicts() for name in shown},
        found.best_per_arm(tolerance=tolerance).to_dicts(),
        [a.name for a in attributes if a.name not in shown],
    )
    write_board_page(report, path)


def _show(
    found: Comparison,
    best: pl.DataFrame | None,
    by_value: pl.DataFrame | None,
    tolerance: float,
) -> None:
    """Print a comparison for people."""
    from accuracy_assay.cli.console import results, text_table

    console = results()
    console.print(board_table(found, console))
    console.print(f"Accuracies are {found[0].estimate.about}. {_how_judged(found)}")
    for line in (*_row_words(found), *_choice_words(found, tolerance)):
        console.print(line)
    if by_value is not None:
        for part in by_tables(found, by_value, console):
            console.print(part)
        console.print(by_words(found))
    if best is not None:
        console.print(text_table(*arms_cells(found, best)))
        if found.prices:
            console.print(f"choice: {_will_do(tolerance)}")


@dataclass(frozen=True)
class _How:
    """How services of rows are compared."""

    fit: FitOptions
    cluster: str | None
    prices: dict[str, float] | None
    families: dict[str, str] | None
    on_service: OnService

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of ``compare`` that rows and logs have in common."""
        own = {"prices": self.prices, "families": self.families, "on_service": self.on_service}
        return {**own, **self.fit.methods(), "seed": self.fit.seed}


def _find_log(what: list[str]) -> EvalLog | None:
    """Return the logs, if everything that is named is one."""
    from accuracy_assay.cli.log_rows import find_log_at

    return find_log_at(what if len(what) > 1 else what[0]) if _are_rows(what) else None


def _of_log(
    log: EvalLog,
    services: list[str] | None,
    metric: str | None,
    table: RowOptions,
    how: _How,
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
        cluster=how.cluster,
        agreement=table.agreement or "equal",
        missing_prediction=table.missing_prediction or "wrong",  # type: ignore[arg-type]
        pool=table.pool,
        **how.keywords(),
    )


def _is_board(what: list[str]) -> bool:
    """Return whether one thing is named that ``Comparison.save`` wrote."""
    from zipfile import ZipFile, is_zipfile

    is_packed = "://" not in what[0] and Path(what[0]).is_file() and is_zipfile(what[0])
    if len(what) > 1 or not is_packed:
        return len(what) == 1 and what[0].endswith(".board")
    with ZipFile(what[0]) as archive:
        return "board.json" in archive.namelist()


def _are_rows(what: list[str]) -> bool:
    from accuracy_assay.study.read.open_rows import is_rows

    return all(map(is_rows, what))


def _is_fitted(what: list[str]) -> bool:
    """Return whether services are yet to be fitted, which takes a while."""
    return not _is_board(what) and (_are_rows(what) or _is_store(what))


def _no_steps(finished: int, total: int, remark: str) -> None:
    """Show nothing."""


def _is_store(what: list[str]) -> bool:
    """Return whether one thing is named that is not a surface file."""
    from zipfile import is_zipfile

    is_surface = "://" not in what[0] and Path(what[0]).is_file() and is_zipfile(what[0])
    return len(what) == 1 and not is_surface


def _of_rows(
    rows: str,
    services: list[str] | None,
    table: RowOptions,
    how: _How,
) -> Comparison:
    from accuracy_assay.errors import InputError
    from accuracy_assay.study.compare import compare as study

    columns = columns_of(
        table, SignalOptions(cluster=how.cluster), what="a comparison of labelled rows"
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
        **how.keywords(),
    )


def _of_surfaces(paths: list[str], prices: dict[str, float] | None) -> Comparison:
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.study.compare.compare import compare_surfaces

    return compare_surfaces({path: AccuracySurface.load(path) for path in paths}, prices)


def _of_board(path: str, prices: dict[str, float] | None) -> Comparison:
    from accuracy_assay.study.compare.comparison import Comparison

    found = Comparison.load(path)
    return found if prices is None else replace(found, prices=prices)


def _as_json(
    found: Comparison,
    best: pl.DataFrame | None,
    by_value: pl.DataFrame | None,
    tolerance: float,
) -> dict[str, Any]:
    return {
        "paired": found.is_paired,
        "places": [
            {**asdict(place), **{name: details.get(name) for name in _OF_ROWS}}
            for place in found
            for details in [found.surfaces[place.name].details]
        ],
        "board": found.to_frame().to_dicts(),
        "choice": found.choice(tolerance=tolerance).name if found.prices else None,
        "by": None if by_value is None else by_value.to_dicts(),
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


def _choice_words(found: Comparison, tolerance: float) -> list[str]:
    """Return a line about the cheapest service that will do, if prices are known."""
    if not found.prices:
        return []
    choice = found.choice(tolerance=tolerance)
    return [f"Choice: {choice.name}, {choice.price:g} per answer: {_will_do(tolerance)}."]


def _will_do(tolerance: float) -> str:
    from accuracy_assay.runtime.number_text import points_text

    return (
        f"the cheapest that is at most {points_text(tolerance)} points less accurate than the "
        "best with a probability of 90%"
    )


def _row_words(found: Comparison, *, has_column: bool = True) -> list[str]:
    """Return lines about how far labels are verified, and about rows without an answer."""
    said: dict[str, list[str]] = {}
    for name, surface in found.surfaces.items():
        if surface.label_trust is not None:
            said.setdefault(str(surface.label_trust), []).append(name)
    trust = [
        f"{words}." if len(said) == 1 else f"{', '.join(names)}: {words}."
        for words, names in said.items()
    ]
    return [*trust, *_missing_words(found, has_column=has_column)]


def _missing_words(found: Comparison, *, has_column: bool) -> list[str]:
    missing = missing_answers(found)
    if any(each.rule == "drop" for each in missing.values()):
        return [f"{each}." for each in dict.fromkeys(map(str, missing.values()))]
    rows = "Labelled rows without an answer count as wrong answers of that service"
    where = ': column "no answer"' if has_column else ""
    return [f"{rows}{where}."] if missing else []


def _as_markdown(
    found: Comparison,
    best: pl.DataFrame | None,
    by_value: pl.DataFrame | None,
    tolerance: float,
) -> str:
    """Return a comparison for a pull request: the best first, then what else is asked for."""
    from accuracy_assay.reports.escaping import markdown_text
    from accuracy_assay.reports.markdown import markdown_table

    def table(cells: Cells) -> list[str]:
        columns, rows = cells
        texts = [[markdown_text(cell.strip()) for cell in row] for row in rows]
        return markdown_table([markdown_text(name) for name in columns], texts)

    columns, rows = board_cells(found)
    chance = f"the best of {len(rows)} with a probability of {found[0].probability_best:.0%}"
    lines = [f"### {markdown_text(rows[0][1])}: {chance}", "", *table((columns, rows))]
    lines += ["", f"Accuracies are {found[0].estimate.about}. {_how_judged(found)}"]
    beneath = (*_row_words(found), *_choice_words(found, tolerance))
    lines += [line for said in beneath for line in ("", markdown_text(said))]
    if by_value is not None:
        lines += ["", *table(by_cells(found, by_value)), "", markdown_text(by_words(found))]
    if best is not None:
        lines += ["", *table(arms_cells(found, best))]
    return "\n".join([*lines, ""])
