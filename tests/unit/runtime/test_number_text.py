"""Counts are written in full, differences in points."""

import pytest

from accuracy_assay.runtime.number_text import count_text, plural, points_text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (7.0, "7"),
        (3.25, "3.2"),
        (99.5, "99.5"),
        (219.991, "220"),
        (22410.0, "22,410"),
        (2.5e6, "2,500,000"),
        (3e300, "3.0e+300"),
        (1e-9, "1.0e-09"),
    ],
)
def test_a_count_is_written_in_full_where_people_can_read_it(number: float, text: str) -> None:
    assert count_text(number) == text


@pytest.mark.parametrize(("difference", "text"), [(0.034, "+3.4"), (-0.0349, "-3.5")])
def test_a_difference_is_in_points(difference: float, text: str) -> None:
    assert points_text(difference, is_signed=True) == text
    assert points_text(abs(difference)) == text[1:]


def test_one_is_singular() -> None:
    assert [plural(n, "row") for n in (0, 1, 2, 1_000)] == [
        "0 rows",
        "1 row",
        "2 rows",
        "1,000 rows",
    ]
