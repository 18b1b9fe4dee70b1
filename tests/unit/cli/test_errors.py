import sys
import warnings

import pytest

from accuracy_assay.cli import main
from accuracy_assay.cli.errors import run_app
from accuracy_assay.errors import AssayError, ConvergenceError, InputError, MissingExtraError


def leave(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    def app() -> None:
        raise error

    with pytest.raises(SystemExit) as leaving:
        run_app(app)
    return int(leaving.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("score must be a number; got 'x'."), 2),
        (MissingExtraError("the page", "web"), 2),
        (FileNotFoundError("no such file: 'x.csv'"), 2),
        (ConvergenceError("the fit did not converge."), 1),
        (AssayError("something of ours."), 1),
    ],
)
def test_users_mistakes_leave_with_2_and_ours_with_1(
    error: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert leave(error, capsys) == (code, f"error: {error}\n")


def test_a_bug_leaves_with_1_and_says_how_to_see_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    code, text = leave(ZeroDivisionError("division by zero"), capsys)
    assert code == 1
    assert "ZeroDivisionError" in text
    assert "ASSAY_DEBUG=1" in text


def test_a_bug_shows_its_traceback_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DEBUG", "1")
    code, text = leave(ZeroDivisionError("at postgresql://ann:hunter2@host/db"), capsys)
    assert code == 1
    assert text.startswith("Traceback (most recent call last)")
    assert "in app" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    "error",
    [
        InputError("store must exist; got 'postgresql://ann:hunter2@host/db'."),
        AssayError("no answer from http://host/x?sig=hunter2"),
        FileNotFoundError("no such file: 'postgresql:/ann:hunter2@host/db'"),
        RuntimeError("{'client_secret': 'hunter2'}"),
    ],
)
def test_no_error_prints_a_password(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = leave(error, capsys)
    assert "hunter2" not in text
    assert "***" in text


def test_a_terminal_obeys_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = leave(
        InputError("label must be known; got \x1b[2J\u202e[/INST].\nSecond line"), capsys
    )
    assert text == "error: label must be known; got \\x1b[2J\\u202e[/INST].\nSecond line\n"


def test_an_interrupt_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(KeyboardInterrupt(), capsys) == (130, "stopped.\n")


def test_a_warning_is_one_line_without_a_place_in_the_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def app() -> None:
        warnings.simplefilter("always")
        warnings.warn("the seed set is empty; attributes are taken as guessed.", stacklevel=2)

    run_app(app)
    assert capsys.readouterr().err == (
        "warning: the seed set is empty; attributes are taken as guessed.\n"
    )


def test_no_warning_prints_a_password(capsys: pytest.CaptureFixture[str]) -> None:
    def app() -> None:
        warnings.simplefilter("always")
        warnings.warn("slow: postgresql://ann:hunter2@host/db \x1b[2J", stacklevel=2)

    run_app(app)
    assert capsys.readouterr().err == "warning: slow: postgresql://***@host/db \\x1b[2J\n"


def test_a_wrong_word_leaves_with_2_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["assay", "qq\x1b[2J"])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 2
    assert capsys.readouterr().err == (
        r"error: No such command 'qq\x1b[2J'. See: assay --help" + "\n"
    )


def test_a_number_that_a_command_returns_is_its_exit_code() -> None:
    with pytest.raises(SystemExit) as leaving:
        run_app(lambda: 3)
    assert leaving.value.code == 3
