"""Errors become exit codes here: 2 for the user's mistakes, 1 for ours; warnings become lines.

No password, key or control character in an error is printed.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.runtime.secrets import hide_secrets
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["run_app"]

_USERS_MISTAKE, _OURS, _INTERRUPTED = 2, 1, 130
"""Exit codes: option parsers use 2 for wrong usage, shells 130 for Ctrl-C."""
_PANIC = "PanicException"


def run_app(app: Callable[[], object]) -> None:
    """Run ``app``; if it fails, exit with one line instead of a traceback.

    A number that ``app`` returns is the exit code.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = app()
    except InputError as error:
        _leave(f"error: {error}", _USERS_MISTAKE)
    except AssayError as error:
        _leave(f"error: {error}", _OURS)
    except OSError as error:
        _leave(f"error: {error}", _USERS_MISTAKE)
    except KeyboardInterrupt:
        _leave("stopped.", _INTERRUPTED)
    except BaseException as error:
        # A library may panic; such an end is no exception.
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        if hasattr(error, "format_message"):
            _leave(_usage(error), _USERS_MISTAKE)
        if os.environ.get("ASSAY_DEBUG"):
            _leave(traceback.format_exc().rstrip(), _OURS)
        _leave(
            f"internal error: {type(error).__name__}: {error}. "
            "Set ASSAY_DEBUG=1 to see where it came from.",
            _OURS,
        )
    if code == _INTERRUPTED:
        _leave("stopped.", _INTERRUPTED)
    if isinstance(code, int) and code:
        sys.exit(code)


def _usage(error: Any) -> str:
    """Return what is wrong with the words of a command, from the parser's error."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        return ""  # the help is on the screen
    said = error.format_message()
    end = "" if said.endswith((".", "?")) else "."
    hint = "" if context is None else f" See: {context.command_path} --help"
    return f"error: {said}{end}{hint}"


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(_shown(f"warning: {message}"), file=file or sys.stderr)


def _leave(message: str, code: int) -> NoReturn:
    if message:
        print(_shown(message), file=sys.stderr)
    sys.exit(code)


def _shown(message: str) -> str:
    return hide_secrets(visible_text(message))
