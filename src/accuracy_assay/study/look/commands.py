"""The commands that do more than a first look, ready to be pasted into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from glob import escape, glob

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.roles.value import ColumnRoles
from accuracy_assay.study.read.claims import same_start

__all__ = ["command", "compare_command", "compare_log_command", "pattern_of", "surface_options"]

_MOST_SERVICES = 4
"""Services in a command that compares: more make it too long to read."""


def command(*words: str) -> str:
    """Return words as a line for a shell, each quoted where it has to be.

    Examples
    --------
    >>> command("assay", "look", "my rows.csv")
    "assay look 'my rows.csv'"
    """
    return shlex.join(words)


def surface_options(columns: Columns, typed: Sequence[str]) -> list[str]:
    """Return the options that say what the columns mean."""
    words = [word for name in typed for word in ("-a", name)]
    given = {"--score": columns.score, "--y-true": columns.y_true, "--y-pred": columns.y_pred}
    given |= {"--cluster": columns.cluster, "--id": columns.id if columns.annotator else None}
    given |= {"--annotator": columns.annotator, "--gold": columns.gold}
    words += [word for pair in given.items() if pair[1] for word in map(str, pair)]
    return words + [word for name in columns.from_label for word in ("--from-label", name)]


def compare_command(
    path: str, roles: ColumnRoles, services: Sequence[str], typed: Sequence[str]
) -> str:
    """Return the command that compares a few services of a table on the same rows."""
    words = [word for name in typed for word in ("-a", name)]
    few = services[:_MOST_SERVICES]
    scores = [next(iter(roles.services[s].scores.values()), None) for s in few]
    if all(scores):
        words += [word for score in scores for word in ("--score", str(score))]
    else:
        words += ["--y-true", str(roles.truth)]
        words += [w for s in few for w in ("--service", str(roles.services[s].prediction))]
    if roles.cluster is not None:
        words += ["--cluster", roles.cluster]
    return command("assay", "compare", path, *words)


def compare_log_command(
    path: str,
    roles: ColumnRoles,
    services: Sequence[str],
    typed: Sequence[str],
    metric: str | None,
) -> str:
    """Return the command that compares the services of a log that have a metric."""
    words = [word for name in typed for word in ("-a", name)]
    few = [s for s in services if metric is None or metric in roles.services[s].scores]
    words += [word for s in few[:_MOST_SERVICES] for word in ("--service", s)]
    return command("assay", "compare", path, *words, *(["--metric", metric] if metric else []))


def pattern_of(paths: Sequence[str]) -> str | None:
    """Return one path or pattern that stands for several paths, None if there is none.

    Examples
    --------
    >>> pattern_of(["rows.csv"])
    'rows.csv'
    """
    if len(paths) == 1:
        return paths[0]
    start = same_start(paths)
    end = same_start([path[len(start) :][::-1] for path in paths])[::-1]
    pattern = f"{escape(start)}*{escape(end)}"
    return pattern if sorted(glob(pattern, recursive=True)) == sorted(paths) else None
