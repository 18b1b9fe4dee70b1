"""Which code made a result: the package's version and a digest of the modules that matter."""

import hashlib
from functools import cache
from pathlib import Path

import accuracy_assay

__all__ = ["code_version"]

_SHOWS_ONLY = ("cli", "reports", "bench")


@cache
def code_version() -> str:
    """Return, for instance, ``0.1.0+3f2a91c04b7d``; it changes when a result may change."""
    root = Path(accuracy_assay.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        part = path.relative_to(root)
        if part.parts[0] not in _SHOWS_ONLY:
            digest.update(str(part).encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{accuracy_assay.__version__}+{digest.hexdigest()[:12]}"
