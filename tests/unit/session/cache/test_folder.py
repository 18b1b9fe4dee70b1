"""Where what can be computed again is kept."""

from pathlib import Path

from accuracy_assay.session.cache.folder import cache_folder
from accuracy_assay.session.calibrations import cache_folder as of_the_cache


def test_one_function_says_it_to_all(tmp_path: Path) -> None:
    assert of_the_cache is cache_folder
    assert cache_folder(tmp_path / "a") == Path(f"{tmp_path / 'a'}.cache")
