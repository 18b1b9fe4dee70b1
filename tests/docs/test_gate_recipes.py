"""The workflows of the documentation never let a release out because labels were too few."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_YAML = re.compile(r"^```yaml\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_SCRIPT = re.compile(r"^( *)(?:- )?run: \|\n((?:\1  +.*\n)+)", re.MULTILINE)
_LINE = re.compile(r"run: (assay check .*)\n")
FAKE = """#!/bin/sh
for given in "$@"; do [ "$given" = --strict ] && [ "$FAKE_CODE" = 3 ] && exit 1; done
exit "$FAKE_CODE"
"""


def recipes() -> list[str]:
    """Return every script of a workflow on our pages that runs ``assay check``."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    blocks = [b for page in pages for b in _YAML.findall(page.read_text(encoding="utf-8"))]
    scripts = [textwrap.dedent(script) for b in blocks for _, script in _SCRIPT.findall(b)]
    scripts += [line for b in blocks for line in _LINE.findall(b)]
    return [script for script in scripts if "assay check" in script]


def outcome(script: str, code: int, folder: Path) -> tuple[int, str]:
    """Return how a script ends, and what it tells later jobs, if ``assay`` exits with a code."""
    fake, told = folder / "assay", folder / "output"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    told.write_text("")
    paths = {"PATH": f"{folder}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(told)}
    env = {**os.environ, **paths, "FAKE_CODE": str(code)}
    ran = subprocess.run(
        ["bash", "-e", "-c", script], env=env, check=False, capture_output=True, cwd=folder
    )
    return ran.returncode, told.read_text()


def test_there_are_recipes() -> None:
    assert len(recipes()) >= 2


@pytest.mark.parametrize("script", recipes())
def test_a_recipe_keeps_too_few_labels_apart_from_success(script: str, tmp_path: Path) -> None:
    passed, failed, mistaken, undecided = (outcome(script, code, tmp_path) for code in range(4))
    assert passed[0] == 0
    assert failed[0] == 1
    assert mistaken[0] != 0
    assert undecided != passed
    assert undecided[0] != 0 or "verdict=undecided" in undecided[1]


def test_what_is_undecided_reaches_a_release_by_an_approval_only() -> None:
    page = (ROOT / "docs" / "how-to" / "gate-a-release.md").read_text(encoding="utf-8")
    (workflow,) = [b for b in _YAML.findall(page) if "verdict=undecided" in b]
    approve = workflow[workflow.index("  approve:") : workflow.index("  release:")]
    assert "verdict == 'undecided'" in approve
    assert "environment: undecided" in approve
    release = workflow[workflow.index("  release:") :]
    assert "verdict == 'pass' || needs.approve.result == 'success'" in release
