"""A package that is found as if it were installed: a module and the metadata that declares it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from accuracy_assay.runtime.imports import installed

__all__ = ["install"]


def install(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    code: str,
    points: Mapping[str, Mapping[str, str]],
) -> None:
    """Write a module and a ``dist-info`` folder with its entry points, by group and name."""
    (folder / f"{package}.py").write_text(code, encoding="utf-8")
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8"
    )
    lines = [
        line
        for group, names in points.items()
        for line in (f"[{group}]", *(f"{name} = {address}" for name, address in names.items()))
    ]
    metadata.joinpath("entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, package, raising=False)
    installed.cache_clear()
