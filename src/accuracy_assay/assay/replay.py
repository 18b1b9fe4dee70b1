"""A labelled file played through the loop, as if people answered from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accuracy_assay.assay.session import Assay

__all__ = ["replay"]


def replay(
    assay: Assay,
    answers: Mapping[str, str],
    annotator: str = "file",
    on_round: Callable[[int], None] | None = None,
) -> int:
    """Ask, round after round, and answer from ``answers``; what it lacks is skipped.

    Parameters
    ----------
    assay
        The session.
    answers
        Label of each instance by id.
    annotator
        Under whose name.
    on_round
        Called with the number of answers so far.

    Returns
    -------
    int
        Answers that were told. It ends with the budget, or when nothing is left to ask.
    """
    n_told = 0
    while True:
        held = assay.pending(annotator)["id"]
        ids = (held if held.len() else assay.ask(annotator=annotator)["id"]).to_list()
        if not ids:
            return n_told
        known = [i for i in ids if i in answers]
        unknown = [i for i in ids if i not in answers]
        if unknown:
            assay.skip(unknown, annotator, "not in the file of answers")
        if known:
            n_told += assay.tell(known, [answers[i] for i in known], annotator)
        if on_round is not None:
            on_round(n_told)
