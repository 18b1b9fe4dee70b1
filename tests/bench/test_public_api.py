"""The guest uses what the documentation lists as public, and nothing else of the product."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import accuracy_assay
import assay_bench

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("api.md", "protocols.md", "testing.md", "errors.md")
PRODUCT = "accuracy_assay"
PUBLIC = {
    address
    for page in PAGES
    for address in re.findall(r"^::: (\S+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
}
FILES = sorted(Path(assay_bench.__file__).parent.rglob("*.py"))


def used(tree: ast.AST) -> Iterator[str]:
    """Yield the address of everything of the product that a module names, wherever it stands."""
    names = {PRODUCT}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PRODUCT:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        if isinstance(node, ast.Import):
            ours = [a for a in node.names if a.name.split(".")[0] == PRODUCT]
            yield from (alias.name for alias in ours if "." in alias.name)
            names |= {alias.asname for alias in ours if alias.asname}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not node.attr.startswith("__"):
            yield from (f"{PRODUCT}.{node.attr}" for name in names & {ast.unparse(node.value)})
        if isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            if text in ("__import__", "import_module", "importlib.import_module"):
                yield ast.unparse(node)  # what it imports cannot be seen
        if isinstance(node, ast.ImportFrom) and node.level:
            yield f"relative import of {node.module}"


def is_public(address: str) -> bool:
    module, _, name = address.rpartition(".")
    if address in PUBLIC:
        return True
    return module in PUBLIC and name in getattr(import_module(module), "__all__", ())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_guest_imports_what_is_public(path: Path) -> None:
    assert [a for a in used(ast.parse(path.read_text("utf-8"))) if not is_public(a)] == []


@pytest.mark.parametrize(
    "code",
    [
        "from accuracy_assay.files.tables import read_table",
        "def f():\n    from accuracy_assay.metrics import gold",
        "from accuracy_assay import domain",
        "from accuracy_assay.protocols import *",
        "from accuracy_assay.metrics.scores import _positions",
        "import accuracy_assay.files.tables",
        "import accuracy_assay as aa\naa.files.tables.read_table",
        "import importlib\nimportlib.import_module('accuracy_assay.files.tables')",
    ],
)
def test_what_is_private_is_found_however_it_is_reached(code: str) -> None:
    assert [a for a in used(ast.parse(code)) if not is_public(a)]


@pytest.mark.parametrize(
    "code",
    [
        "from accuracy_assay import AccuracySurface",
        "from accuracy_assay.protocols import Estimator",
        "from accuracy_assay.metrics.gold import Gold",
        "import accuracy_assay as aa\naa.estimate, aa.__version__",
    ],
)
def test_what_is_public_is_taken(code: str) -> None:
    assert all(map(is_public, used(ast.parse(code))))


@pytest.mark.parametrize("address", sorted(PUBLIC))
def test_what_the_pages_list_exists(address: str) -> None:
    module, _, name = address.rpartition(".")
    if module == PRODUCT and not hasattr(accuracy_assay, name):
        import_module(address)
    elif module != PRODUCT:
        try:
            assert hasattr(import_module(module), name)
        except ModuleNotFoundError:
            import_module(address)


def test_the_contract_of_imports_allows_the_same_modules() -> None:
    """The contract that `make imports` checks knows modules; the pages know names."""
    import tomllib

    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = [c for c in contracts if c["name"] == "The guest uses the public API alone"]
    allowed = {line.partition(" -> ")[2] for line in contract["ignore_imports"]}
    assert all(
        any(address == module or address.startswith(f"{module}.") for address in PUBLIC)
        for module in allowed
    )
