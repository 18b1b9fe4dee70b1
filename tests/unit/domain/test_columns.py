"""Columns by name."""

from accuracy_assay.domain.columns import Columns


def test_names() -> None:
    assert Columns(("a",)).names == ("a",)
