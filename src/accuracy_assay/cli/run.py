"""``assay run``: everything that needs no person: services on the pool, answers from a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.options import AsJson, EngineName, Format
from accuracy_assay.cli.price_plan import PlanFile, bought
from accuracy_assay.cli.session import Annotator, AssayName, PoolPath, SeedSetPath, StoreAddress
from accuracy_assay.runtime.number_text import plural

if TYPE_CHECKING:
    from accuracy_assay.session.assay import Assay

__all__ = ["run"]


def run(
    store: StoreAddress,
    answers: Annotated[
        Path | None, typer.Option(help="File of labels that answers what is asked.")
    ] = None,
    format: Format = None,
    annotator: Annotator = "file",
    service: Annotated[
        list[str] | None,
        typer.Option(help="Service to call, and to have judged; all by default; repeat."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Most instances that each service predicts in this run.")
    ] = None,
    labelled_only: Annotated[
        bool, typer.Option("--labelled-only", help="Predict only labelled instances.")
    ] = False,
    plan: PlanFile = None,
    yes: Annotated[
        float, typer.Option(help="Amount that may be spent on services without asking.")
    ] = 0.0,
    engine: EngineName = "local",
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Let services predict the pool and judges judge it, and replay a labelled file.

    A killed run continues where it stopped; no call is paid for twice. If services have a price,
    the cost is shown and you must agree to it, unless --yes allows it.

    Example: [bold]assay run my.assay --answers labels.csv[/bold]
    """
    from accuracy_assay.cli.console import one_line, print_json, results, steps
    from accuracy_assay.cli.session import find_working_folder, open_assay
    from accuracy_assay.cli.status import judge_table, service_table
    from accuracy_assay.registry import build_labeler
    from accuracy_assay.session.answering import answer_from
    from accuracy_assay.session.exchange import one_label_each

    find_working_folder()
    labels = {}
    if answers is not None:
        returned = build_labeler(format, answers).read(answers)
        labels = one_label_each(returned, f"labels of {answers.name}")
    with open_assay(store, name, pool, seed_set, is_long=True) as assay:
        called = service or [s.name for s in assay.spec.service if s.column is None]
        judged, among = _to_judge(assay, service), None
        if plan is not None:
            among, named = bought(plan, "judges")
            called, judged = [], [pair for pair in judged if pair[0] in named]
        _agree_to_cost(assay, called, judged, limit, labelled_only, yes, among)
        calls: dict[str, Any] = {"limit": limit, "labelled_only": labelled_only, "engine": engine}
        for wanted in called:
            with _paid_steps(f"service {wanted}") as show:
                assay.predict(wanted, show, **calls)
        for judge, of in judged:
            with _paid_steps(f"judge {judge} of {of}") as show:
                assay.judge(judge, of, show, among=among, **calls)
        if labels:
            budget = assay.spec.assay.budget
            with steps("answers") as advance:
                answer_from(assay, labels, annotator, lambda n: advance(n, budget, ""))
        status = assay.status()
        end = assay.end() if status.stop is not None else None
    if as_json:
        print_json(status.to_dict())
        return
    results().print(service_table(status))
    if status.judges:
        results().print(judge_table(status))
    results().print(f"{plural(status.labels, 'instance')} labelled, {status.asked:,} asked for")
    if end is not None:
        results().print(one_line(f"nothing more to ask for: {end}"), soft_wrap=True)


@contextmanager
def _paid_steps(name: str) -> Iterator[Callable[[int, int, float], None]]:
    """Show a progress bar with the cost so far."""
    from accuracy_assay.cli.console import steps

    with steps(name) as advance:
        yield lambda n, total, cost: advance(n, total, f"cost {cost:.2f}")


def _to_judge(assay: Assay, services: list[str] | None) -> list[tuple[str, str]]:
    """Return the judges to call, each with a service whose answers it judges."""
    names = services or [s.name for s in assay.spec.service]
    called = [judge for judge in assay.spec.judge if judge.column is None]
    return [
        (judge.name, name)
        for name in names
        for judge in called
        if judge.of(name) in assay.spec.judges_of(assay.spec.find_service(name))
    ]


def _agree_to_cost(
    assay: Assay,
    services: list[str],
    judged: list[tuple[str, str]],
    limit: int | None,
    labelled_only: bool,
    allowed: float,
    among: list[Any] | None,
) -> None:
    """Show what the calls will cost, and stop unless it is allowed or agreed to."""
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.errors import InputError
    from accuracy_assay.session.answers import check_ids
    from accuracy_assay.session.predicting import judge_of, n_missing

    session, spec = assay.session, assay.spec
    some = None if among is None else frozenset(check_ids(session.parts().rules, among))
    calls = [
        (
            f"service {name}",
            n_missing(session, spec.find_service(name), labelled_only=labelled_only),
            spec.find_service(name).price,
        )
        for name in services
    ]
    calls += [
        (
            f"judge {judge} of {name}",
            n_missing(
                session, judge_of(spec, judge, name), labelled_only=labelled_only, among=some
            ),
            spec.find_judge(judge).price,
        )
        for judge, name in judged
    ]
    cost = 0.0
    for what, missing, price in calls:
        n_rows = missing if limit is None else min(missing, limit)
        if price * n_rows > 0.0:
            remarks().print(f"{what}: {n_rows:,} calls, {price * n_rows:,.2f}", markup=False)
        cost += price * n_rows
    if cost <= allowed:
        return
    if not sys.stdin.isatty():
        raise InputError(
            f"cost must be agreed to before it is spent; got {cost:,.2f}. Allow it with "
            f"--yes {cost:.2f}, or predict less with --limit or --labelled-only."
        )
    if not typer.confirm(f"Spend {cost:,.2f}?", err=True):
        raise typer.Exit(1)
