"""Signals that tell the score together with an attribute are seen and named."""

from typing import Any

import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.read.leaks import refuse_leak

LABEL = [0, 1, 2, 0, 1, 2] * 4
GUESS = [0, 1, 1, 0, 2, 2] * 4
EQUAL = [float(a == b) for a, b in zip(LABEL, GUESS, strict=True)]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_a_label_beside_the_predicted_class_gives_the_answer_away(dtype: Any) -> None:
    frame = pl.DataFrame({"digit": LABEL, "said": pl.Series(GUESS).cast(dtype)})
    with pytest.raises(InputError, match="signal 'said' must not reveal the score; got attribute"):
        refuse_leak(frame, pl.Series(EQUAL), ["digit"], ["said"])


def test_named_columns_are_enough_to_see_a_leak() -> None:
    frame = pl.DataFrame({"digit": LABEL[:3], "said": GUESS[:3]})
    scores = pl.Series(EQUAL[:3])
    refuse_leak(frame, scores, ["digit"], ["said"])
    with pytest.raises(InputError, match="must not reveal the score"):
        refuse_leak(frame, scores, ["digit"], ["said"], y_true="digit", y_pred="said")


def test_the_predicted_class_alone_is_no_leak() -> None:
    frame = pl.DataFrame({"colour": ["r", "g"] * 12, "said": GUESS})
    refuse_leak(frame, pl.Series(EQUAL), ["colour"], ["said"], y_true="digit", y_pred="said")


def test_a_few_rows_with_an_opinion_are_too_few_to_see_a_leak() -> None:
    said = [str(g) if row < 3 else None for row, g in enumerate(GUESS)]
    frame = pl.DataFrame({"digit": LABEL, "said": said})
    refuse_leak(frame, pl.Series(EQUAL), ["digit"], ["said"])
