import subprocess
import sys
from pathlib import Path

import jax
import pytest
import typer

import accuracy_assay
from accuracy_assay.cli.app import build_app
from accuracy_assay.runtime import device_choice

COMMANDS = list(typer.main.get_command(build_app()).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_shows_an_example(assay, command: str) -> None:
    answer = assay(command, "--help")
    assert answer.code == 0
    assert f"Example: assay {command}" in " ".join(answer.out.split())


def test_version_is_the_package_version(assay) -> None:
    assert assay("--version").out.strip() == accuracy_assay.__version__


def test_no_arguments_show_the_commands(assay) -> None:
    answer = assay()
    assert all(command in answer.out + answer.err for command in COMMANDS)


def test_help_groups_commands_by_what_they_are_for(assay) -> None:
    shown = assay("--help").out
    at = [shown.index(panel) for panel in ("Begin here", "Collect labels", "Keep an assay")]
    assert at == sorted(at)
    assert at[0] < shown.index("look ") < at[1] < shown.index("tell ") < at[2]
    assert "─ Commands ─" not in shown


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from accuracy_assay.cli.app import build_app; build_app(); "
        "heavy = {'jax', 'polars', 'numpy', 'sklearn', 'matplotlib', 'sqlalchemy'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_telling_loads_nothing_that_only_fits_and_pictures_need(store: str, folder: Path) -> None:
    spec = (folder / "assay.toml").read_text()
    spec = spec.replace("beta-independent", "anova-gp").replace('"random"', '"variance-reduction"')
    (folder / "default.toml").write_text(spec)
    code = (
        "import sys; from accuracy_assay.cli import main\n"
        "for words in (['init', 'default.assay', '--spec', 'default.toml'],"
        " ['tell', 'default.assay', 'x1=cat', '--json']):\n"
        "    sys.argv = ['assay', *words]; main()\n"
        "heavy = {'jax', 'scipy', 'sklearn', 'matplotlib', 'narwhals', 'pandas', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_h_is_help(assay, command: str) -> None:
    assert assay(command, "-h").out == assay(command, "--help").out
    assert "Usage" in assay("-h").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands(assay, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    answer = assay("--show-completion", shell)
    assert answer.code == 0, answer.err
    assert "_ASSAY_COMPLETE" in answer.out


def test_a_device_that_is_not_there_ends_a_command_before_it_begins(
    assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    monkeypatch.setattr(device_choice, "installed", lambda group: {"xla_cuda12": ()})
    for command in ("ask", "bench", "serve", "simulate", "surface"):
        answer = assay(command, "nowhere", "--device", "gpu")
        assert answer.code == 2
        assert "device must be one that this machine has; got 'gpu'" in answer.err
