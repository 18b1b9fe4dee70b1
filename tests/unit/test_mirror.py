"""``tests/unit`` mirrors the package: ``x/y.py`` has its laws in ``tests/unit/x/test_y.py``."""

import re
from pathlib import Path

import pytest

import accuracy_assay

PACKAGE = Path(accuracy_assay.__file__).parent
TESTS = Path(__file__).parent

NEED_NO_TWIN = {
    "cli/options.py": "declares options; every command tests its own, tests/docs their names",
    "protocols.py": "declares what implementations must do; tests/conformance holds them to it",
}
"""Modules that hold declarations alone, each with the reason why it has no twin."""

MODULES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
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
