"""Agreement: how well a prediction matches the truth, a score in [0, 1].

``equal`` is 1 where both are the same value (as `accuracy_assay.files.texts` compares them), else
0. ``bleu`` is sacrebleu's sentence BLEU divided by 100. ``wer`` is ``1 - min(word error rate, 1)``
by jiwer. ``absolute:LOW:HIGH`` is ``1 - |truth - prediction| / (HIGH - LOW)`` for numbers in that
range. ``tolerant`` is ``equal`` but for case, punctuation and spaces, and the truth may list
several accepted answers, divided by ``|``. ``overlap`` compares sets divided by ``|``: what both
have, over what either has. Any ``module:function`` that takes (truths, predictions) and returns
one score per pair works too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.missing_answers import unanswered
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.blank_texts import is_missing
from accuracy_assay.files.texts import (
    LIST_SIGN,
    as_texts,
    normal_column,
    normal_text,
    require_plain,
)
from accuracy_assay.runtime.arrays import FloatArray

__all__ = [
    "Agreement",
    "AgreementWarning",
    "agreement",
    "check_scores",
    "equal_columns",
    "is_imported",
    "is_missing",
    "plain_words",
    "score_column",
    "warn_of_no_match",
]

Agreement = Callable[[Sequence[object], Sequence[object]], npt.ArrayLike]

_ABSOLUTE = "absolute:"
_ENOUGH_LABELS = 5
"""Labels needed before we warn that none equals its prediction. Chosen by hand: a service that is
right half of the time misses the first five once in thirty times."""
_SHOWN_VALUES = 5
"""Values of each side in that warning: enough to see two spellings."""


class AgreementWarning(UserWarning):
    """Labels, predictions or choices that do not seem to be of the same kind."""


def agreement(name: str | Agreement) -> Agreement:
    """Return the agreement function called ``name``, or load ``module:function``.

    Examples
    --------
    >>> agreement("equal")(["a", "b"], ["a", "c"]).tolist()
    [1.0, 0.0]
    """
    if callable(name):
        return name
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if name.startswith(_ABSOLUTE):
        return _absolute(name)
    module_name, _, function_name = name.partition(":")
    if not function_name:
        known = [*_BUILT_IN, f"{_ABSOLUTE}LOW:HIGH", "module:function"]
        raise UnknownNameError("agreement", name, known)
    try:
        function: Agreement = getattr(import_module(module_name), function_name)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"agreement must name an importable function; got {name!r} ({error})."
        ) from None
    return function


def is_imported(name: str) -> bool:
    """Return whether an agreement is a ``module:function`` rather than one of ours."""
    return ":" in name and not name.startswith(_ABSOLUTE)


def check_scores(scores: npt.ArrayLike, *, what: str = "score") -> FloatArray:
    """Return scores as float64 (n,), or raise an error that names the first bad one."""
    array = np.asarray(scores, dtype=np.float64)
    # A NaN makes both min and max NaN, which fails the test.
    if array.size and not (array.min() >= 0.0 and array.max() <= 1.0):
        row = int(np.flatnonzero(~((array >= 0.0) & (array <= 1.0)))[0])
        raise InputError(
            f"{what} must be a finite number in [0, 1]; got {array[row]} in row {row}. "
            "Rescale it, or drop the row."
        )
    return array


def _equal(truths: Sequence[object], predictions: Sequence[object]) -> FloatArray:
    same = [normal_text(t) == normal_text(p) for t, p in zip(truths, predictions, strict=True)]
    scores = np.asarray(same, dtype=np.float64)
    if not scores.any():
        warn_of_no_match(scores.size, truths, predictions)
    return scores


def warn_of_no_match(
    n_labels: int, truths: Iterable[object], predictions: Iterable[object]
) -> None:
    """Warn that no label equals its prediction, if there are enough labels."""
    if n_labels < _ENOUGH_LABELS:
        return
    seen, said = (list(dict.fromkeys(as_texts(v)))[:_SHOWN_VALUES] for v in (truths, predictions))
    warnings.warn(
        f"none of {n_labels} labels equals its prediction: labels such as {seen}, predictions "
        f"such as {said}. If they mean the same, spell them the same way, or choose another "
        "agreement.",
        AgreementWarning,
        stacklevel=4,
    )


def _bleu(truths: Sequence[object], predictions: Sequence[object]) -> FloatArray:
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(effective_order=True)
    return np.asarray(
        [
            min(metric.sentence_score(str(p), [str(t)]).score / 100.0, 1.0)
            for t, p in zip(truths, predictions, strict=True)
        ]
    )


def _wer(truths: Sequence[object], predictions: Sequence[object]) -> FloatArray:
    import jiwer

    def score(truth: str, prediction: str) -> float:
        if not truth.strip():
            return float(not prediction.strip())
        return 1.0 - min(float(jiwer.wer(truth, prediction)), 1.0)

    return np.asarray([score(str(t), str(p)) for t, p in zip(truths, predictions, strict=True)])


def _absolute(name: str) -> Agreement:
    """Return the agreement of numbers in a declared range, ``absolute:LOW:HIGH``."""
    try:
        low, high = (float(end) for end in name.removeprefix(_ABSOLUTE).split(":"))
    except ValueError:
        low = high = float("nan")
    if not low < high or not np.isfinite([low, high]).all():
        raise InputError(
            f"agreement must name a range of numbers, such as absolute:0:100; got {name!r}."
        )

    def compare(truths: Sequence[object], predictions: Sequence[object]) -> FloatArray:
        truth = _numbers(truths, low, high, "truth")
        prediction = _numbers(predictions, low, high, "prediction")
        return np.asarray(1.0 - np.abs(truth - prediction) / (high - low))

    return compare


def _numbers(values: Sequence[object], low: float, high: float, what: str) -> FloatArray:
    """Return values as numbers, or raise an error that names the first one out of range."""
    numbers = pl.Series(as_texts(values), dtype=pl.String).cast(pl.Float64, strict=False)
    array = numbers.fill_null(float("nan")).to_numpy()
    is_wrong = ~((array >= low) & (array <= high))
    if is_wrong.any():
        wrong = values[int(np.flatnonzero(is_wrong)[0])]
        raise InputError(
            f"{what} must be a number from {low:g} to {high:g}; got {wrong!r}. Declare a wider "
            "range, or clip the value."
        )
    return array


def plain_words(value: object) -> str:
    """Return the words of a text alone: no case, no punctuation, single spaces.

    A text without words, such as ``+``, keeps its signs.

    Examples
    --------
    >>> plain_words(" New  York, N.Y.")
    'new york n y'
    """
    text = normal_text(value).casefold()
    words = "".join(c if c.isalnum() else " " for c in text).split()
    return " ".join(words) if words else " ".join(text.split())


def _tolerant(truths: Sequence[object], predictions: Sequence[object]) -> FloatArray:
    """Return 1 where the prediction is one of the answers that the truth accepts."""
    accepted = [{plain_words(part) for part in normal_text(t).split(LIST_SIGN)} for t in truths]
    said = [plain_words(p) for p in predictions]
    return np.asarray([float(p in a) for p, a in zip(said, accepted, strict=True)])


def _overlap(truths: Sequence[object], predictions: Sequence[object]) -> FloatArray:
    """Return what two sets have in common, as a share of what either has."""

    def members(value: object) -> set[str]:
        return {
            word for part in normal_text(value).split(LIST_SIGN) if (word := plain_words(part))
        }

    pairs = [(members(t), members(p)) for t, p in zip(truths, predictions, strict=True)]
    return np.asarray([len(t & p) / len(t | p) if t | p else 1.0 for t, p in pairs])


_BUILT_IN: dict[str, Agreement] = {
    "equal": _equal,
    "tolerant": _tolerant,
    "overlap": _overlap,
    "bleu": _bleu,
    "wer": _wer,
}


def score_column(
    frame: pl.DataFrame,
    *,
    score: str | None,
    y_true: str | None,
    y_pred: str | None,
    agree: str | Agreement = "equal",
    warn: bool = True,
) -> pl.Series:
    """Return the agreement of every row as a Float64 series called ``score``, unchecked.

    A row without an answer has the score 0, whatever the agreement. ``warn`` is off where these
    are only a part of the rows, too few to warn that none agrees.
    """
    if score is not None:
        column = frame.get_column(score)
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
            raise InputError(
                f"score column {score!r} must hold numbers in [0, 1] or booleans; got "
                f"{column.dtype}."
            )
        return column.cast(pl.Float64).alias("score")
    if y_true is None or y_pred is None:
        raise InputError(
            "rows must be scored by score=<column>, or by y_true= and y_pred=; got "
            f"score={score!r}, y_true={y_true!r}, y_pred={y_pred!r}."
        )
    truth, prediction = frame.get_column(y_true), frame.get_column(y_pred)
    if (missing := is_missing(truth)).any():
        raise InputError(
            f"column {y_true!r} must have a value in every row; got a missing one in row "
            f"{int(missing.arg_true()[0])}. Fill it, or drop the row."
        )
    is_answered = ~unanswered(prediction, truth)
    if agree == "equal":
        for column in (truth, prediction):
            require_plain(column, "column", may_be_json=True)
        same = equal_columns(truth, prediction).cast(pl.Float64)
        told = same.filter(is_answered)
        if warn and not (told.sum() or told.null_count()):
            answers = (column.filter(is_answered) for column in (truth, prediction))
            warn_of_no_match(told.len(), *answers)
        return same.zip_with(is_answered, _zeros(frame.height)).alias("score")
    scores = _compare(agreement(agree), truth.filter(is_answered), prediction.filter(is_answered))
    return _zeros(frame.height).scatter(is_answered.arg_true(), scores).alias("score")


def _compare(compare: Agreement, truth: pl.Series, prediction: pl.Series) -> FloatArray:
    """Return the agreement of every answer, (n,)."""
    if not truth.len():
        return np.zeros(0)
    scores = np.asarray(compare(truth.to_list(), prediction.to_list()), np.float64)
    if scores.shape != (truth.len(),):
        raise InputError(
            f"agreement must return one score per row, shape ({truth.len()},); got {scores.shape}."
        )
    return scores


def _zeros(n_rows: int) -> pl.Series:
    return pl.repeat(0.0, n_rows, dtype=pl.Float64, eager=True)


def equal_columns(truth: pl.Series, prediction: pl.Series) -> pl.Series:
    """Return where two columns hold the same value, null where either is missing.

    Numbers are compared as numbers, everything else by its normal text.
    """
    if truth.dtype.is_numeric() and prediction.dtype.is_numeric():
        if pl.Float32 in (truth.dtype, prediction.dtype):
            # Double precision has digits that single precision has lost.
            return truth.cast(pl.Float32) == prediction.cast(pl.Float32)
        return truth == prediction
    return normal_column(truth) == normal_column(prediction)
