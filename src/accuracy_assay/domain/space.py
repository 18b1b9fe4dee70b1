"""The space of arms: attributes, their values, and a mixed-radix index of the combinations.

Notation: K attributes, attribute k has V_k values, an arm is one value of each. Codes are
integers (n, K) with ``0 <= codes[:, k] < V_k``; the arm index is ``((c_1 V_2 + c_2) V_3 + c_3)``
and so on, so the last attribute runs fastest. Nothing here lists the arms: 10^9 arms cost no more
than ten.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.texts import (
    as_texts,
    find_text,
    normal_text,
    require_plain,
    text_positions,
)
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["KINDS", "MISSING", "Attribute", "AttributeSpace", "Kind", "Missing", "Value"]

Kind = Literal["categorical", "boolean", "ordinal", "continuous", "log-odds", "cluster"]
KINDS: tuple[Kind, ...] = ("categorical", "boolean", "ordinal", "continuous")
"""The kinds that attributes may be declared as; the others are of signals alone."""
_CUT: tuple[Kind, ...] = ("continuous", "log-odds")
"""The kinds of numbers that are cut at edges."""
Missing = Literal["value", "guess"]
Value = str | int | float | bool

MISSING = "(missing)"
"""The value of rows without one, if missing counts as a value."""

_MAX_ARMS = 2**62
"""Arms are numbered by 64-bit integers; a factor of two is left so that a sum does not wrap."""
_FEW_NUMBERS = 20
"""Most distinct decimal numbers that are values as they are. Chosen by hand: more of them are a
measurement, whose combinations would hold one row each."""
_MOST_VALUES = 1000
"""Most values that are read off any column. Chosen by hand: more than the countries or the
occupations of a census, fewer than the texts or names of a table."""
_LEAST_SHARING = 2
"""Above that, each value must have this many rows on average: cities and products do, texts and
ids do not."""


@dataclass(frozen=True)
class Attribute:
    """One attribute of the space and its values.

    Parameters
    ----------
    name
        Name of the column that holds it.
    values
        The values in the order of their codes; the names of the bins if continuous.
    kind
        ``categorical``, ``boolean``, ``ordinal`` (the order of ``values`` means something) or
        ``continuous`` (numbers cut at ``edges``). Among signals, ``log-odds`` are such numbers
        too, in which the logit of an accuracy is about linear, and a ``cluster`` is rows that
        belong together.
    edges
        Increasing cut points of numbers. Bin j holds
        ``edges[j-1] <= x < edges[j]``.
    missing
        What a missing value means: ``"value"`` makes it the value ``MISSING``; ``"guess"`` says
        that it is unknown, as with evidence. By default it is an error.

    Examples
    --------
    >>> Attribute("age", kind="continuous", edges=(30, 60)).values
    ('< 30', '30 to 60', '>= 60')
    """

    name: str
    values: tuple[Value, ...] = ()
    kind: Kind = "categorical"
    edges: tuple[float, ...] | None = None
    missing: Missing | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownNameError(f"kind of attribute {self.name!r}", self.kind, KINDS)
        if (self.edges is not None) != (self.kind in _CUT):
            raise InputError(
                f"attribute {self.name!r} must have edges exactly when its kind is 'continuous'; "
                f"got kind {self.kind!r} with edges {self.edges!r}."
            )
        if self.missing is not None:
            self._admit_missing(self.missing)
        if self.edges is not None:
            object.__setattr__(self, "values", _bin_names(self.name, self.edges))
        object.__setattr__(self, "values", tuple(_plain(self.name, v) for v in self.values))
        if len(self.values) < 2:
            raise InputError(
                f"attribute {self.name!r} must have at least two values; got "
                f"{list(self.values)!r}. Drop it: an attribute that never varies splits nothing."
            )
        if len(set(as_texts(self.values))) < len(self.values):
            raise InputError(
                f"values of attribute {self.name!r} must differ; got {list(self.values)!r}."
            )

    def _admit_missing(self, missing: Missing) -> None:
        if missing not in get_args(Missing):
            raise UnknownNameError(
                f"missing of attribute {self.name!r}", missing, get_args(Missing)
            )
        if missing == "guess":
            return
        if self.is_ordered:
            raise InputError(
                f"missing of attribute {self.name!r} must be 'guess', since a missing value has "
                f"no rank among ordered values; got {missing!r}."
            )
        # From here on it is a value like any other, in files too.
        others = tuple(value for value in self.values if value != MISSING)
        object.__setattr__(self, "values", (*others, MISSING))
        object.__setattr__(self, "kind", "categorical")
        object.__setattr__(self, "missing", None)

    @classmethod
    def infer(
        cls,
        column: pl.Series,
        *,
        missing: Missing | None = None,
        kind: Kind | None = None,
        edges: Sequence[float] | None = None,
        extra: Sequence[pl.Series] = (),
    ) -> Attribute:
        """Read the values of an attribute off one or more columns.

        Parameters
        ----------
        column, extra
            Columns whose distinct values together are the domain.
        missing, edges
            As in the class.
        kind
            By default boolean columns are boolean, Polars enums ordinal, others categorical.
        """
        if edges is not None:
            cuts = tuple(float(e) for e in edges)
            return cls(column.name, kind="continuous", edges=cuts, missing=missing)
        if kind == "continuous":
            raise InputError(
                f"continuous attribute {column.name!r} must have edges; got none. "
                "Give cut points such as [30, 45, 60]."
            )
        if column.dtype.is_float() and kind is None and column.n_unique() > _FEW_NUMBERS:
            raise InputError(
                f"attribute {column.name!r} must have few distinct values; got "
                f"{column.n_unique()} numbers. Give edges to cut it into bins."
            )
        distinct: dict[str, Value] = {}
        for part in (column, *extra):
            seen = part.drop_nulls() if part.dtype.is_nested() else part.drop_nulls().unique()
            require_plain(seen, "attribute")
            for value in sorted(seen.to_list(), key=_sort_key):
                distinct.setdefault(normal_text(value), value)
        n_rows = sum(part.len() for part in (column, *extra))
        if len(distinct) > _MOST_VALUES and n_rows < _LEAST_SHARING * len(distinct):
            raise InputError(
                f"attribute {column.name!r} must have few values, since every combination of "
                f"values is an arm; got {len(distinct)}, such as "
                f"{next(iter(distinct.values()))!r:.80}. Group them into a column with fewer, cut "
                "numbers at edges, or declare the values if you want them all."
            )
        if isinstance(column.dtype, pl.Enum):
            declared = column.dtype.categories.to_list()
            ordered = [v for v in declared if v in distinct.values()]
            later = sorted(str(v) for v in distinct.values() if v not in declared)
            implied: Kind = "categorical" if missing == "value" else "ordinal"
            return cls(column.name, (*ordered, *later), kind or implied, missing=missing)
        values = tuple(sorted(distinct.values(), key=_sort_key))
        implied = "boolean" if column.dtype == pl.Boolean else "categorical"
        return cls(column.name, values, kind or implied, missing=missing)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.values)

    @property
    def is_ordered(self) -> bool:
        """Whether neighbouring values are nearer than distant ones."""
        return self.kind in ("ordinal", *_CUT)

    @cached_property
    def _code_by_text(self) -> Mapping[str, int]:
        return text_positions(as_texts(self.values))

    def code(self, value: object) -> int:
        """Return the code of one value; numbers of a continuous attribute are binned."""
        found = find_text(value, self._code_by_text)
        if found is not None:
            return found
        number = _as_number(value)
        if self.edges is not None and number is not None:
            return bisect_right(self.edges, number)
        raise UnknownNameError(f"value of attribute {self.name!r}", value, self.values)

    def encode(self, column: pl.Series) -> IntArray:
        """Return the codes of a column, shape (n,).

        Raises
        ------
        InputError
            If a value is missing or outside the declared domain; the message names it.
        """
        if column.null_count():
            return self._encode_missing(column)
        if self.edges is not None and column.dtype.is_numeric():
            numbers = column.to_numpy().astype(np.float64)
            if not np.isfinite(numbers).all():
                row = int(np.flatnonzero(~np.isfinite(numbers))[0])
                raise InputError(
                    f"attribute {self.name!r} must be finite; got {numbers[row]} in row {row}."
                )
            return np.searchsorted(np.asarray(self.edges), numbers, side="right").astype(np.int64)
        codes = {value: self.code(value) for value in column.unique().to_list()}
        encoded = column.replace_strict(
            list(codes), list(codes.values()), return_dtype=pl.Int64
        ).to_numpy()
        return np.asarray(encoded, dtype=np.int64)

    @property
    def has_missing(self) -> bool:
        """Whether a row without a value has a value of its own."""
        return MISSING in self.values

    def _encode_missing(self, column: pl.Series) -> IntArray:
        is_null = column.is_null()
        if not self.has_missing:
            raise InputError(
                f"attribute {self.name!r} must have a value in every row; got a missing one in "
                f'row {int(is_null.arg_true()[0])}. Set missing = "value" to count it as a value '
                'of its own, or missing = "guess" if it is unknown; or fill it, drop the row, or '
                "give evidence for the attribute."
            )
        codes = np.full(column.len(), self.code(MISSING), dtype=np.int64)
        codes[~is_null.to_numpy()] = self.encode(column.drop_nulls())
        return codes


@dataclass(frozen=True)
class AttributeSpace:
    """The Cartesian product of the attributes' values.

    Examples
    --------
    >>> sex = Attribute("sex", ("Female", "Male"))
    >>> age = Attribute("age", ("young", "old"), kind="ordinal")
    >>> space = AttributeSpace((sex, age))
    >>> space.n_arms, space.arm_index(np.array([[1, 0]])).tolist(), space.describe(2)
    (4, [2], {'sex': 'Male', 'age': 'young'})
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        if not self.attributes:
            raise InputError("attributes must name at least one column; got none.")
        names = [a.name for a in self.attributes]
        if len(set(names)) < len(names):
            raise InputError(f"attributes must have different names; got {names!r}.")
        if self.n_arms >= _MAX_ARMS:
            raise InputError(
                f"the space must have fewer than 2^62 arms; got 2^{math.log2(self.n_arms):.0f} "
                f"from {len(names)} attributes. Use fewer attributes or coarser values."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes in order."""
        return tuple(a.name for a in self.attributes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each attribute, (V_1, ..., V_K)."""
        return tuple(a.size for a in self.attributes)

    @property
    def n_arms(self) -> int:
        """Number of attribute combinations, as an exact integer."""
        return math.prod(self.shape)

    @cached_property
    def _strides(self) -> IntArray:
        tails = [math.prod(self.shape[k + 1 :]) for k in range(len(self.shape))]
        return np.asarray(tails, dtype=np.int64)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the attributes as plain values, as files keep them."""
        return [
            {"name": a.name, "kind": a.kind, "values": list(a.values), "edges": a.edges}
            for a in self.attributes
        ]

    @classmethod
    def from_json(cls, attributes: Sequence[Mapping[str, Any]]) -> AttributeSpace:
        """Return the space that `to_json` described; bins are named again from their edges."""
        return cls(
            tuple(
                Attribute(
                    a["name"],
                    () if a["edges"] else tuple(a["values"]),
                    a["kind"],
                    tuple(a["edges"]) if a["edges"] else None,
                    a.get("missing"),
                )
                for a in attributes
            )
        )

    def attribute(self, name: str) -> Attribute:
        """Return the attribute called ``name``."""
        if name not in self.names:
            raise UnknownNameError("attribute", name, self.names)
        return self.attributes[self.names.index(name)]

    def arm_index(self, codes: npt.ArrayLike) -> IntArray:
        """Return the arm index of each row of ``codes`` (n, K), shape (n,)."""
        table = np.asarray(codes, dtype=np.int64)
        if table.ndim != 2 or table.shape[1] != len(self.attributes):
            raise InputError(
                f"codes must have shape (n, {len(self.attributes)}); got {table.shape}."
            )
        if table.size and ((table < 0).any() or (table >= np.asarray(self.shape)).any()):
            raise InputError(f"codes must lie in the domain {self.shape}; got one outside.")
        return np.asarray(table @ self._strides, dtype=np.int64)

    def codes(self, arm_index: npt.ArrayLike) -> IntArray:
        """Return the codes (n, K) of each arm index (n,)."""
        index = np.asarray(arm_index, dtype=np.int64)
        if index.size and not (index.min() >= 0 and index.max() < self.n_arms):
            raise InputError(
                f"arm_index must lie between 0 and {self.n_arms - 1}; got {index.min()} to "
                f"{index.max()}."
            )
        return index[:, None] // self._strides % np.asarray(self.shape, dtype=np.int64)

    def encode(self, frame: pl.DataFrame) -> IntArray:
        """Return the codes (n, K) of the attribute columns of a frame."""
        columns = [a.encode(frame.get_column(a.name)) for a in self.attributes]
        return np.stack(columns, axis=1) if frame.height else np.zeros((0, len(columns)), np.int64)

    def describe(self, arm_index: int) -> dict[str, Value]:
        """Return the attribute values of one arm by name."""
        codes = self.codes(np.array([arm_index]))[0]
        return {a.name: a.values[c] for a, c in zip(self.attributes, codes, strict=True)}

    def frame(self, arm_index: npt.ArrayLike) -> pl.DataFrame:
        """Return one row per arm with the attribute values as columns."""
        codes = self.codes(arm_index)
        return pl.DataFrame(
            [
                pl.Series(a.name, list(a.values), strict=False).gather(codes[:, k])
                for k, a in enumerate(self.attributes)
            ]
        )

    def matches(self, arm_index: npt.ArrayLike, where: Mapping[str, object]) -> npt.NDArray[Any]:
        """Return which arms have the given values, one or a list per attribute, boolean (n,)."""
        codes = self.codes(arm_index)
        is_match = np.ones(codes.shape[0], dtype=bool)
        for name, wanted in where.items():
            attribute = self.attribute(name)
            several = wanted if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
            column = codes[:, self.names.index(name)]
            is_match &= np.isin(column, [attribute.code(value) for value in several])
        return is_match


def _bin_names(name: str, edges: tuple[float, ...]) -> tuple[str, ...]:
    if not edges or not all(map(math.isfinite, edges)) or any(a >= b for a, b in pairwise(edges)):
        raise InputError(
            f"edges of attribute {name!r} must be finite and increase; got {list(edges)!r}."
        )
    shown = _distinct_texts(edges)
    middle = [f"{a} to {b}" for a, b in pairwise(shown)]
    return (f"< {shown[0]}", *middle, f">= {shown[-1]}")


def _distinct_texts(numbers: tuple[float, ...]) -> list[str]:
    """Return the numbers with just enough digits to tell them apart; 17 always do."""
    texts = [f"{x:g}" for x in numbers]
    for digits in (9, 12, 17):
        if len(set(texts)) == len(numbers):
            break
        texts = [f"{x:.{digits}g}" for x in numbers]
    return texts


def _plain(name: str, value: object) -> Value:
    """Return a value as a text, number or boolean, which can be saved."""
    item = value.item() if isinstance(value, np.generic) else value
    if isinstance(item, float) and not math.isfinite(item):
        raise InputError(
            f"values of attribute {name!r} must be finite; got {item}. Fill it or drop its rows."
        )
    return item if isinstance(item, str | int | float | bool) else str(item)


def _as_number(value: object) -> float | None:
    """Return a number, or a text that is one, as a finite float; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _sort_key(value: Value) -> tuple[int, float, str]:
    is_number = isinstance(value, int | float)
    return (0, float(value), "") if is_number else (1, 0.0, str(value))
