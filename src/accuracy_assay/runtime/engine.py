"""Where heavy work over rows is done: here, one part after another, or on other machines.

The work is a function that can be pickled, a part says which rows it is about (a file and its row
groups, a slice of a frame), and a result is small: partial counts, which the caller merges. All
engines give the same results in the same order, so no number depends on where it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from accuracy_assay.errors import AssayError, UnknownNameError
from accuracy_assay.runtime.imports import import_ours

__all__ = ["LOCAL", "Engine", "LocalEngine", "engine", "work_on"]

P = TypeVar("P")
R = TypeVar("R")

_ENGINES = {"ray": "accuracy_assay.runtime.ray_engine:RayEngine"}
"""Those that are not here."""
_SHOWN_CHARACTERS = 80
"""Of a part in an error message: one line of a terminal."""


class Engine(Protocol):
    """Applies a function to parts."""

    @property
    def n_workers(self) -> int:
        """How many parts are worked on at once."""
        ...

    def map(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield ``work(part)`` of every part, in the order of the parts.

        An error of a part names it. Whoever stops asking for results, Ctrl-C included, stops the
        parts that have not begun.
        """
        ...

    def map_as_done(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield the same results, each as soon as it is there, in any order."""
        ...


@dataclass(frozen=True)
class LocalEngine:
    """The process itself, one part after another; the next part begins when it is asked for.

    Examples
    --------
    >>> list(LocalEngine().map(sum, [(1, 2), (3, 4)]))
    [3, 7]
    """

    @property
    def n_workers(self) -> int:
        """One part at a time."""
        return 1

    def map(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield ``work(part)`` of every part."""
        for index, part in enumerate(parts):
            yield work_on(work, index, part)

    def map_as_done(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield ``work(part)`` of every part, which are done in their order here."""
        return self.map(work, parts)


LOCAL = LocalEngine()
"""The default wherever an engine may be given."""


def engine(name: str, *, gpus: float = 0.0, most_workers: int | None = None) -> Engine:
    """Return the engine called ``name``: ``local``, or ``ray``, which needs its extra.

    Parameters
    ----------
    name
        Name of the engine.
    gpus
        How many GPUs each worker has to itself; the local engine has what its machine has.
    most_workers
        Most parts that are worked on at once; as many as the engine can by default.

    Raises
    ------
    UnknownNameError
        If no engine has that name.
    MissingExtraError
        If what it needs is not installed.
    """
    if name == "local":
        return LOCAL
    if name not in _ENGINES:
        raise UnknownNameError("engine", name, ["local", *_ENGINES])
    made: Engine = import_ours(f"engine {name!r}", _ENGINES[name])(gpus, most_workers)
    return made


def work_on(work: Callable[[P], R], index: int, part: P) -> R:
    """Return ``work(part)``; an error says that it came from the part at ``index``."""
    try:
        return work(part)
    except AssayError as error:
        raise _as_plain(error)(f"{_name(index, part)}: {error}") from error
    except Exception as error:
        error.add_note(f"in {_name(index, part)}")
        raise


def _as_plain(error: AssayError) -> type[AssayError]:
    """Return the nearest class that is made from a message alone: it can travel."""
    for kind in type(error).__mro__:
        if issubclass(kind, AssayError) and kind.__init__ is AssayError.__init__:
            return kind
    return AssayError


def _name(index: int, part: object) -> str:
    shown = str(part)
    is_line = len(shown) <= _SHOWN_CHARACTERS and "\n" not in shown
    return f"part {index + 1}, {shown}" if is_line else f"part {index + 1}"
