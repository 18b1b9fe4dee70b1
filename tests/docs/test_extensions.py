"""The examples of the how-tos keep the laws, and run by the names that their packages declare."""

import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from entry_points import install

from accuracy_assay.cli import main
from accuracy_assay.runtime.imports import installed

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
PAGES = {
    "add-an-estimator.md": 20,
    "add-a-strategy.md": 20,
    "add-a-service.md": 4,
    "add-a-labeler.md": 4,
    "add-a-measure.md": 5,
    "add-a-reader.md": 6,
}
"""Pages, and how many laws the example of each keeps at least."""


def blocks(page: str, language: str) -> list[str]:
    text = (HOW_TO / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page whose Python files and specs lie in the folder where the test runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = (HOW_TO / request.param).read_text(encoding="utf-8")
    for spec in blocks(request.param, "toml"):
        if "project" not in tomllib.loads(spec):
            name = re.findall(r"`([a-z_]+\.toml)`", text[: text.index(spec)])[-1]
            (tmp_path / name).write_text(spec, encoding="utf-8")
    for block in blocks(request.param, "python"):
        if named := re.match(r"# ([a-z_]+)\.py\n", block):
            (tmp_path / f"{named.group(1)}.py").write_text(block, encoding="utf-8")
            monkeypatch.delitem(sys.modules, named.group(1), raising=False)
    return str(request.param)


@pytest.fixture
def declared(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same page, with its package as if it were installed."""
    (project,) = (p["project"] for p in map(tomllib.loads, blocks(page, "toml")) if "project" in p)
    (module,) = (p.stem for p in tmp_path.glob("*.py") if not p.stem.startswith("test_"))
    code = (tmp_path / f"{module}.py").read_text(encoding="utf-8")
    install(tmp_path, monkeypatch, module, code, project["entry-points"])
    for spec in tmp_path.glob("*.toml"):  # by its name, where the page has the address
        for name, address in (
            p for group in project["entry-points"].values() for p in group.items()
        ):
            spec.write_text(spec.read_text(encoding="utf-8").replace(address, name))
    yield page
    installed.cache_clear()


def test_the_example_keeps_every_law(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n", encoding="utf-8")
    code = pytest.main([str(tmp_path), "-v", "-p", "no:cacheprovider"])
    out = capsys.readouterr().out
    assert code == 0, out
    assert out.count(" PASSED") >= PAGES[page]
    assert out.count(" SKIPPED") == (3 if "strategy" in page else 0)  # laws of random ones


def test_the_example_runs_by_the_name_that_its_package_declares(
    declared: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks(declared, "python")[:2]:
        exec(compile(block, declared, "exec"), names)
    lines = [line for block in blocks(declared, "sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("assay ")]
    assert commands
    for line in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        code: object = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code
        assert not code, capsys.readouterr().err
