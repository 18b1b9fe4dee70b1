"""``assay init``: a first spec from a pool, and a store from a spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import AsJson, GoalMix, LabelGoal

if TYPE_CHECKING:
    import polars as pl

    from accuracy_assay.domain.eval_log import EvalLog
    from accuracy_assay.domain.roles.value import ColumnRoles

__all__ = ["init"]

_LARGE_FILE = 2**25
"""Reading a larger pool gets a progress bar: 32 MB take some seconds."""


def init(
    store: Annotated[
        str | None, typer.Argument(help="Store to create: a file, or a postgresql:// URL.")
    ] = None,
    spec: Annotated[Path | None, typer.Option(help="Spec of the assay to create.")] = None,
    pool: Annotated[
        Path | None,
        typer.Option("--from", help="Table, or evaluation log, to write a first spec for."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Spec to write.")] = Path("assay.toml"),
    goal: LabelGoal = None,
    mix: GoalMix = None,
    as_json: AsJson = False,
) -> None:
    """Write a first spec from a table or a log, or create an assay from a spec.

    Example: [bold]assay init --from pool.parquet[/bold], edit assay.toml, then
    [bold]assay init my.assay --spec assay.toml[/bold]
    """
    from accuracy_assay.cli.console import print_json, results
    from accuracy_assay.errors import InputError

    if (pool is None) == (store is None):
        raise InputError(
            "init must have a table (--from) to write a spec for, or a store to create; got "
            f"{'both' if store else 'neither'}. See: assay init --help"
        )
    if pool is None and (goal or mix):
        raise InputError(
            "goal and mix must be given with --from, or stand in the spec; got them beside a "
            "store. Write them under [assay]."
        )
    if pool is not None:
        made = _write_spec(pool, out, goal or "surface", mix)
    elif spec is None:
        raise InputError("init must have the spec of the new assay; got no --spec.")
    else:
        made = _create(str(store), spec)
    if as_json:
        print_json(made)
    else:
        results().print(made["message"], soft_wrap=True)


def _write_spec(pool: Path, out: Path, goal: str, mix: Path | None) -> dict[str, object]:
    import os
    from typing import Any, get_args

    from accuracy_assay.cli.console import one_line
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.errors import InputError, UnknownNameError
    from accuracy_assay.exploration.goals import GoalName
    from accuracy_assay.files.whole_file import write_whole
    from accuracy_assay.spec.infer import infer_spec, label_needs

    if goal not in get_args(GoalName):
        raise UnknownNameError("goal", goal, get_args(GoalName))
    if (goal == "mix") != (mix is not None):
        raise InputError(
            "--goal mix and --mix, the table of weights, must be given together; got --goal "
            f"{goal} and {'no --mix' if mix is None else f'--mix {mix}'}."
        )
    if out.exists():
        raise InputError(f"spec must be a new file; got {str(out)!r}, which exists. Use --out.")
    require_outputs({"spec": out})
    frame, roles, table = _read_pool(pool, out)
    folder = out.absolute().parent
    beside = Path(os.path.relpath(table.absolute(), folder))
    weights = None if mix is None else Path(os.path.relpath(mix.absolute(), folder))
    wanted: Any = goal
    write_whole(out, infer_spec(frame, beside, wanted, weights, roles), "spec")
    kept = "" if table == pool else f", and its rows to {one_line(table)}"
    message = (
        f"wrote {one_line(out)}{kept}; check it, then: assay init my.assay --spec {one_line(out)}"
    )
    if roles.are_answers:
        answers = _answers_beside(out)
        message += f"\nrecord what people answered: assay tell my.assay --file {one_line(answers)}"
    return {
        "spec": str(out),
        "pool": str(table),
        "services": list(roles.predictions),
        "needs": label_needs(frame, roles),
        "message": f"{message}\n{label_needs(frame, roles)}",
    }


def _read_pool(pool: Path, out: Path) -> tuple[pl.DataFrame, ColumnRoles, Path]:
    """Return the rows of a pool, what its columns are, and where the table is.

    The pool of an assay is a table, so the rows of a log are written beside the spec.
    """
    from dataclasses import replace

    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.domain.roles.guess import guess_roles
    from accuracy_assay.errors import InputError
    from accuracy_assay.files.tables import read_table, write_table
    from accuracy_assay.study.read.open_rows import find_log

    log = find_log(str(pool), what="pool")
    if log is None:
        frame = read_table(pool, what="pool")
        roles = guess_roles(frame)
        return frame, roles, _write_items(frame, roles, out) if roles.are_answers else pool
    table = out.with_suffix(".pool.parquet")
    if table.exists():
        raise InputError(
            f"the table of a log must be a new file; got {str(table)!r}, which exists. Use --out."
        )
    require_outputs({"pool": table})
    rows = _asked_of_all(log)
    write_table(rows, table, what="pool")
    return rows, guess_roles(rows, replace(log, rows=rows)), table


def _write_items(rows: pl.DataFrame, roles: ColumnRoles, out: Path) -> Path:
    """Write the items that people answered, and beside them the answers; return the former.

    Gold answers are those of an expert of that name.
    """
    import polars as pl

    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.files.tables import write_table
    from accuracy_assay.spec.infer import GOLD

    item, answer, who = map(str, (roles.id, roles.truth, roles.annotator))
    items, answers = out.with_suffix(".pool.parquet"), _answers_beside(out)
    require_outputs({"pool": items, "answers": answers})
    apart = {item, answer, who, roles.gold, *roles.left_out}
    kept = [pl.col(name).drop_nulls().first() for name in rows.columns if name not in apart]
    write_table(rows.group_by(item, maintain_order=True).agg(kept), items, what="pool")
    named = {"id": pl.col(item), "annotator": pl.col(who)}
    given = rows.select(**named, label=pl.col(answer))
    if roles.gold is not None:
        known = rows.select(**named | {"annotator": pl.lit(GOLD)}, label=pl.col(roles.gold))
        given = pl.concat(
            [given, known.drop_nulls().unique(maintain_order=True)], how="vertical_relaxed"
        )
    write_table(given.drop_nulls("label"), answers, what="answers")
    return items


def _answers_beside(out: Path) -> Path:
    return out.with_suffix(".answers.csv")


def _asked_of_all(log: EvalLog) -> pl.DataFrame:
    """Return the items that all services of a log were asked; all of them if there is none.

    To an assay a service that is a column was asked everything, and a gap is a wrong answer.
    """
    from accuracy_assay.cli.console import remark
    from accuracy_assay.errors import InputError
    from accuracy_assay.runtime.number_text import plural

    try:
        rows = log.shared_rows(log.services)
    except InputError:
        remark(
            "no item was asked of every service, and what a service was not asked counts as its "
            "wrong answer: take out services, or name the logs of one benchmark"
        )
        return log.rows
    if n_others := log.rows.height - rows.height:
        remark(f"left out: {plural(n_others, 'item')} that some service was not asked")
    return rows


@contextmanager
def _progress(spec: Path) -> Iterator[Callable[[int, int, str], None] | None]:
    """Show a progress bar if the pool is large; else give None."""
    from accuracy_assay.cli.console import steps
    from accuracy_assay.spec.read import read_spec

    pool = read_spec(spec).pool.path
    if pool is None or not Path(pool).is_file() or Path(pool).stat().st_size < _LARGE_FILE:
        yield None
        return
    with steps("preparing the pool") as advance:
        yield advance


def _create(store: str, spec: Path) -> dict[str, object]:
    from accuracy_assay.cli.session import find_working_folder
    from accuracy_assay.cli.trust import trust
    from accuracy_assay.session.assay import Assay

    find_working_folder()
    with _progress(spec) as advance, Assay.create(store, spec, on_progress=advance) as assay:
        trust(store, assay.spec)
        shown = store if "://" not in store else "the store"
        n_pool = assay.session.parts().rows.n_pool
        message = f"created assay {assay.name!r} of {n_pool} instances in {shown}"
        return {"assay": assay.name, "instances": n_pool, "message": message}
