"""An outside package runs the laws with pytest; exceptions are skipped with their reasons."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
from accuracy_assay.registry import build_strategy
from accuracy_assay.testing import StrategyLaws

class TestKept(StrategyLaws):
    exceptions = {"test_asking_for_nothing_gives_nothing": "it always has a wish"}
    def make(self):
        return build_strategy("random")

class TestMisspelt(StrategyLaws):
    exceptions = {"test_nothing_of_the_kind": "a law that there is not"}
    def make(self):
        return build_strategy("random")

class TestForgotten(StrategyLaws):
    pass
"""


def test_exceptions_are_skipped_and_must_name_laws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_outside_suite.py").write_text(SUITE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    pytest.main([str(tmp_path), "-v", "-rs", "-p", "no:cacheprovider"])
    out = capsys.readouterr().out
    kept = [line for line in out.splitlines() if "::TestKept::" in line]
    assert len(kept) > 10
    assert [line for line in kept if " PASSED" not in line] == [
        line for line in kept if "test_asking_for_nothing_gives_nothing SKIPPED" in line
    ]
    assert "it always has a wish" in out
    assert not re.search("::(TestMisspelt|TestForgotten)::.* PASSED", out)
    assert "exceptions must name laws of TestMisspelt; got ['test_nothing_of_the_kind']" in out
    assert "NotImplementedError: say how the strategy is made" in out


def test_only_the_laws_need_pytest_and_they_say_so() -> None:
    code = """
import sys
sys.modules["pytest"] = None
import accuracy_assay.registry
try:
    import accuracy_assay.testing
except accuracy_assay.InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'accuracy-assay[testing]'" in done.stdout
