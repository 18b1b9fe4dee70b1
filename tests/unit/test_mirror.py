"""Tests mirror the packages: ``x/y.py`` has its laws in ``x/test_y.py``, below unit or bench."""

import re
from pathlib import Path

import pytest
from work_order import FAMILIES

import accuracy_assay
import assay_bench

TESTS = Path(__file__).parents[1]
FOLDERS = {"unit": accuracy_assay, "bench": assay_bench}
"""The folder of the tests of each package."""

NEED_NO_TWIN = {
    "unit/cli/options.py": "declares options; every command tests its own, tests/docs their names",
}
"""Modules that hold declarations alone, each with the reason why it has no twin."""

MODULES = sorted(
    f"{folder}/{path.relative_to(root).as_posix()}"
    for folder, package in FOLDERS.items()
    for root in [Path(str(package.__file__)).parent]
    for path in root.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)


def has_twin(module: str) -> bool:
    path = Path(module)
    twin = TESTS / path.parent / f"test_{path.name}"
    return twin.is_file() and bool(re.search(r"^ *def test_", twin.read_text(), re.MULTILINE))


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_twin_with_tests_and_no_excuse_outlives_its_reason(module: str) -> None:
    assert has_twin(module) is not (module in NEED_NO_TWIN)


def test_no_module_is_excused_that_does_not_exist() -> None:
    assert set(NEED_NO_TWIN) <= set(MODULES)


@pytest.mark.parametrize("family", FAMILIES)
def test_families_of_tests_are_files_and_folders_that_exist(family: str) -> None:
    assert all((TESTS.parent / beginning).exists() for beginning in FAMILIES[family])
