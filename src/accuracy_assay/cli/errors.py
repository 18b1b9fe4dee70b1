"""Errors become exit codes here: 2 for the user's mistakes, 1 for ours; warnings become lines.

Whatever an error quotes, no password or key is printed and no terminal obeys it.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import TextIO

from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.runtime.secrets import hide_secrets
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["run_app"]

_USERS_MISTAKE, _OURS, _INTERRUPTED = 2, 1, 130
"""Exit codes: 2 is what option parsers use for wrong usage, 130 what shells give to Ctrl-C."""


def run_app(app: Callable[[], object]) -> None:
    """Run ``app`` and leave with one line instead of a traceback when it fails."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app()
    except InputError as error:
        _leave(f"error: {error}", _USERS_MISTAKE)
    except AssayError as error:
        _leave(f"error: {error}", _OURS)
    except OSError as error:
        _leave(f"error: {error}", _USERS_MISTAKE)
    except KeyboardInterrupt:
        _leave("stopped.", _INTERRUPTED)
    except Exception as error:
        if os.environ.get("ASSAY_DEBUG"):
            _leave(traceback.format_exc().rstrip(), _OURS)
        _leave(
            f"internal error: {type(error).__name__}: {error}. "
            "Set ASSAY_DEBUG=1 to see where it came from.",
            _OURS,
        )


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(_shown(f"warning: {message}"), file=file or sys.stderr)


def _leave(message: str, code: int) -> None:
    print(_shown(message), file=sys.stderr)
    sys.exit(code)


def _shown(message: str) -> str:
    return hide_secrets(visible_text(message))
