"""Real rows that ship with the package, for a first try.

``benchmarks/make_example.py`` made them; ``examples/LICENSE.txt`` says whose they are.
"""

from __future__ import annotations

from importlib.resources import files
from typing import overload

import polars as pl

from accuracy_assay.errors import UnknownNameError

__all__ = ["example"]

_NAMES = ("adult",)


@overload
def example() -> tuple[str, ...]: ...
@overload
def example(name: str) -> pl.DataFrame: ...


def example(name: str | None = None) -> pl.DataFrame | tuple[str, ...]:
    """Return real rows to try things on; without a name, the names that there are.

    ``adult`` holds 6,000 people of the census of 1994, and for each what a classifier says about
    their income. The classifier is a logistic regression. It learned from other people, and saw
    age, education, working hours, kind of employer, occupation and marital status. In random
    order, one row per person:

    - ``id``: 1 to 6,000
    - ``age``: 17-24, 25-34, 35-44, 45-54, 55-64, 65+
    - ``sex``: Female, Male
    - ``race``: Asian, Black, Native, Other, White
    - ``education``: no diploma, high school, some college, bachelor, advanced
    - ``marital``: married, never married, separated (or divorced), widowed
    - ``hours``: worked per week: under 35, 35-40, 41-50, over 50
    - ``prediction``: the classifier's answer, ``<=50K`` or ``>50K`` dollars a year
    - ``confidence``: its probability of that answer, 0.5 to 1
    - ``label``: the truth
    - ``correct``: 1 if prediction and label agree, else 0

    Age, education and hours have an order (`polars.Enum`), which estimators use. The people come
    from UCI Adult (Becker and Kohavi, 1996), licence CC BY 4.0: share it, change it, and name
    them.

    Parameters
    ----------
    name
        A name out of ``example()``.

    Raises
    ------
    UnknownNameError
        If there is no such example.

    Examples
    --------
    >>> example()
    ('adult',)
    >>> rows = example("adult")
    >>> print(f"{rows['correct'].mean():.1%} of {rows.height:,} answers are right.")
    83.7% of 6,000 answers are right.
    """
    if name is None:
        return _NAMES
    if name not in _NAMES:
        raise UnknownNameError("example", name, _NAMES)
    file = files("accuracy_assay.tasks") / "examples" / f"{name}.parquet"
    return pl.read_parquet(file.read_bytes())
