"""Instances as a page shows them: what to look at, and which guessed attributes to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal
from urllib.parse import quote

from pydantic import BaseModel, Field

from accuracy_assay.files.texts import as_text
from accuracy_assay.session.instances import predictions_of
from accuracy_assay.session.ledger import Answer
from accuracy_assay.session.session import Parts
from accuracy_assay.web.label.media import is_media
from accuracy_assay.web.room import Room

__all__ = ["Item", "Part", "Question", "items_of"]


class Part(BaseModel):
    """One thing to look at: a text, a value of a table, or where an image or recording is."""

    kind: Literal["text", "image", "audio", "table"]
    column: str
    text: str | None = None
    media: str | None = None


class Question(BaseModel):
    """A guessed attribute that is worth a confirmation, and the values it may have."""

    attribute: str
    values: list[str]


class Item(BaseModel):
    """One instance to label; ``answer`` is there where it was answered."""

    id: str
    show: list[Part]
    confirm: list[Question] = Field(default_factory=list)
    arm: str = ""
    why: str = ""
    predictions: dict[str, str] = Field(default_factory=dict)
    answer: str | None = None
    attributes: dict[str, str] = Field(default_factory=dict)


def items_of(
    room: Room, ids: Iterable[str], answers: Mapping[str, Answer] | None = None
) -> list[Item]:
    """Return instances as a page shows them, in the order of ``ids``."""
    names, known = list(ids), answers or {}
    if not names:
        return []
    parts = room.assay.session.parts()
    shows_predictions = parts.spec.label.show_predictions
    predictions = predictions_of(parts.snapshots, names) if shows_predictions else {}
    return [
        _item(parts, row, predictions.get(row["id"], {}), known.get(row["id"]))
        for row in room.assay.session.show(names).iter_rows(named=True)
    ]


def _item(
    parts: Parts, row: Mapping[str, Any], predictions: Mapping[str, str], answer: Answer | None
) -> Item:
    unsure = [name for name in row.get("unsure", "").split(", ") if name]
    return Item(
        id=row["id"],
        show=[
            _part(row["id"], kind, column, row[column])
            for kind, columns in parts.spec.label.show.items()
            for column in ([columns] if isinstance(columns, str) else columns)
            if row.get(column) is not None
        ],
        confirm=[_question(parts, name) for name in unsure],
        arm="" if unsure else row["arm"],  # a guess that is shown is easily confirmed
        why=row["why"],
        predictions=dict(predictions),
        answer=None if answer is None else answer.label,
        attributes={} if answer is None else dict(answer.attributes),
    )


def _part(
    instance: str, kind: Literal["text", "image", "audio", "table"], column: str, value: object
) -> Part:
    if kind in ("image", "audio") and is_media(value):
        address = f"/media/{quote(column, safe='')}?id={quote(instance, safe='')}"
        return Part(kind=kind, column=column, media=address)
    shown: Literal["text", "image", "audio", "table"] = "table" if kind == "table" else "text"
    return Part(kind=shown, column=column, text=as_text(value))


def _question(parts: Parts, name: str) -> Question:
    values = parts.rows.space.attribute(name).values
    return Question(attribute=name, values=[as_text(value) for value in values])
