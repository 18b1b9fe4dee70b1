"""What a column holds is seen in its values, whatever its name."""

import polars as pl
import pytest

from accuracy_assay.domain.roles.held import is_free, is_share, is_time, mean_words, media_kind


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, None], True),
        ([True, False], True),
        ([0.2, float("nan")], True),
        ([0.2, 1.1], False),
        (["0.2"], False),
        ([None, float("nan")], False),
    ],
)
def test_shares_lie_between_0_and_1(values: list[object], *, expected: bool) -> None:
    assert is_share(pl.Series(values, strict=False)) == expected


def test_times_are_dates_or_texts_that_are_all_dates() -> None:
    assert is_time(pl.Series(["2026-01-02", None, "2026-01-02T10:30:00Z"]))
    assert is_time(pl.Series(["2026-01-02"]).str.to_date())
    assert not is_time(pl.Series(["2026-01-02", "later"]))
    assert not is_time(pl.Series([20260102]))


def test_files_are_told_by_their_endings() -> None:
    assert media_kind(pl.Series(["a.PNG", None, "b.jpg"])) == "image"
    assert media_kind(pl.Series(["a.wav"])) == "audio"
    assert media_kind(pl.Series(["a.wav", "b.png"])) is None
    assert media_kind(pl.Series([1])) is None


def test_texts_are_free_if_they_are_no_few_values() -> None:
    assert is_free(pl.Series([f"text {i}" for i in range(40)]))
    assert not is_free(pl.Series(["one text", "another"] * 20))
    assert mean_words(pl.Series(["two words", None, "and four words here"])) == 3.0
    assert mean_words(pl.Series([None], dtype=pl.String)) == 0.0
