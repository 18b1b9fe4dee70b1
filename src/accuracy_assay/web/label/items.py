"""Instances as the page shows them: what to look at, and which guessed attributes to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from accuracy_assay.files.texts import as_text
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.frames import row_choices
from accuracy_assay.session.instances import predictions_of
from accuracy_assay.session.ledger import Answer
from accuracy_assay.session.session import Parts
from accuracy_assay.spec.model import Show
from accuracy_assay.web.label.media import is_media

__all__ = ["Confirmation", "Item", "Part", "items_of"]


class Part(BaseModel):
    """One thing to look at: a text, a table value, or the address of an image or recording."""

    kind: Show
    column: str
    text: str | None = None
    media: str | None = None


class Confirmation(BaseModel):
    """A guessed attribute worth confirming, and its possible values."""

    attribute: str
    values: list[str]


class Item(BaseModel):
    """One instance to label, with its ``answer`` if it has one.

    ``choices`` are its own, None where all instances have the same.
    """

    id: str
    show: list[Part]
    confirm: list[Confirmation] = Field(default_factory=list)
    choices: list[str] | None = None
    arm: str = ""
    why: str = ""
    predictions: dict[str, str] = Field(default_factory=dict)
    answer: str | None = None
    attributes: dict[str, str] = Field(default_factory=dict)


def items_of(
    assay: Assay, ids: Iterable[str], answers: Mapping[str, Answer] | None = None
) -> list[Item]:
    """Return instances as the page shows them, in the order of ``ids``."""
    names, known = list(ids), answers or {}
    if not names:
        return []
    parts = assay.session.parts()
    shows_predictions = parts.spec.label.show_predictions
    predictions = predictions_of(parts.snapshots, names) if shows_predictions else {}
    return [
        _item(parts, row, predictions.get(row["id"], {}), known.get(row["id"]))
        for row in assay.session.batch(names).iter_rows(named=True)
    ]


def _item(
    parts: Parts, row: Mapping[str, Any], predictions: Mapping[str, str], answer: Answer | None
) -> Item:
    unsure = [name for name in row.get("unsure", "").split(", ") if name]
    return Item(
        id=row["id"],
        show=[
            _part(row["id"], kind, column, row[column])
            for kind, column in parts.spec.label.shown
            if row.get(column) is not None
        ],
        confirm=[_confirmation(parts, name) for name in unsure],
        choices=row_choices(parts.spec.label, row) if parts.spec.label.choices_from else None,
        # People tend to confirm a guess that they see, and a known attribute hints at the answer.
        arm="" if unsure or not parts.spec.label.show_attributes else row["arm"],
        why=row["why"],
        predictions=dict(predictions),
        answer=None if answer is None else answer.label,
        attributes={} if answer is None else dict(answer.attributes),
    )


def _part(instance: str, kind: Show, column: str, value: object) -> Part:
    if kind in ("image", "audio") and is_media(value):
        address = f"/media/{quote(column, safe='')}?id={quote(instance, safe='')}"
        return Part(kind=kind, column=column, media=address)
    return Part(kind="table" if kind == "table" else "text", column=column, text=as_text(value))


def _confirmation(parts: Parts, name: str) -> Confirmation:
    values = parts.rows.space.attribute(name).values
    return Confirmation(attribute=name, values=[as_text(value) for value in values])
