"""Where an assay keeps what can be computed again: beside its file, or in the user's cache."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder(store: object) -> Path | None:
    """Return the folder for a store's address; None for a store in memory.

    Examples
    --------
    >>> cache_folder("audio.assay").name
    'audio.assay.cache'
    """
    if not isinstance(store, str | Path):
        return None
    if "://" not in str(store):
        return Path(f"{store}.cache")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "accuracy-assay" / hashlib.sha256(str(store).encode()).hexdigest()[:32]
