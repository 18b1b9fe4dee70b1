"""A tagger: any function from texts to the probability of each value.

It takes a list of n texts and returns probabilities (n, V), one column per declared value, or a
mapping of V values to n probabilities each. A zero-shot classifier is one in a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from accuracy_assay.errors import InputError
from accuracy_assay.files.texts import as_texts
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.imports import import_address
from accuracy_assay.runtime.secrets import shown_error

__all__ = ["Tagger", "load_tagger", "tag_texts"]

Tagger = Callable[[list[str]], Any]

_SUM_TOLERANCE = 1e-3
"""How far from one the probabilities of a text may sum, as in a table of evidence."""


def load_tagger(tagger: str | Tagger, what: str) -> Tagger:
    """Return the function that ``module:function`` stands for, or the function itself."""
    found: Any = import_address(what, tagger) if isinstance(tagger, str) else tagger
    if not callable(found):
        raise InputError(f"{what} must be a function of a list of texts; got {found!r}.")
    return found  # type: ignore[no-any-return]


def tag_texts(
    tagger: Tagger, texts: Sequence[str], values: Sequence[str], what: str
) -> tuple[tuple[str, ...], FloatArray]:
    """Return the values and their probabilities (n, V), each row of which sums to one.

    Raises
    ------
    InputError
        If the function fails or returns anything else; the message names the text.

    Examples
    --------
    >>> def volume(texts):
    ...     is_loud = np.array([text.isupper() for text in texts])
    ...     return {"loud": is_loud, "calm": ~is_loud}
    >>> values, table = tag_texts(volume, ["HELLO", "bye"], (), "tagger")
    >>> values, table.tolist()
    (('calm', 'loud'), [[0.0, 1.0], [1.0, 0.0]])
    """
    try:
        said = tagger(list(texts))
    except KeyboardInterrupt:
        raise  # the user pressed Ctrl-C
    except BaseException as error:  # whatever the user's function raises, even sys.exit()
        raise InputError(
            f"{what} must tag {len(texts)} texts; got {shown_error(error)}."
        ) from error
    named, table = _as_table(said, len(texts), values, what)
    total = table.sum(axis=1)
    is_bad = ~(np.abs(total - 1.0) <= _SUM_TOLERANCE) | (table < 0.0).any(axis=1)
    if is_bad.any():
        row = int(np.flatnonzero(is_bad)[0])
        raise InputError(
            f"{what} must return probabilities that sum to one for each text; got "
            f"{[float(f'{p:.4g}') for p in table[row]]} for {texts[row]!r:.80}. If these are "
            "scores, apply a softmax."
        )
    return named, np.asarray(table / total[:, None])


def _as_table(
    said: Any, n_texts: int, values: Sequence[str], what: str
) -> tuple[tuple[str, ...], FloatArray]:
    named = tuple(values)
    if isinstance(said, Mapping):
        found = dict(zip(as_texts(said), said.values(), strict=True))
        if named and set(named) != set(found):
            raise InputError(
                f"{what} must return the declared values {list(named)!r}; got {list(found)!r}."
            )
        named = named or tuple(sorted(found))
        table = _numbers([found[value] for value in named], what).T
    elif named:
        table = _numbers(said, what)
    else:
        raise InputError(
            f"{what} must have its values declared, or return a mapping of values to "
            f"probabilities; got {type(said).__name__} without values. Set values = [...]."
        )
    if table.shape != (n_texts, len(named)):
        raise InputError(
            f"{what} must return one probability for each text and value, shape "
            f"({n_texts}, {len(named)}); got {table.shape}."
        )
    return named, table


def _numbers(said: Any, what: str) -> FloatArray:
    try:
        return np.asarray(said, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} must return numbers, as many for each value; got something else in a "
            f"{type(said).__name__}."
        ) from None
