"""A packed file may unpack to a multiple of its size, and small ones to more."""

from pathlib import Path

from accuracy_assay.readers.unpacking import LARGEST_RATIO, most_unpacked


def test_every_byte_allows_as_many_more(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"")
    large.write_bytes(b"x" * 1000)
    assert most_unpacked(large) - most_unpacked(small) == 1000 * LARGEST_RATIO
    assert most_unpacked(small) >= 100_000_000
