"""The loop of asking and telling, answered from known labels instead of by people."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accuracy_assay.errors import InputError
from accuracy_assay.files.mistakes import Mistakes
from accuracy_assay.files.texts import as_text
from accuracy_assay.session.answers import check_label
from accuracy_assay.session.assay import Assay

__all__ = ["answer_from"]


def answer_from(
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
        Who answers.
    on_round
        Called with the number of answers so far.

    Returns
    -------
    int
        Answers that were told. It ends with the budget, or when nothing is left to ask.

    Raises
    ------
    InputError
        If a label is not one of the choices, or no answer is for an instance of the pool. All
        bad labels are named before anything is asked for.
    """
    answers = _in_pool(assay, answers)
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


def _in_pool(assay: Assay, answers: Mapping[str, str]) -> dict[str, str]:
    """Return the answers to instances of the pool, written as the pool and the choices are."""
    rules = assay.session.parts().rules
    known: dict[str, str] = {}
    mistakes = Mistakes("answers")
    for given, label in answers.items():
        try:
            name = rules.find_id(given)
        except InputError:
            continue  # a file of labels may be larger than the pool
        with mistakes.noting():
            known[name] = check_label(rules, name, as_text(label))
    mistakes.raise_any()
    if answers and not known:
        raise InputError(
            "answers must be for instances of the pool; got none, but ids such as "
            f"{next(iter(answers))!r:.80}."
        )
    return known
