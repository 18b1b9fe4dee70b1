"""Every example in a docstring of the packages gives what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import accuracy_assay
import assay_bench

MODULES = sorted(
    module.name
    for package in (accuracy_assay, assay_bench)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0
