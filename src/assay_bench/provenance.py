"""Where a result comes from: the code, the machine, the versions and the date.

The code is named by the package's version and a digest of the modules that can change a result.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import accuracy_assay

__all__ = ["MOMENT", "code_version", "commit", "describe_machine", "describe_origin"]

MOMENT = "%Y-%m-%d %H:%M"
"""How a moment of UTC is written: texts in order are moments in order."""

_SHOWS_ONLY = ("cli", "demo", "reports", "web")
"""Parts of the product that change no result."""

_MAKES_RESULTS = (
    *("peers", "tasks", "cold_fit.py", "coverage.py", "known_pool.py", "run.py"),
    *("shared_calibration.py", "simple_setting.py", "surface_stats.py", "wilson.py"),
)
"""Parts of this package that can."""

_PACKAGES = ("numpy", "scipy", "jax", "scikit-learn", "polars", "fairlearn")
_DIGEST_CHARACTERS = 12
"""48 bits: two versions of the code share a digest once in 10^14 times."""


@cache
def code_version() -> str:
    """Return, for instance, ``0.1.0+3f2a91c04b7d``; it changes when a result may change."""
    product, own = Path(accuracy_assay.__file__).parent, Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*product.rglob("*.py"), *own.rglob("*.py")]):
        part = path.relative_to(product.parent if path.is_relative_to(product) else own.parent)
        is_own = part.parts[0] == own.name
        if part.parts[1] in _MAKES_RESULTS if is_own else part.parts[1] not in _SHOWS_ONLY:
            digest.update(part.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{accuracy_assay.__version__}+{digest.hexdigest()[:_DIGEST_CHARACTERS]}"


@cache
def commit() -> str | None:
    """Return the commit of the checkout that this code lies in, with ``+`` where it was changed.

    None outside of a checkout, or of one that holds other code.
    """
    here = Path(__file__)

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ("git", "-C", here.parent, *words), capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.strip()

    if git("ls-files", "--error-unmatch", here.name) is None:
        return None
    changed = git("status", "--porcelain", "--", "..")
    return f"{git('rev-parse', '--short=8', 'HEAD')}{'+' if changed else ''}"


def describe_origin(
    commits: Iterable[str | None] | None = None, moments: Iterable[str] | None = None
) -> str:
    """Say which code made a result, from which commits, and when; without these: here and now."""
    names = sorted(filter(None, {commit()} if commits is None else set(commits)))
    when = sorted([f"{datetime.now(UTC):{MOMENT}}"] if moments is None else moments)
    words = [f"code {code_version()}", *(f"commit {name}" for name in names)]
    if when:
        words.append(f"{when[0]}{f' to {when[-1]}' if when[0] < when[-1] else ''} UTC")
    return ", ".join(words)


def describe_machine() -> Mapping[str, str]:
    """Return what a reader needs to judge a figure, by name."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "packages": ", ".join(filter(None, map(_with_version, _PACKAGES))),
    }


def _processor() -> str:
    """Return the processor's name as the system tells it; its architecture where it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def _with_version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""
