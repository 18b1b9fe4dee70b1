"""What a column holds, by its values alone: shares, times, files, texts."""

from __future__ import annotations

import numpy as np
import polars as pl

from accuracy_assay.domain.column_roles import MOST_VALUES
from accuracy_assay.domain.text.words import count_words

__all__ = ["is_free", "is_share", "is_time", "mean_words", "media_kind"]

_MEDIA = {
    "image": (".png", ".jpg", ".jpeg", ".gif", ".webp"),
    "audio": (".wav", ".mp3", ".flac", ".ogg", ".m4a"),
}
_DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)"
_SAMPLE_ROWS = 1000
"""Rows looked at to see what a column holds; more only take more time."""


def mean_words(column: pl.Series) -> float:
    """Return how many words its texts have on average, 0 without any."""
    counted = count_words(_sample(column)).to_numpy()
    return float(np.mean(counted)) if counted.size else 0.0


def is_share(column: pl.Series) -> bool:
    """Return whether a column may hold scores or probabilities: numbers in [0, 1], or booleans."""
    if column.dtype == pl.Boolean:
        return True
    if not column.dtype.is_numeric():
        return False
    known = column.cast(pl.Float64).drop_nulls().drop_nans()
    return not known.is_empty() and bool(known.is_between(0.0, 1.0).all())


def is_free(column: pl.Series) -> bool:
    """Return whether texts are too many to be values: a choice of sentences is an attribute."""
    return column.n_unique() > min(MOST_VALUES, column.len() // 2)


def is_time(column: pl.Series) -> bool:
    """Return whether a column holds dates or times, as such or as texts that all begin so."""
    if column.dtype.is_temporal():
        return True
    if column.dtype != pl.String:
        return False
    texts = _sample(column)
    return not texts.is_empty() and bool(texts.str.contains(_DATE).all())


def media_kind(column: pl.Series) -> str | None:
    """Return which kind of file all texts name, image or audio; None if they do not."""
    if column.dtype != pl.String:
        return None
    texts = _sample(column)
    for kind, endings in _MEDIA.items():
        if not texts.is_empty() and all(t.lower().endswith(endings) for t in texts.to_list()):
            return kind
    return None


def _sample(column: pl.Series) -> pl.Series:
    texts = column.drop_nulls()
    return texts.gather_every(max(1, texts.len() // _SAMPLE_ROWS))
