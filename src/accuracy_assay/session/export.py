"""The history of an assay as tables, and back: labels, answers, events.

Only the store is read: what people did can be saved even if the pool or the services are gone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import polars as pl

from accuracy_assay.domain.events import (
    Asked,
    AssayOpened,
    Event,
    Recorded,
    Told,
    decode,
    encode,
)
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.protocols import Store
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.frames import labels_frame
from accuracy_assay.session.ledger import Ledger

__all__ = ["Part", "export_frame", "import_answers", "import_events", "is_begun_import"]

Part = Literal["labels", "answers", "events"]

_EVENTS = {"seq": pl.Int64, "at": pl.Float64, "kind": pl.String, "payload": pl.String}
_ANSWERS: dict[str, Any] = {
    "seq": pl.Int64,
    "at": pl.Float64,
    "id": pl.String,
    "annotator": pl.String,
    "label": pl.String,
    "attributes": pl.String,
    "seconds": pl.Float64,
    "asked_at": pl.Float64,
    "lease_until": pl.Float64,
    "is_standing": pl.Boolean,
}


def export_frame(recorded: Sequence[Recorded], part: str) -> pl.DataFrame:
    """Return one part of an assay's history as a table.

    Parameters
    ----------
    recorded
        The events of the assay.
    part
        ``labels``: one row per labelled instance, as ``Assay.labels``. ``answers``: one row per
        answer ever told, with annotator, time, lease, confirmed attributes as JSON, and whether
        it still counts. ``events``: everything, as it is stored.
    """
    if part not in get_args(Part):
        raise UnknownNameError("part of an assay", part, get_args(Part))
    if part == "events":
        rows = [(r.seq, r.at, *encode(r.event)) for r in recorded]
        return pl.DataFrame(rows, schema=_EVENTS, orient="row")
    recorded = _without_gaps(recorded)
    ledger = _replay(recorded)
    return labels_frame(ledger) if part == "labels" else _answers(recorded, ledger)


def import_events(store: Store, frame: pl.DataFrame, name: str | None = None) -> str:
    """Write exported events into a store as a new assay and return its name.

    Parameters
    ----------
    store
        Where to; it must not have an assay of that name.
    frame
        What ``export_frame(..., "events")`` returned.
    name
        Name of the new assay, that of the old one by default.

    Raises
    ------
    InputError
        If the table does not hold events, or does not begin with the opening of an assay.
    """
    require_columns(frame, ["seq", "kind", "payload"], what="events")
    ordered = frame.sort(pl.col("seq").cast(pl.Int64))
    events: list[Event] = [
        decode(kind, payload) for kind, payload in ordered.select("kind", "payload").iter_rows()
    ]
    if not events or not isinstance(events[0], AssayOpened):
        raise InputError(
            "events must begin with the opening of an assay; got "
            f"{type(events[0]).__name__ if events else 'none'}. Export them with: assay export "
            "STORE events"
        )
    chosen = name or str(events[0].spec["assay"]["name"])
    store.create(chosen, events)
    return chosen


def import_answers(assay: Assay, frame: pl.DataFrame, annotator: str = "import") -> int:
    """Tell an assay what another one was told and return how many answers are new.

    Parameters
    ----------
    assay
        The assay that takes the answers, in the order of ``seq`` where the table has it.
    frame
        What ``export_frame`` returned for ``answers`` or ``labels``; answers that no longer
        counted are left out.
    annotator
        Who answered, where the table does not say.
    """
    require_columns(frame, ["id", "label"], what="answers")
    if "seq" in frame.columns:
        frame = frame.sort(pl.col("seq").cast(pl.Int64), maintain_order=True)
    if "is_standing" in frame.columns:
        stands = frame.get_column("is_standing").cast(pl.String).str.to_lowercase() == "true"
        frame = frame.filter(stands)
    n_new = 0
    who = frame.get_column("annotator") if "annotator" in frame.columns else None
    names = [annotator] * frame.height if who is None else who.to_list()
    for name, rows in frame.with_columns(pl.Series("annotator", names)).group_by(
        "annotator", maintain_order=True
    ):
        known = rows.get_column("attributes").to_list() if "attributes" in rows.columns else []
        n_new += assay.tell(
            rows.get_column("id").cast(pl.String),
            rows.get_column("label").cast(pl.String),
            str(name[0]),
            confirmed_attributes=[json.loads(text) if text else {} for text in known] or None,
        )
    return n_new


def is_begun_import(assay: Assay, frame: pl.DataFrame, annotator: str = "import") -> bool:
    """Return whether an assay holds only what `import_answers` writes of a table, or a part of it.

    So an import that was killed can be repeated.
    """
    require_columns(frame, ["id", "label"], what="answers")
    recorded = assay.session.events()
    if not all(isinstance(each.event, AssayOpened | Told) for each in recorded):
        return False
    who = pl.col("annotator") if "annotator" in frame.columns else pl.lit(annotator)
    given = set(frame.select(pl.col("id", "label").cast(pl.String), who).iter_rows())
    told = export_frame(recorded, "answers").select("id", "label", "annotator").iter_rows()
    return all(answer in given for answer in told)


def _without_gaps(recorded: Sequence[Recorded]) -> Sequence[Recorded]:
    """Return the events that are left of a damaged store with numbers from 1 on."""
    if all(each.seq == number for number, each in enumerate(recorded, start=1)):
        return recorded
    return [replace(each, seq=number) for number, each in enumerate(recorded, start=1)]


def _replay(recorded: Sequence[Recorded]) -> Ledger:
    ledger = Ledger()
    ledger.apply(recorded)
    return ledger


def _answers(recorded: Sequence[Recorded], ledger: Ledger) -> pl.DataFrame:
    leases: dict[tuple[str, str], tuple[float, float]] = {}
    rows: list[tuple[Any, ...]] = []
    for entry in recorded:
        event = entry.event
        if isinstance(event, Asked):
            for instance in ledger.granted.get(entry.seq, ()):
                leases[instance, event.annotator] = (entry.at, event.until)
        elif isinstance(event, Told) and entry.seq not in ledger.refused:
            rows += _told_rows(entry, event, leases)
    last = {(row[2], row[3]): row[0] for row in rows}
    standing = [
        last[row[2], row[3]] == row[0] and row[3] in ledger.answers.get(row[2], ()) for row in rows
    ]
    table = [
        (*(_with_all_confirmed(row, ledger) if stands else row), stands)
        for row, stands in zip(rows, standing, strict=True)
    ]
    return pl.DataFrame(table, schema=_ANSWERS, orient="row")


def _with_all_confirmed(row: tuple[Any, ...], ledger: Ledger) -> tuple[Any, ...]:
    """Return a standing answer with what was confirmed with it and with those that it replaced."""
    seq, at, instance, annotator, label, _, *rest = row
    known = ledger.answers[instance][annotator].attributes
    return (seq, at, instance, annotator, label, _as_json(known), *rest)


def _as_json(attributes: Mapping[str, Any]) -> str:
    return json.dumps(dict(attributes), ensure_ascii=False)


def _told_rows(
    entry: Recorded, told: Told, leases: dict[tuple[str, str], tuple[float, float]]
) -> list[tuple[Any, ...]]:
    attributes = told.attributes or ({},) * len(told.ids)
    seconds = told.seconds or (None,) * len(told.ids)
    return [
        (
            entry.seq,
            entry.at,
            instance,
            told.annotator,
            label,
            _as_json(known),
            took,
            *leases.get((instance, told.annotator), (None, None)),
        )
        for instance, label, known, took in zip(
            told.ids, told.labels, attributes, seconds, strict=True
        )
    ]
