"""Every command, option and make target is documented."""

import re
from pathlib import Path

import pytest
import typer

from accuracy_assay.cli.app import build_app

ROOT = Path(__file__).parents[2]
COMMANDS = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]


SHARED = "A table or an assay"
"""Where options are documented that commands share."""


def section(title: str) -> str:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return next((part for part in parts if part.split("\n")[0] == title), "")


def described(command: str) -> str:
    """Return what the page says of a command, and of shared options where it refers to them."""
    own = section(f"assay {command}")
    return own + (section(SHARED) if "(#a-table-or-an-assay)" in own else "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_documented(name: str) -> None:
    text = described(name)
    options = {
        option
        for parameter in COMMANDS[name].params
        for option in parameter.opts
        if option.startswith("-") and option != "--help"
    }
    assert {option for option in options if f"`{option}`" not in text} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_documented_that_does_not_exist(name: str) -> None:
    known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    listed = re.findall(r"^\| (`--?[^|]*) \|", section(f"assay {name}"), flags=re.MULTILINE)
    named = {option for row in listed for option in re.findall(r"`(--?[a-z-]+)`", row)}
    assert named - known == set()


def test_shared_options_belong_to_some_command() -> None:
    known = {o for command in COMMANDS.values() for p in command.params for o in p.opts}
    listed = re.findall(r"^\| (`--?[^|]*) \|", section(SHARED), flags=re.MULTILINE)
    assert {o for row in listed for o in re.findall(r"`(--?[a-z-]+)`", row)} <= known


def test_every_make_target_says_what_it_does() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)
    assert phony is not None
    for target in phony.group(1).split():
        assert re.search(rf"^{target}:.*## ", text, flags=re.MULTILINE), target
