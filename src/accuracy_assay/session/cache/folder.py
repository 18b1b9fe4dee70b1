"""Where what can be computed again is kept: beside a store's file, or in the user's cache."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from accuracy_assay.runtime.secrets import without_password

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
    # Not even as a fingerprint is a password kept.
    fingerprint = hashlib.sha256(without_password(str(store)).encode()).hexdigest()
    return Path(home) / "accuracy-assay" / fingerprint[:32]
