"""The events of an assay: everything that ever happened to it, in order.

An assay is its list of events; all else is a fold over them or a cache. An event is a frozen value
of texts, numbers and tuples, so it can be written as JSON and read back equal. Instances are known
by the text of their id, answers by the text of their label. Times are seconds since 1970.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from accuracy_assay.errors import StoreError

__all__ = [
    "Asked",
    "AssayOpened",
    "Claimed",
    "Edited",
    "Event",
    "Extended",
    "Fitted",
    "Invited",
    "PoolChanged",
    "Predicted",
    "Recorded",
    "Released",
    "Revoked",
    "Settled",
    "SignedIn",
    "Skipped",
    "Told",
    "Undone",
    "decode",
    "encode",
]


@dataclass(frozen=True)
class AssayOpened:
    """The first event: the spec, and what identifies the pool when it is read again.

    ``columns`` holds fingerprints of the columns that surfaces depend on, by name.
    """

    spec: Mapping[str, Any]
    n_rows: int
    ids_digest: str
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Predicted:
    """A service predicted some instances, at a price."""

    service: str
    ids: tuple[str, ...]
    predictions: tuple[str, ...]
    confidences: tuple[float | None, ...]
    cost: float = 0.0


@dataclass(frozen=True)
class Edited:
    """The spec was changed: the whole new spec, and the keys that differ."""

    spec: Mapping[str, Any]
    changes: tuple[str, ...]


@dataclass(frozen=True)
class PoolChanged:
    """Columns of the pool changed, or are new to the spec: their new fingerprints."""

    columns: Mapping[str, str]


@dataclass(frozen=True)
class Claimed:
    """A run will let a service predict some instances; other runs leave them alone until a time.

    ``dead`` names runs known to have died; their claims no longer count.
    """

    service: str
    ids: tuple[str, ...]
    runner: str
    until: float
    dead: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """Instances were handed to an annotator, who holds them until a time.

    ``service`` names the services, joined by commas, whose surfaces guided the choice.
    ``probabilities`` holds the probability of each pick given those before it, ``least`` the
    smallest of any free instance (zero if some could not be picked). ``at_random`` says which were
    drawn from all free instances alike, a draw that gave each the chance ``least``. ``purposes``
    says what those are asked for that need no further answer: ``check`` (its truth is known),
    ``overlap`` (drawn at random for a second opinion) or ``second`` (a second opinion where it
    teaches most); else it is empty. ``confirm`` holds the guessed attributes that are to be
    confirmed with each, and their prices in labels. Old stores lack these.
    """

    ids: tuple[str, ...]
    annotator: str
    until: float
    service: str
    reasons: tuple[str, ...]
    probabilities: tuple[float, ...]
    least: tuple[float, ...] = ()
    at_random: tuple[bool, ...] = ()
    purposes: tuple[str, ...] = ()
    confirm: tuple[Mapping[str, float], ...] = ()


@dataclass(frozen=True)
class Told:
    """An annotator answered; ``attributes`` are those confirmed with each answer."""

    ids: tuple[str, ...]
    labels: tuple[str, ...]
    annotator: str
    attributes: tuple[Mapping[str, str], ...] = ()
    seconds: tuple[float | None, ...] = ()
    is_replacing: bool = False


@dataclass(frozen=True)
class Skipped:
    """An annotator will not answer these instances."""

    ids: tuple[str, ...]
    annotator: str
    reason: str = ""


@dataclass(frozen=True)
class Released:
    """An annotator gave instances back unanswered, and may be asked about them again."""

    ids: tuple[str, ...]
    annotator: str


@dataclass(frozen=True)
class Extended:
    """An annotator holds instances longer, as a labelling tool does while they wait in it."""

    ids: tuple[str, ...]
    annotator: str
    until: float


@dataclass(frozen=True)
class Undone:
    """An annotator took answers back, and holds the instances again until a time."""

    ids: tuple[str, ...]
    annotator: str
    until: float


@dataclass(frozen=True)
class Settled:
    """The labels of disputed instances were decided; they stand whatever the answers say."""

    ids: tuple[str, ...]
    labels: tuple[str, ...]
    annotator: str


@dataclass(frozen=True)
class Invited:
    """Someone was given a token for the page, valid until a time; only its digest is kept.

    ``role`` is ``annotator`` or ``admin``. A link is swapped once for a browser session; any other
    token is for programs, and works until it expires.
    """

    annotator: str
    role: str
    digest: str
    until: float
    is_link: bool = True


@dataclass(frozen=True)
class SignedIn:
    """A link was swapped for a session, known by the digest of its token, valid until a time."""

    link: str
    session: str
    until: float


@dataclass(frozen=True)
class Revoked:
    """Every token and session that an annotator has had so far is void."""

    annotator: str


@dataclass(frozen=True)
class Fitted:
    """A surface was fitted to the events up to ``seen_seq``; the surface itself is a cache.

    ``check`` is the design-based check (mean, lower, upper), if any, and ``overall`` what the
    surface says beside it. ``half_width`` is set if the spec asks for one. ``known_to`` is how
    closely the whole and the least known slice are known, where someone watched the fit.
    """

    service: str
    seen_seq: int
    n_labels: int
    seconds: float
    expected_macro_mse: float | None = None
    overall: tuple[float, float, float] | None = None
    check: tuple[float, float, float] | None = None
    half_width: float | None = None
    known_to: tuple[float, float] | None = None


Event = (
    AssayOpened
    | Edited
    | PoolChanged
    | Claimed
    | Predicted
    | Asked
    | Told
    | Skipped
    | Released
    | Extended
    | Undone
    | Settled
    | Invited
    | SignedIn
    | Revoked
    | Fitted
)

_KINDS: Mapping[str, type[Event]] = {
    "Scored": Predicted,  # as version 0.1 wrote it
    **{kind.__name__: kind for kind in get_args(Event)},
}


@dataclass(frozen=True)
class Recorded:
    """An event as a store holds it: with its sequence number, from 1, and when it was stored.

    ``is_checked`` says whether a checksum was compared; events of old stores have none.
    """

    seq: int
    at: float
    event: Event = field(repr=False)
    is_checked: bool = field(default=False, repr=False, compare=False)


def encode(event: Event) -> tuple[str, str]:
    """Return the kind of an event and its JSON text.

    Examples
    --------
    >>> encode(Skipped(("x1",), "ann"))
    ('Skipped', '{"ids":["x1"],"annotator":"ann","reason":""}')
    """
    content = {f.name: getattr(event, f.name) for f in fields(event)}
    return type(event).__name__, json.dumps(content, separators=(",", ":"), allow_nan=False)


def decode(kind: str, payload: str) -> Event:
    """Return the event that `encode` wrote.

    Raises
    ------
    StoreError
        If the kind is unknown, perhaps from a newer version, or the text is damaged.
    """
    if kind not in _KINDS:
        raise StoreError(
            f"events must be of a kind in {list(_KINDS)}; got {kind!r}. "
            "Upgrade accuracy-assay to read what a newer version wrote."
        )
    try:
        content = json.loads(payload)
        return _KINDS[kind](**{name: _frozen(value) for name, value in content.items()})
    except (ValueError, TypeError, AttributeError) as error:
        raise StoreError(
            f"a stored event must be what was written; got a damaged {kind}: {error}."
        ) from None


def _frozen(value: Any) -> Any:
    mended = _mended(value)
    return tuple(mended) if isinstance(mended, list) else mended


def _mended(value: Any) -> Any:
    """Return a value with a mark in place of each lone surrogate (half a character).

    Old versions stored them. No table can hold one, so the assay would not open.
    """
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value
