"""Every example in a docstring of the package gives what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import accuracy_assay

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(accuracy_assay.__path__, "accuracy_assay.")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0
