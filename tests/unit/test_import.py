"""Importing the package costs next to nothing."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import accuracy_assay as aa

HEAVY = (
    "jax",
    "matplotlib",
    "numpy",
    "optax",
    "pandas",
    "polars",
    "pyarrow",
    "pydantic",
    "ray",
    "rich",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "typer",
)


def loaded_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after ``code``."""
    shown = f"{code}\nimport sys; print(*{{m.partition('.')[0] for m in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", shown], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_loads_no_heavy_library() -> None:
    assert not loaded_by("import accuracy_assay") & set(HEAVY)


def test_the_table_reader_and_the_registry_load_no_jax_sql_or_plots() -> None:
    used = loaded_by(
        "import accuracy_assay as aa\n"
        "rows = {'g': ['a', 'b'], 's': [1, 0]}\n"
        "import polars\n"
        "aa.estimate(polars.DataFrame(rows), ['g'], 's', estimator='beta-independent')\n"
        "aa.simulate, aa.AccuracySurface\n"
    )
    assert not used & {"jax", "sqlalchemy", "matplotlib", "sklearn", "pandas", "typer"}


def test_every_public_name_exists() -> None:
    for name in aa.__all__:
        assert getattr(aa, name) is not None
    assert set(aa.__all__) <= set(dir(aa))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'estimat'"):
        aa.estimat  # noqa: B018


PACKAGE = Path(str(aa.__file__)).parent
PROJECT = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())
LAYERS = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
DEPTH = {part: depth for depth, line in enumerate(LAYERS) for part in line.split(" | ")}


def names_in_texts(path: Path) -> set[str]:
    """Return the parts of the package that texts in a module's code name; docstrings are prose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = {node.value for node in {*ast.walk(tree)} - prose if isinstance(node, ast.Constant)}
    return {name for text in texts for name in re.findall(r"accuracy_assay\.(\w+)", str(text))}


@pytest.mark.parametrize("part", DEPTH)
def test_no_module_names_a_higher_layer_where_the_import_check_cannot_see_it(part: str) -> None:
    home = PACKAGE / part
    paths = [*home.rglob("*.py")] if home.is_dir() else [home.with_suffix(".py")]
    named = {(path.name, name) for path in paths for name in names_in_texts(path)}
    assert not {(path, name) for path, name in named if DEPTH.get(name, 99) < DEPTH[part]}


def test_python_dash_m_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "accuracy_assay", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == aa.__version__
