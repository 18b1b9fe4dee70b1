"""The user's data folder: where the tables lie that are too large or not ours to ship."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from accuracy_assay.errors import InputError

__all__ = ["order_values", "read_pool"]


def read_pool(data: Path | None, folder: str) -> pl.DataFrame:
    """Return the table ``<data>/<folder>/pool.parquet``.

    Raises
    ------
    InputError
        If no data folder was given, or it does not hold that table.
    """
    if data is None:
        raise InputError(
            f"data must be the folder that holds {folder!r}; got none. "
            "Pass --data DIR or set ASSAY_DATA."
        )
    path = data / folder / "pool.parquet"
    if not path.is_file():
        raise InputError(
            f"data must hold {folder}/pool.parquet; got {str(data)!r}, which lacks it."
        )
    return pl.read_parquet(path)


def order_values(frame: pl.DataFrame, orders: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Return ``frame`` with text columns as enums, which the space reads as ordinal."""
    return frame.with_columns(
        pl.col(name).cast(pl.Enum(list(values))) for name, values in orders.items()
    )
