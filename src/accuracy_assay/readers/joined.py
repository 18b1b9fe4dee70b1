"""The last step of a reader: answers of files become a log, or an error that names the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.join import join_answers

__all__ = ["joined"]

_NAMED = 3


def joined(
    answers: Iterable[Answer], paths: Sequence[Path], what: str, left_out: Mapping[str, str]
) -> EvalLog:
    """Return the log of some answers.

    Parameters
    ----------
    answers, left_out
        As in `join_answers`.
    paths
        The files that they are from.
    what
        What the files must hold, such as ``results of promptfoo``.

    Raises
    ------
    InputError
        If there is no answer, or values are too strange for a table, such as a hundred lists
        within lists; the error names the files.
    """
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    names = ", ".join(str(path) for path in paths[:_NAMED]) + more
    with refusing_damage(f"{what} that fit a table", names, "a log"):
        listed = list(answers)
        if not listed:
            raise InputError(f"a log must hold {what}; got {names}, with none.")
        return join_answers(listed, left_out=left_out)
