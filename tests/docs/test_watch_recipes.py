"""The recipes that watch a service every night do what their page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from drifting_rows import drifting_rows

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "watch-a-service.md"
TEXT = PAGE.read_text(encoding="utf-8")
ASSAY = f'#!/bin/sh\nexec "{sys.executable}" -m accuracy_assay "$@"\n'
FAKE = '#!/bin/sh\necho said by the watch\nexit "$FAKE_CODE"\n'
MAIL = '#!/bin/sh\necho "$@" > mailed.txt\ncat >> mailed.txt\n'


def run(script: str, folder: Path, **env: str) -> int:
    paths = {"PATH": f"{folder}:{os.environ['PATH']}"}
    shell = ["bash", "-e", "-c", script]
    return subprocess.run(
        shell, env={**os.environ, **paths, **env}, cwd=folder, check=False
    ).returncode


def command(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_the_workflow_fails_on_an_alarm_and_its_page_says_where(tmp_path: Path) -> None:
    found = re.search(r"^( *)- run: \|\n((?:\1  +.*\n)+)", TEXT, re.MULTILINE)
    assert found is not None
    rows = drifting_rows(n=900, lost=0.7).rename({"region": "language", "sex": "channel"})
    rows.write_csv(tmp_path / "answers.csv")
    command(tmp_path, "assay", ASSAY)
    summary = tmp_path / "summary.md"
    assert run(textwrap.dedent(found[2]), tmp_path, GITHUB_STEP_SUMMARY=str(summary)) == 1
    said = summary.read_text(encoding="utf-8")
    assert said.startswith("### assay watch answers.csv: \u274c alarm")
    assert "language = north" in said


@pytest.mark.parametrize(("code", "is_mailed"), [("0", False), ("1", True), ("3", True)])
def test_cron_mails_what_the_watch_says_unless_all_is_well(
    code: str, tmp_path: Path, *, is_mailed: bool
) -> None:
    (line,) = re.findall(r"^0 5 \* \* \*  (.*)$", TEXT, re.MULTILINE)
    assert "%" not in line  # cron would read it as the end of the line
    command(tmp_path, ".venv/bin/assay", FAKE)
    command(tmp_path, "mail", MAIL)
    assert run(line.replace("/data", str(tmp_path)), tmp_path, FAKE_CODE=code) == 0
    mailed = tmp_path / "mailed.txt"
    assert mailed.exists() == is_mailed
    assert not is_mailed or "said by the watch" in mailed.read_text()
