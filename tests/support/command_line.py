"""The command line as a user meets it: arguments in, exit code and text out."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from accuracy_assay.cli import main

__all__ = ["Answer", "assay"]


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def assay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    def call(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call
