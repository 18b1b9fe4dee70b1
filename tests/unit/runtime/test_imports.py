"""Code is found by its address or by the name that a package declares; what fails says why."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from entry_points import install

from accuracy_assay.errors import InputError
from accuracy_assay.runtime.imports import import_address, import_named, installed

GROUP = "accuracy_assay.tests"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    installed.cache_clear()


def test_an_address_leads_to_its_object_even_inside_a_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "addressed.py").write_text("class Outer:\n    class Inner: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert import_address("thing", "addressed:Outer").__name__ == "Outer"
    assert import_address("thing", "addressed:Outer.Inner").__name__ == "Inner"


@pytest.mark.parametrize(
    ("code", "address", "message"),
    [
        ("", "nowhere_at_all:Thing", r"got 'nowhere_at_all:Thing' \(ModuleNotFoundError: No mod"),
        ("import nowhere_at_all", "faulty:Thing", r"'faulty:Thing' \(ModuleNotFoundError: .*at_a"),
        ("1 / 0", "faulty:Thing", r"\(ZeroDivisionError: .*PYTHONPATH"),
        ("class Thing: ...", "faulty:Thign", r"'faulty' has no 'Thign'. Did you mean 'Thing'\?"),
        ("", "faulty:", r"must read module:Class; got 'faulty:'"),
        ("", ":Thing", r"must read module:Class; got ':Thing'"),
        ("", "fau lty:Thing", r"must read module:Class; got 'fau lty:Thing'"),
    ],
)
def test_an_address_that_leads_nowhere_is_shown_with_the_reason(
    code: str, address: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "faulty.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "faulty", raising=False)
    with pytest.raises(InputError, match=message):
        import_address("thing", address)


def test_a_declared_name_is_found_and_looked_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "declared_a", "A = 1", {GROUP: {"mine": "declared_a:A"}})
    assert import_named("thing", "mine", GROUP) == 1
    assert installed(GROUP) is installed(GROUP)


def test_a_name_that_two_packages_declare_is_refused_with_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("declared_b", "declared_c"):
        install(tmp_path, monkeypatch, package, "A = 1", {GROUP: {"mine": f"{package}:A"}})
    with pytest.raises(InputError, match=r"'mine' must be declared by one package.*declared_[bc]"):
        import_named("thing", "mine", GROUP)


def test_a_declared_name_that_cannot_be_imported_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "declared_d", "", {GROUP: {"mine": "declared_d:Gone"}})
    with pytest.raises(InputError, match=r"'mine' .* declared by package 'declared_d'.*'Gone'"):
        import_named("thing", "mine", GROUP)
