import shutil
from pathlib import Path

import numpy as np

from accuracy_assay.domain.events import Skipped
from accuracy_assay.storage.log_frames import broken_log
from accuracy_assay.storage.sqlite import open_sqlite


def log_of(folder: Path) -> Path:
    """Return a store with a log, as a killed process leaves it."""
    store = open_sqlite(str(folder / "v.assay"), is_new=True)
    store.create("a", [Skipped((f"x{i}",), "ann") for i in range(200)])
    for i in range(5):
        store.append("a", [Skipped((f"x{i}",), "bob")])
    killed = folder / "killed.assay"
    shutil.copy(folder / "v.assay", killed)
    shutil.copy(folder / "v.assay-wal", f"{killed}-wal")
    return killed


def test_a_whole_log_and_no_log_are_not_broken(tmp_path: Path) -> None:
    path = log_of(tmp_path)
    assert broken_log(path) is None
    Path(f"{path}-wal").unlink()
    assert broken_log(path) is None


def test_a_log_cut_anywhere_ends_and_is_not_broken(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = log_of(tmp_path)
    content = Path(f"{path}-wal").read_bytes()
    for end in rng.integers(32, len(content), 20):
        Path(f"{path}-wal").write_bytes(content[:end])
        assert broken_log(path) is None


def test_a_flipped_bit_is_found_in_every_frame(tmp_path: Path, rng: np.random.Generator) -> None:
    path = log_of(tmp_path)
    content = Path(f"{path}-wal").read_bytes()
    for number, at in enumerate(range(32, len(content), 24 + 4096), start=1):
        flipped = bytearray(content)
        flipped[at + 24 + int(rng.integers(0, 4096))] ^= 1 << int(rng.integers(0, 8))
        Path(f"{path}-wal").write_bytes(flipped)
        found = broken_log(path)
        assert found is not None
        assert f"frame {number} of the log" in found
    for at in (0, 20, 26):
        flipped = bytearray(content)
        flipped[at] ^= 1
        Path(f"{path}-wal").write_bytes(flipped)
        assert "header" in str(broken_log(path))
