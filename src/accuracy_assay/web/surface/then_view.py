"""Two states of one surface side by side: as it was, and as it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from accuracy_assay.domain.averages import averages_by
from accuracy_assay.domain.most_telling import most_telling
from accuracy_assay.domain.slices import slice_name
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_text
from accuracy_assay.web.surface.values import NUMBERS, About, Change, Numbers, State, Then
from accuracy_assay.web.surface.views import numbers

__all__ = ["moment", "moment_text", "then_view", "usual_moment"]

_WEEK_S = timedelta(days=7).total_seconds()


def moment(text: str) -> float:
    """Return a time in UTC, such as ``2026-11-11`` or ``2026-11-11T09:30``, in seconds since 1970.

    A day alone is meant as its end.

    Raises
    ------
    InputError
        If it is not a time.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"a moment must be a day or a time, such as 2026-11-11T09:30; got {text!r:.40}."
        ) from None
    if len(text) <= len("2026-11-11"):
        found += timedelta(days=1)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def moment_text(at: float) -> str:
    """Return a time as `moment` reads it, to the minute."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M")


def usual_moment(first: float, last: float) -> float:
    """Return the time to compare with unless one is asked for: a week before the last answer.

    Where all answers came within a week, it is halfway between the first and the last.
    """
    return last - _WEEK_S if last - first > _WEEK_S else (first + last) / 2.0


def then_view(
    about: About, states: tuple[AccuracySurface, AccuracySurface], times: tuple[str, str]
) -> Then:
    """Return both states as wholes and by the values of each attribute, and the weak slices."""
    before, after = states
    changes = []
    for name in most_telling(after):
        sides = [
            {as_text(row[name]): row for row in averages_by(s, (name,), s.mass()).to_dicts()}
            for s in states
        ]
        changes += [
            Change(
                attribute=name,
                value=value,
                then=_numbers(sides[0].get(value)),
                now=_numbers(row),
            )
            for value, row in sides[1].items()
        ]
    was, now = ({slice_name(s.where) for s in state.slices()} for state in states)
    return Then(
        about=about,
        then=_state(before, times[0]),
        now=_state(after, times[1]),
        changes=changes,
        gone=sorted(was - now),
        new=sorted(now - was),
        stayed=sorted(was & now),
    )


def _state(surface: AccuracySurface, at: str) -> State:
    overall = numbers(surface.overall)
    assert overall is not None
    return State(at=at, labels=surface.n_labels, overall=overall)


def _numbers(row: dict[str, float] | None) -> Numbers | None:
    return None if row is None else Numbers(**{name: row[name] for name in NUMBERS})
