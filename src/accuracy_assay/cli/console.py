"""Where text goes: results to the standard output, progress and remarks to the standard error."""

from __future__ import annotations

import json
import sys

from rich.console import Console

__all__ = ["print_json", "remarks", "results"]


def results() -> Console:
    """Return the console of results; where no one sees its width, tables may be wide."""
    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def remarks() -> Console:
    """Return the console of progress bars and remarks."""
    return Console(stderr=True, highlight=False)


def print_json(value: object) -> None:
    """Print a value for programs."""
    print(json.dumps(value, indent=1, default=str))
