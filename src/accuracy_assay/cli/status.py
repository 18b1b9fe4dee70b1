"""``assay status``: where an assay stands, what the numbers mean, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from accuracy_assay.cli.options import AsJson
from accuracy_assay.cli.session import AssayName, PoolPath, SeedSetPath, StoreAddress

if TYPE_CHECKING:
    from rich.table import Table

    from accuracy_assay.session.status import Status

__all__ = ["judge_table", "service_table", "status"]

Agreement = Mapping[str, tuple[float | None, int]]
"""By service: the mean agreement with the labels so far, and the number of labels."""

_SHOWN = 10
"""Disputes that are listed."""


def status(
    store: StoreAddress,
    name: AssayName = None,
    pool: PoolPath = None,
    seed_set: SeedSetPath = None,
    as_json: AsJson = False,
) -> None:
    """Show labels, budget, annotators, services, disagreements, and what to do next.

    Example: [bold]assay status my.assay[/bold]
    """
    from accuracy_assay.cli.console import frame_table, one_line, print_json, results
    from accuracy_assay.cli.session import open_assay
    from accuracy_assay.session.predicting import judge_of, n_missing
    from accuracy_assay.session.status import raw_agreement

    with open_assay(store, name, pool, seed_set) as assay:
        found, session = assay.status(), assay.session
        disputed = assay.labels().filter("is_disputed")
        disagreements = disputed.select("id", "label", "answers", "votes")
        spec = assay.spec
        agreed = {s.name: raw_agreement(session, s.name) for s in spec.service}
        to_predict = [s.name for s in spec.service if n_missing(session, s)]
        to_judge = [
            j for j in found.judges if n_missing(session, judge_of(spec, j.name, j.service))
        ]
        end = assay.end() if found.stop is not None else None
    to_predict += dict.fromkeys(judge.name for judge in to_judge)
    step = _next_step(found, to_predict, "STORE" if as_json else store, end)
    if as_json:
        print_json(_as_dict(found, agreed) | {"disagreements": disagreements.to_dicts()} | step)
        return
    out = results()
    out.print(
        f"{one_line(found.name)}: {found.labels:,} of {found.pool:,} instances labelled"
        f"{f', {found.at_random:,} of them drawn at random' if found.at_random else ''}; "
        f"{found.spent:,} of a budget of {found.budget:,} used, {found.held:,} held now",
        soft_wrap=True,
    )
    out.print(f"labels are chosen {one_line(found.choosing)}", soft_wrap=True)
    answers = ", ".join(f"{one_line(who)} {n:,}" for who, n in found.annotators.items())
    out.print(
        f"answers: {answers or 'nobody yet'}; {found.disputed} disputed, {found.skipped} skipped"
    )
    if found.label_trust is not None:
        out.print(one_line(found.label_trust), soft_wrap=True)
    if not found.labels:
        out.print("no labels yet")
    out.print(service_table(found, agreed))
    if found.judges:
        out.print(judge_table(found))
    for line in _goal_and_check(found):
        out.print(one_line(line), soft_wrap=True)
    for meaning in _meanings(found, agreed):
        out.print(meaning, soft_wrap=True)
    if disagreements.height:
        out.print(frame_table(disagreements.head(_SHOWN)))
        if disagreements.height > _SHOWN:
            out.print(f"and {disagreements.height - _SHOWN} more disputes: --json has them all")
    out.print(f"next: {step['next']}", soft_wrap=True)


def service_table(status: Status, agreed: Agreement | None = None) -> Table:
    """Return one row per service."""
    from accuracy_assay.cli.console import text_table

    columns = [
        "service",
        "predicted",
        "cost",
        "fitted labels",
        "expected MSE x100",
        "labels to halve it",
    ]
    rows = [
        [
            s.name,
            f"{s.predicted:,}",
            f"{s.cost:,.2f}",
            "" if s.fitted_labels is None else f"{s.fitted_labels:,}",
            "" if s.expected_macro_mse is None else f"{s.expected_macro_mse:.3f}",
            "" if s.labels_to_halve is None else f"{s.labels_to_halve:,.0f}",
        ]
        for s in status.services
    ]
    if agreed is not None:
        columns.insert(3, "agreement")
        for row in rows:
            mean, _ = agreed[row[0]]
            row.insert(3, "no labels yet" if mean is None else f"{mean:.1%}")
    return text_table(columns, rows)


def judge_table(status: Status) -> Table:
    """Return one row per judge and service."""
    from accuracy_assay.cli.console import text_table

    rows = [[j.name, j.service, f"{j.judged}", f"{j.cost:.2f}"] for j in status.judges]
    return text_table(["judge", "of", "judged", "cost"], rows)


def _as_dict(status: Status, agreed: Agreement) -> dict[str, object]:
    """Return the status for programs, with the agreement of each service."""
    found = status.to_dict()
    found["services"] = [
        service
        | {
            "agreement": agreed[service["name"]][0],
            "agreement_labels": agreed[service["name"]][1],
        }
        for service in found["services"]
    ]
    return found


def _meanings(status: Status, agreed: Agreement) -> list[str]:
    """Return what the shown numbers mean."""
    said = []
    if any(mean is not None for mean, _ in agreed.values()):
        said.append(
            "agreement: the plain mean over the labels so far;\n"
            "  assay surface says how accurate a service is over the pool"
        )
    if any(s.expected_macro_mse is not None for s in status.services):
        said.append(
            "expected MSE x100: the squared error over arms that the last fit, to the fitted\n"
            "  labels, expects; labels to halve it: how many more labels would halve that"
        )
    return said


def _ranking(status: Status) -> list[str]:
    """Return how far the order of the first services is from being settled."""
    from accuracy_assay.metrics.top_order import FIRST

    found = [s.half_width for s in status.services if s.half_width is not None]
    if status.stop is None or not found:
        return []
    if not max(found):
        return [f"goal: the order of the first {FIRST} services is settled"]
    return [
        f"goal: services whose order is open, one of them among the first {FIRST}, may differ by\n"
        f"  {max(found):.1%}; asking ends once it is settled, or they are tied within "
        f"{status.stop['half_width']:.1%}"
    ]


def _goal_and_check(status: Status) -> list[str]:
    """Return the progress to the goal of the spec, and the design-based check."""
    said = []
    is_ranking = status.stop is not None and status.stop["for"] == "ranking"
    if is_ranking:
        said += _ranking(status)
    for service in status.services:
        if status.stop is not None and service.half_width is not None and not is_ranking:
            said.append(
                f"goal: {status.stop['for']} of {service.name} is known to within "
                f"{service.half_width:.1%}; asking ends at {status.stop['half_width']:.1%}"
            )
        if service.check is not None:
            mean, lower, upper = service.check
            said.append(
                f"check: without a model, from how labels were drawn, {service.name} is right "
                f"in {mean:.1%} ({lower:.1%} to {upper:.1%}) of the pool"
            )
        if service.disagreement is not None:
            said.append(f"warning: {service.name}: {service.disagreement}")
    if not any(s.check for s in status.services) and any(s.fitted_labels for s in status.services):
        said.append(
            "check: not available, since some instances could not be picked, or too few labels "
            "were drawn at random; random_share = 0.1 in the spec makes it possible"
        )
    return said


def _next_step(
    status: Status, to_predict: list[str], store: str, end: str | None = None
) -> dict[str, str]:
    """Return the next command to run."""
    import shlex

    from accuracy_assay.cli.console import one_line
    from accuracy_assay.runtime.secrets import hide_secrets

    shown = shlex.quote(one_line(hide_secrets(store)))
    if to_predict:
        some = ", ".join(map(one_line, to_predict))
        return {"next": f"let {some} answer for the pool: assay run {shown}"}
    if status.held:
        return {"next": f"answer what is held: assay label {shown} --annotator NAME"}
    if end is not None:
        return {"next": f"{end}; see the surface: assay surface {shown}"}
    if status.spent + 1 <= status.budget and status.labels < status.pool:
        return {"next": f"label more: assay label {shown}, or assay ask {shown}"}
    return {"next": f"the budget is spent; see the surface: assay surface {shown}"}
