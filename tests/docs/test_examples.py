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
    "docs/anova-gp.md",
    "docs/architecture.md",
    "docs/calibration.md",
    "docs/estimators.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs" / "how-to").glob("*.md"))),
]


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page in order, each with its language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```([a-z]+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def save_toml(page: str, block: str) -> None:
    """Write a TOML block to the file that the text before it names."""
    before = (ROOT / page).read_text(encoding="utf-8").split(block)[0]
    Path(re.findall(r"`([a-z_]+\.toml)`", before)[-1]).write_text(block, encoding="utf-8")


def save_python(block: str) -> None:
    """Write a Python block to the file that its first line names, if it names one."""
    named = re.match(r"# ([a-z_]+\.py)\n", block)
    if named is not None:
        Path(named.group(1)).write_text(block, encoding="utf-8")


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
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    for language, block in blocks(page):
        if language == "python":
            save_python(block)
            exec(compile(block, page, "exec"), names)
        elif language == "toml":
            save_toml(page, block)
        elif language == "bash":
            for line in block.splitlines():
                assert line.startswith("assay "), f"{page}: {line}"
                assert run_assay(line, monkeypatch) == 0, f"{line}\n{capsys.readouterr().err}"


def test_the_readme_has_the_two_commands_and_both_examples() -> None:
    by_language = dict(blocks("README.md"))
    commands, python, shell = (by_language[name] for name in ("sh", "python", "bash"))
    assert [line.split("#")[0].strip() for line in commands.splitlines()] == [
        "make demo",
        "make test",
    ]
    assert len(python.splitlines()) <= 25
    assert len(shell.splitlines()) == 10


@pytest.mark.parametrize("page", [*PAGES, "docs/index.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
