"""What is read of a part: evidence as of a whole table, strata as they were merged."""

import numpy as np
import polars as pl

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.study.read.part_reader import MergedStrata, PartReader

SPACE = AttributeSpace(
    (Attribute("sex", ("f", "m")), Attribute("age", ("old", "young")), Attribute("digit", (0, 1)))
)
FRAME = pl.DataFrame(
    {
        "id": [1, 2, 3],
        "sex": ["m", None, "f"],
        "p_age__young": [0.2, 0.9, 0.5],
        "p_age__old": [0.8, 0.1, 0.5],
        "sure": ["no", "yes", "no"],
    }
)
SIGNALS = AttributeSpace((Attribute("sure", ("no", "so-so", "yes")),))
READER = PartReader(SPACE, {"age": "p_age__*"}, ["digit"], FRAME.columns, SIGNALS)


def test_columns_of_guessed_and_exact_attributes_are_needed_and_no_others() -> None:
    assert READER.attribute_columns == ["sex", "p_age__young", "p_age__old"]
    assert READER.signal_columns == ["sure"]
    assert PartReader(SPACE, {}, [], FRAME.columns).signal_columns == []


def test_rows_of_which_only_the_label_will_tell_are_still_rows() -> None:
    space = AttributeSpace((Attribute("digit", (0, 1)),))
    reader = PartReader(space, {}, ["digit"], FRAME.columns)
    evidence = reader.evidence_of(FRAME.select(reader.attribute_columns))
    assert evidence.columns[0].tolist() == [-1, -1, -1]


def test_evidence_is_that_of_the_table() -> None:
    sex, age, digit = READER.evidence_of(FRAME).columns
    assert sex.tolist() == [1, -1, 0]
    np.testing.assert_allclose(age, [[0.8, 0.2], [0.1, 0.9], [0.5, 0.5]])
    assert digit.tolist() == [-1, -1, -1]


def test_strata_follow_what_took_their_place() -> None:
    stratum = READER.stratum_of(FRAME)
    assert stratum is not None
    assert stratum.tolist() == [0, 2, 0]
    merged = MergedStrata(
        AttributeSpace((Attribute("score", ("low", "high")),)), np.array([0, 2]), np.array([1, 0])
    )
    reader = PartReader(SPACE, {}, [], FRAME.columns, SIGNALS, merged)
    found = reader.stratum_of(FRAME)
    assert found is not None
    assert found.tolist() == [1, 0, 1]
    assert reader.strata is merged.strata


def test_without_signals_nothing_divides_arms() -> None:
    assert PartReader(SPACE, {}, [], FRAME.columns).stratum_of(FRAME) is None
    nothing = MergedStrata(None, np.array([0, 2]), np.array([0, 0]))
    assert PartReader(SPACE, {}, [], FRAME.columns, SIGNALS, nothing).stratum_of(FRAME) is None
