"""The page of extension points lists every one, and every Protocol that is found by isinstance."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from accuracy_assay import protocols, registry, testing

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "accuracy_assay"
TEXT = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")


def table(section: str) -> list[list[str]]:
    """Return the cells of a table, by the heading that it stands under."""
    part = TEXT.split(f"# {section}\n")[1].split("\n## ")[0]
    rows = [
        re.split(r" *(?<!\\)\| *", line.strip("| ")) for line in part.splitlines() if "|" in line
    ]
    return rows[2:]


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def optional() -> set[str]:
    """Return the Protocols that an object may be asked for while the program runs."""
    return {
        node.name
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(getattr(d, "id", "") == "runtime_checkable" for d in node.decorator_list)
    }


def test_every_extension_point_is_listed_with_its_group_laws_and_page() -> None:
    rows = {row[0].strip("`"): row for row in table("Extension points")}
    groups = {row[2].strip("`") for row in rows.values()} - {""}
    assert groups == set(registry.GROUPS.values())
    assert {row[3].strip("`") for row in rows.values()} == {
        name for name in testing.__all__ if name.endswith("Laws")
    }
    for name, row in rows.items():
        assert hasattr(protocols, name)
        page = re.search(r"\]\(([^)#]+)", row[4])
        assert page is not None
        assert (ROOT / "docs" / page.group(1)).is_file()


def test_every_optional_protocol_is_listed_with_who_looks_for_it() -> None:
    rows = {row[0].strip("`"): row[3].strip("`") for row in table("What may be added")}
    assert set(rows) == optional()
    looked_for = {
        (name, node.args[1].id)
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "isinstance"
        and isinstance(node.args[1], ast.Name)
    }
    assert {(where, name) for name, where in rows.items()} <= looked_for
