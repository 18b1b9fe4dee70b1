"""Every example of the README and the documentation runs, block after block."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from accuracy_assay.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/architecture.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "how-to").glob("*.md"))),
]


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page that are written in ``language``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def run_assay(line: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run one line of a shell block in this process and return its exit code."""
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    try:
        main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_run_in_order(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)
    for block in blocks(page, "bash"):
        for line in block.splitlines():
            assert line.startswith("assay "), f"{page}: {line}"
            assert run_assay(line, monkeypatch) == 0, f"{line}\n{capsys.readouterr().err}"


def test_the_readme_has_the_two_commands_and_both_examples() -> None:
    (commands,) = blocks("README.md", "sh")
    assert [line.split("#")[0].strip() for line in commands.splitlines()] == [
        "make demo",
        "make test",
    ]
    (python,) = blocks("README.md", "python")
    (shell,) = blocks("README.md", "bash")
    assert len(python.splitlines()) <= 25
    assert len(shell.splitlines()) == 10


@pytest.mark.parametrize("page", [*PAGES, "docs/index.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
