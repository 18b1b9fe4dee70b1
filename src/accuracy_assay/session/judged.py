"""What judges said of a service, row by row, beside people: certificates, and plans by price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from accuracy_assay.domain.space import Attribute
from accuracy_assay.errors import InputError
from accuracy_assay.reports.certificate import Certificate
from accuracy_assay.session.part_judges import opinions_of
from accuracy_assay.session.session import Session
from accuracy_assay.study.judges.certify import certify
from accuracy_assay.study.plan.by_price import PEOPLE, PriceGoal, PricePlan, plan_by_price

__all__ = ["JudgedRows", "certify_judge", "judged_rows", "plan_judges"]

_ID, _SERVICE, _CLUSTER, _BLIND = "id", "service", "cluster", "blind"


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The rows of a session, with what people and the judges of one service said.

    Parameters
    ----------
    table
        The pool, then the seed set: ``id``, ``service``, the attributes, ``people`` (the score by
        their label) and a column for each judge, null where nobody said anything; ``blind``, null
        without a label, else whether who gave it had been shown no verdict of these judges;
        ``cluster`` if the spec has one.
    n_pool
        Rows of the pool.
    attributes, judges
        The attributes, and the judges that have judged some row.
    """

    table: pl.DataFrame
    n_pool: int
    attributes: tuple[Attribute, ...]
    judges: tuple[str, ...]


def judged_rows(session: Session, service: str | None = None) -> JudgedRows:
    """Return the rows of a session as a table that any study takes.

    Raises
    ------
    InputError
        If an attribute is guessed, revealed by the label or named like one of the other columns.
    """
    parts = session.parts()
    section = parts.spec.find_service(service)
    seen, spec = parts.snapshots.take(section), parts.spec
    rows = seen.problem.rows
    judges = [j for j in spec.judge if j.of(section.name) in spec.judges_of(section)]
    names = rows.space.names
    own = (_ID, _SERVICE, PEOPLE, _BLIND, _CLUSTER, *(j.name for j in judges))
    if unsure := [a.name for a in spec.attribute if a.evidence or a.from_label]:
        raise InputError(
            "judges must be compared with people over attributes that are known for every row; "
            f"got {unsure[0]!r}, which is guessed or revealed by the label."
        )
    if taken := [name for name in own if name in names]:
        raise InputError(
            f"attributes must not be called {', '.join(own)}; got {taken[0]!r}. Derive it under "
            "another name."
        )
    labelled = [row for row in sorted(seen.labels) if rows.ids[row] in seen.predictions]
    scores = seen.problem.scores(labelled, seen.labels, seen.predictions)
    people: list[float | None] = [None] * rows.n_rows
    for row, score in zip(labelled, scores.tolist(), strict=True):
        people[row] = score
    blind: list[bool | None] = [None] * rows.n_rows
    columns = {judge.column for judge in judges}
    with session.journal.reading() as ledger:
        for row in labelled:
            blind[row] = columns.isdisjoint(ledger.shown_with(rows.ids[row]))
        said = {j.name: parts.snapshots.predictions(j.of(section.name), ledger) for j in judges}
        given = [opinions_of(found, name, rows.ids) for name, found in said.items() if found]
    table = rows.frame.select(names).with_columns(
        pl.Series(_ID, rows.ids),
        pl.lit(section.name).alias(_SERVICE),
        pl.Series(PEOPLE, people, dtype=pl.Float64),
        pl.Series(_BLIND, blind, dtype=pl.Boolean),
        *given,
    )
    if spec.pool.cluster is not None:
        table = table.with_columns(rows.frame.get_column(spec.pool.cluster).alias(_CLUSTER))
    return JudgedRows(table, rows.n_pool, rows.space.attributes, tuple(c.name for c in given))


def certify_judge(
    session: Session, service: str | None = None, judge: str | None = None, **options: Any
) -> Certificate:
    """Certify a judge of a service by the labels of a session.

    A label is blind if no judge's verdict was shown to who gave it, whatever the spec shows now.

    Parameters
    ----------
    session, service, judge
        The session, which of its services, and which of its judges; each may be left out where
        there is one.
    options
        As in ``certify``.
    """
    found = judged_rows(session, service)
    known = [name for name in found.judges if judge in (None, name)]
    if len(known) != 1:
        got = judge or ", ".join(found.judges) or "none that judged a row"
        raise InputError(
            f"a certificate must be of one judge of the service; got {got}. Name one."
        )
    table = found.table
    return certify(
        table.drop_nulls(PEOPLE),
        found.attributes,
        PEOPLE,
        judge=known[0],
        service=_SERVICE,
        blind=_BLIND,
        cluster=_CLUSTER if _CLUSTER in table.columns else None,
        pool=table[: found.n_pool],
        id=_ID,
        **options,
    )


def plan_judges(
    session: Session,
    half_width: float,
    of: PriceGoal = "overall",
    service: str | None = None,
    prices: Mapping[str, float] | None = None,
    judges: Sequence[str] | None = None,
    **options: Any,
) -> PricePlan:
    """Say which rows of a session's pool go to people and which to judges; see `plan_by_price`.

    Prices are by default those of the spec.
    """
    found, spec = judged_rows(session, service), session.parts().spec
    if not found.judges:
        raise InputError(
            "a plan by price must have a judge who has judged labelled rows; got none. Let one do "
            "so: assay run STORE --labelled-only."
        )
    costs = {PEOPLE: spec.label.price, **{j.name: j.price for j in spec.judge}, **(prices or {})}
    return plan_by_price(
        found.table[: found.n_pool],
        found.attributes,
        PEOPLE,
        judges=found.judges if judges is None else judges,
        prices=costs,
        half_width=half_width,
        of=of,
        id=_ID,
        seed=spec.assay.seed,
        **options,
    )
