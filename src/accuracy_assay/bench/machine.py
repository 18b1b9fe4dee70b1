"""Where and with what a result was made: machine, versions, date."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from accuracy_assay.bench.version import code_version

__all__ = ["describe_machine"]

_PACKAGES = ("numpy", "scipy", "jax", "scikit-learn", "polars", "fairlearn")


def describe_machine(now: datetime | None = None) -> Mapping[str, str]:
    """Return what a reader needs to judge a figure, by name."""
    moment = now or datetime.now(UTC)
    return {
        "date": f"{moment:%Y-%m-%d %H:%M} UTC",
        "code": code_version(),
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
