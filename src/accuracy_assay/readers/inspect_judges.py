"""Which scorers of an Inspect log are models that grade answers, and what becomes of them.

A model's grade is an opinion: a judge. Where a log has no other score, the grades are all that is
known, so they are the score, and the log says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from accuracy_assay.domain.eval_log import GRADED_ALONE
from accuracy_assay.readers.inspect_samples import Sample
from accuracy_assay.readers.untrusted import elements, entries, words

__all__ = ["graded_by_models", "judges_of"]

_GRADER_OPTION = re.compile(r"grader|judge|grading")
_GRADER_NAME = re.compile(r"model_graded|judge")


def graded_by_models(header: Mapping[str, Any], samples: Iterable[Sample]) -> dict[str, str]:
    """Return the scorers of a log that ask a model, and which model, as far as it says.

    They are called ``model_graded_...`` or a judge, have an option for a grader, or keep what the
    model was asked.

    Examples
    --------
    >>> options = {"grader_model": {"model": "google/gemini"}}
    >>> header = {"eval": {"scorers": [{"name": "f1"}, {"name": "facts", "options": options}]}}
    >>> graded_by_models(header, [])
    {'facts': 'google/gemini'}
    """
    found = {scorer: "a model" for sample in samples for scorer in sample.graded}
    results = elements(entries(header.get("results")).get("scores"))
    scorers = elements(entries(header.get("eval")).get("scorers"))
    for scorer in map(entries, [*results, *scorers]):
        options = entries(scorer.get("params")) or entries(scorer.get("options"))
        name = (words(scorer.get("name")) or "").rpartition("/")[2]
        kind = (words(scorer.get("scorer")) or name).rpartition("/")[2]
        graders = [value for key, value in options.items() if _GRADER_OPTION.search(str(key))]
        if name and (graders or _GRADER_NAME.search(kind) or name in found):
            found[name] = _model([*graders, options.get("model")]) or found.get(name, "a model")
    return found


def judges_of(
    graded: Sequence[Mapping[str, str]],
    samples: Sequence[Sequence[Sample]],
    left_out: MutableMapping[str, str],
) -> frozenset[str]:
    """Return the scorers that are judges, in all of some logs.

    Parameters
    ----------
    graded
        For each log, the scorers that ask a model.
    samples
        For each log, its samples.
    left_out
        Where it is noted that grades stand in for the truth.
    """
    models = {scorer: model for log in graded for scorer, model in log.items()}
    for log in samples:
        scorers = {scorer for sample in log for scorer in sample.scores}
        if not scorers - models.keys():
            for scorer in sorted(scorers):
                left_out[f"a truth behind {scorer}"] = (
                    f"{models[scorer]} {GRADED_ALONE}, so its grades are the score; with "
                    "people's labels, name its column as a judge"
                )
            return frozenset()
    return frozenset(models)


def _model(values: Iterable[Any]) -> str | None:
    """Return the first name of a model in the options of a scorer."""
    for value in values:
        if name := words(value) or words(entries(value).get("model")):
            return name
    return None
