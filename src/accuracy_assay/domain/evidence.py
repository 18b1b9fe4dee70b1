"""What is known of each instance's attributes: exact values, or probabilities from a predictor.

Notation: n instances, K attributes, attribute k has V_k values. Column k of the evidence is either
int64 codes (n,), -1 if unknown, or float64 probabilities M_k (n, V_k) whose rows sum to one. A
uniform row means no evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import as_text, find_text, text_positions
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Evidence", "columns_by_value"]

_SUM_TOLERANCE = 1e-3
"""How far from one a row of probabilities may sum: the rounding of three decimals in a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of n instances, one column per attribute of the space.

    Parameters
    ----------
    space
        The space of the attributes.
    columns
        One entry per attribute: codes (n,) if exact, -1 where unknown, or probabilities (n, V_k).
        Rows of probabilities that sum to one within 0.001 are renormalised.

    Raises
    ------
    InputError
        If a code is out of range, or a row of probabilities holds NaN or a negative number, or
        does not sum to one. The message names the attribute and the row.

    Examples
    --------
    >>> space = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("age", ("young", "old"))))
    >>> evidence = Evidence(space, (np.array([0, -1]), np.array([[0.9, 0.1], [0.5, 0.5]])))
    >>> evidence.n_rows, evidence.is_guessed
    (2, (False, True))
    >>> evidence.predicted().tolist()
    [[0, 0], [-1, 0]]
    """

    space: AttributeSpace
    columns: tuple[npt.NDArray[Any], ...]

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.space.attributes):
            raise InputError(
                f"evidence must have one column for each of {list(self.space.names)}; "
                f"got {len(self.columns)}."
            )
        pairs = zip(self.space.attributes, self.columns, strict=True)
        columns = tuple(_checked(attribute, np.asarray(column)) for attribute, column in pairs)
        if len({column.shape[0] for column in columns}) > 1:
            raise InputError(
                "columns of evidence must have the same number of rows; "
                f"got {[column.shape[0] for column in columns]}."
            )
        object.__setattr__(self, "columns", columns)

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        space: AttributeSpace,
        evidence: Mapping[str, str] | None = None,
        *,
        logits: Collection[str] = (),
        from_label: Collection[str] = (),
    ) -> Evidence:
        """Read evidence off the columns of a frame.

        Parameters
        ----------
        frame
            One row per instance.
        space
            The attributes and their declared values.
        evidence
            Maps attributes to a pattern with one star, such as ``"p_accent__*"``. Each matching
            column holds the probability of the value that the star stands for. A row in which all
            of them are missing is uniform. Attributes not named here are exact columns; a missing
            value is unknown.
        logits
            Attributes whose columns hold logits (any real numbers) instead of probabilities.
        from_label
            Attributes that are unknown until the instance is labelled.

        Examples
        --------
        >>> frame = pl.DataFrame({"p_sex__m": [0.2, None], "p_sex__f": [0.8, None]})
        >>> space = AttributeSpace((Attribute("sex", ("f", "m")),))
        >>> Evidence.from_frame(frame, space, {"sex": "p_sex__*"}).columns[0].tolist()
        [[0.8, 0.2], [0.5, 0.5]]
        """
        patterns = dict(evidence or {})
        for name in (*patterns, *logits, *from_label):
            space.attribute(name)
        columns: list[npt.NDArray[Any]] = []
        for attribute in space.attributes:
            if attribute.name in from_label:
                columns.append(np.full(frame.height, -1, dtype=np.int64))
            elif attribute.name in patterns:
                names = _columns_of(attribute, patterns[attribute.name], frame.columns)
                scores = frame.select(names)
                columns.append(_probabilities(attribute, scores, attribute.name in logits))
            else:
                columns.append(_codes(attribute, frame))
        return cls(space, tuple(columns))

    @classmethod
    def exact(cls, space: AttributeSpace, codes: npt.ArrayLike) -> Evidence:
        """Return evidence of exact attributes: codes (n, K), -1 where unknown."""
        table = np.asarray(codes, dtype=np.int64)
        return cls(space, tuple(table[:, k] for k in range(len(space.attributes))))

    @classmethod
    def concatenate(cls, parts: Sequence[Evidence]) -> Evidence:
        """Return the rows of several tables of one space, one after another.

        An attribute that is guessed in one is guessed in all.
        """
        columns = []
        for k, kinds in enumerate(zip(*(part.is_guessed for part in parts), strict=True)):
            tables = [part.probabilities(k) if any(kinds) else part.columns[k] for part in parts]
            columns.append(np.concatenate(tables))
        return cls(parts[0].space, tuple(columns))

    @property
    def n_rows(self) -> int:
        """Number of instances."""
        return int(self.columns[0].shape[0])

    @property
    def is_guessed(self) -> tuple[bool, ...]:
        """Whether each attribute comes from a predictor rather than as exact codes."""
        return tuple(column.ndim == 2 for column in self.columns)

    def take(self, rows: npt.ArrayLike | slice) -> Evidence:
        """Return the given rows: numbers, a boolean mask or a slice."""
        chosen = rows if isinstance(rows, slice) else np.asarray(rows)
        return Evidence(self.space, tuple(column[chosen] for column in self.columns))

    def predicted(self) -> IntArray:
        """Return the most probable code of each attribute, shape (n, K); -1 where unknown."""
        return np.stack(
            [c if c.ndim == 1 else np.argmax(c, axis=1).astype(np.int64) for c in self.columns],
            axis=1,
        )

    def probabilities(self, k: int) -> FloatArray:
        """Return M_k as a dense table (n, V_k): one-hot where exact, uniform where unknown."""
        column = self.columns[k]
        if column.ndim == 2:
            return column
        size = self.space.shape[k]
        table = np.zeros((column.size, size))
        table[np.arange(column.size), column] = 1.0
        table[column < 0] = 1.0 / size
        return table


def columns_by_value(
    pattern: str, names: Iterable[str], *, what: str = "evidence"
) -> dict[str, str]:
    """Return the columns that match a pattern with one star, by what the star stands for.

    Parameters
    ----------
    pattern
        Such as ``"p_accent__*"``; the star stands for at least one character.
    names
        Names of columns.
    what
        What error messages call the pattern.

    Raises
    ------
    InputError
        If the pattern has no star, or several.

    Examples
    --------
    >>> columns_by_value("p_sex__*", ["id", "p_sex__f", "p_sex__m", "p_sex__"])
    {'f': 'p_sex__f', 'm': 'p_sex__m'}
    """
    if pattern.count("*") != 1:
        raise InputError(
            f"{what} must be a pattern with one star, such as 'p_accent__*'; got {pattern!r}."
        )
    before, after = pattern.split("*")
    fixed = len(before) + len(after)
    return {
        name[len(before) : len(name) - len(after)]: name
        for name in names
        if len(name) > fixed and name.startswith(before) and name.endswith(after)
    }


def _checked(attribute: Attribute, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if column.ndim == 1 and np.issubdtype(column.dtype, np.integer):
        checked: npt.NDArray[Any] = column.astype(np.int64)
        is_outside = (checked < -1) | (checked >= attribute.size)
        if is_outside.any():
            row = int(np.flatnonzero(is_outside)[0])
            raise InputError(
                f"codes of attribute {attribute.name!r} must lie in 0..{attribute.size - 1}, or "
                f"be -1 where unknown; got {checked[row]} in row {row}."
            )
    elif column.ndim == 2 and column.shape[1] == attribute.size:
        checked = _normalised(attribute, column.astype(np.float64))
    else:
        raise InputError(
            f"evidence of attribute {attribute.name!r} must be whole-number codes (n,) or "
            f"probabilities (n, {attribute.size}); got {column.dtype} of shape {column.shape}."
        )
    checked.flags.writeable = False
    return checked


def _normalised(attribute: Attribute, table: FloatArray) -> FloatArray:
    total = table.sum(axis=1)
    is_bad = ~(np.abs(total - 1.0) <= _SUM_TOLERANCE) | (table < 0.0).any(axis=1)
    if is_bad.any():
        row = int(np.flatnonzero(is_bad)[0])
        raise InputError(_explain(attribute, row, table[row]))
    return np.asarray(table / total[:, None])


def _explain(attribute: Attribute, row: int, values: FloatArray) -> str:
    start = f"evidence of attribute {attribute.name!r} in row {row} must"
    got = f"got {[float(f'{v:.4g}') for v in values]}."
    if np.isnan(values).any():
        return f"{start} be numbers; {got} Leave the whole row missing if nothing is known."
    if not values.any():
        return f"{start} not be all zero; {got} Leave the row missing if nothing is known."
    if (values < 0.0).any():
        return f"{start} not be negative; {got} If these are logits, pass logits=."
    return f"{start} sum to one; {got} Normalise it, or if these are logits, pass logits=."


def _columns_of(attribute: Attribute, pattern: str, names: Sequence[str]) -> list[str]:
    """Return the columns that match the pattern, in the order of the attribute's values."""
    what = f"evidence of attribute {attribute.name!r}"
    found = columns_by_value(pattern, names, what=what)
    if not found:
        raise UnknownNameError(f"columns for attribute {attribute.name!r}", pattern, names)
    wanted = [_spelling(value, found) for value in attribute.values]
    missing = [text for text in wanted if text not in found]
    extra = [text for text in found if text not in wanted]
    if missing or extra:
        raise InputError(
            f"columns {pattern!r} must match the values {list(attribute.values)!r} of attribute "
            f"{attribute.name!r}; got {sorted(found)} (missing: {missing}, unknown: {extra}). "
            "Declare the values, or rename the columns."
        )
    return [found[text] for text in wanted]


def _spelling(value: object, found: Mapping[str, str]) -> str:
    """Return how the columns spell a value."""
    names = list(found)
    position = find_text(value, text_positions(names))
    return as_text(value) if position is None else names[position]


def _probabilities(attribute: Attribute, scores: pl.DataFrame, is_logit: bool) -> FloatArray:
    table = np.stack([_numbers(attribute, scores[name]) for name in scores.columns], axis=1)
    is_null = np.stack([scores[name].is_null().to_numpy() for name in scores.columns], axis=1)
    is_missing = np.asarray(is_null.all(axis=1), dtype=np.bool_)
    if (is_null.any(axis=1) & ~is_missing).any():
        row = int(np.flatnonzero(is_null.any(axis=1) & ~is_missing)[0])
        raise InputError(
            f"evidence of attribute {attribute.name!r} in row {row} must be complete or entirely "
            f"missing; got {scores.row(row)}."
        )
    if is_logit:
        table = _softmax(attribute, table, is_missing)
    table[is_missing] = 1.0 / attribute.size
    return table


def _numbers(attribute: Attribute, column: pl.Series) -> FloatArray:
    if not (column.dtype.is_numeric() or column.dtype == pl.Null):
        raise InputError(
            f"column {column.name!r} (evidence of attribute {attribute.name!r}) must hold "
            f"numbers; got {column.dtype}."
        )
    return column.cast(pl.Float64).fill_null(0.0).to_numpy().astype(np.float64)


def _softmax(attribute: Attribute, logits: FloatArray, is_missing: BoolArray) -> FloatArray:
    is_bad = ~np.isfinite(logits).all(axis=1) & ~is_missing
    if is_bad.any():
        row = int(np.flatnonzero(is_bad)[0])
        raise InputError(
            f"logits of attribute {attribute.name!r} must be finite; "
            f"got {logits[row].tolist()} in row {row}."
        )
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _codes(attribute: Attribute, frame: pl.DataFrame) -> IntArray:
    if attribute.name not in frame.columns:
        raise UnknownNameError("attribute column", attribute.name, frame.columns)
    column = frame.get_column(attribute.name)
    if attribute.has_missing:
        return attribute.encode(column)
    codes = np.full(frame.height, -1, dtype=np.int64)
    is_known = column.is_not_null().to_numpy()
    codes[is_known] = attribute.encode(column.drop_nulls())
    return codes
