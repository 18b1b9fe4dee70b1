"""Padded sizes: few, and never wasteful where it counts."""

from accuracy_assay.runtime.padding import padded_size


def test_a_padded_size_holds_the_rows_without_much_waste() -> None:
    for n in range(1, 40_000, 37):
        size = padded_size(n)
        assert n <= size
        assert size <= max(128, 2 * n if n <= 256 else 1.5 * n)
        assert padded_size(size) == size


def test_there_are_few_sizes() -> None:
    assert len({padded_size(n) for n in range(1, 8193)}) == 12
