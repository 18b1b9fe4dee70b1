"""Pages name modules that exist; the architecture page draws the layers that are checked."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "accuracy_assay"
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))),
]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = {
    "Estimate": "study/estimate.py",
    "Ask": "session/assay.py",
    "Tell": "session/assay.py",
    "Simulate": "study/simulate.py",
}

MADE_BY_NAME = {"calibration", "estimators", "exploration", "labelers", "readers", "storage"}
"""Rooms whose objects the registry makes, so that nobody imports them."""

# fmt: off
WORDS = {
    "active arm", "affiliation", "agreement", "answer", "arm", "assay", "attribute", "calibration",
    "cell", "estimator", "event", "evidence", "gold", "label", "label task", "labeler",
    "observations", "pool", "prediction", "problem", "score", "seed set", "service", "signal",
    "snapshot", "space", "strategy", "stratum", "support", "surface", "task", "temperature",
}
# fmt: on


def walk(name: str) -> list[str]:
    """Return the modules and rooms of one walk, in the order of its list."""
    section = TEXT.split(f"### {name}\n")[1].split("\n##")[0]
    items = re.findall(r"^\d+\. .*(?:\n {3,}.*)*", section, flags=re.MULTILINE)
    return re.findall(r"\*\*`([a-z_/]+(?:\.py)?)`\*\*", "\n".join(items))


def imported_by(module: str) -> set[str]:
    """Return the modules of this package that a module, or one of a room, imports."""
    path = PACKAGE / module
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    names: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return {n.removeprefix("accuracy_assay.").replace(".", "/") for n in names}


def test_every_word_has_one_meaning() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([a-z ]+) \|", text, flags=re.MULTILINE)
    listed = [word for word in words if word != "word"]
    assert len(set(listed)) == len(listed)
    assert set(listed) >= WORDS


def test_the_first_page_and_the_menu_list_every_page() -> None:
    pages = {p for p in PAGES if p.startswith("docs/") and p != "docs/index.md"}
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {f"docs/{link}" for link in re.findall(r"\]\(([a-z0-9/-]+\.md)", text)}
    assert pages - listed == set()
    menu = set(
        re.findall(r": ([a-z0-9/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    )
    assert {p.removeprefix("docs/") for p in pages} - set(menu) == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_module_and_folder_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_0-9]+/[a-z_0-9/]*(?:\.py)?)`", text)
    missing = [
        n for n in named if not any((root / n).exists() for root in (ROOT, PACKAGE, ROOT / "src"))
    ]
    assert missing == []


def test_the_layers_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contracts["tool"]["importlinter"]["contracts"][0]["layers"]
    drawn = TEXT.split("## Layers")[1].split("```text\n")[1].split("```")[0].splitlines()
    names = [re.split(r"  +", line)[0] for line in drawn if not line.startswith(" ")]
    assert names == layers


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_begins_where_the_call_does_and_every_step_is_reached(name: str) -> None:
    steps = walk(name)
    assert steps[0] == WALKS[name]
    for i, step in enumerate(steps[1:], start=1):
        if step.split("/")[0] in MADE_BY_NAME:
            continue
        reach = set().union(*(imported_by(before) for before in steps[:i]))
        wanted = step.removesuffix(".py").removesuffix("/")
        assert any(found == wanted or found.startswith(f"{wanted}/") for found in reach), step
