"""Every reader of the registry keeps the laws of `accuracy_assay.testing`."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import written_logs
from made_logs import (
    inspect_log,
    inspect_sample,
    lm_eval_text,
    write_eval,
    write_inspect_json,
    write_lm_eval,
    write_zstandard,
)
from polars.testing import assert_frame_equal

from accuracy_assay.registry import READERS, build_reader
from accuracy_assay.study.read.open_rows import read_log
from accuracy_assay.testing import ReaderLaws


def write_lm_eval_logs(folder: Path) -> list[Path]:
    first = [lm_eval_text(n, "2", "2", float(n % 2)) for n in range(3)]
    second = [lm_eval_text(n, "3", "2", 0.0) for n in range(1, 4)]
    return [
        write_lm_eval(folder, "acme/small", "sums", first),
        write_lm_eval(folder, "acme/large", "sums", second),
    ]


def write_inspect_logs(folder: Path) -> list[Path]:
    samples = [inspect_sample(n, {"match": "CI"[n % 2]}) for n in range(3)]
    return [
        write_eval(folder / "small.eval", inspect_log(samples, "acme/small")),
        write_zstandard(folder / "large.eval", inspect_log(samples[1:], "acme/large")),
        write_inspect_json(folder / "old.json", inspect_log(samples[:2], "acme/old")),
    ]


WRITERS: Mapping[str, Callable[[Path], Sequence[Path]]] = {
    "inspect": write_inspect_logs,
    "lm-eval": write_lm_eval_logs,
    **written_logs.WRITERS,
}
"""By reader: a function that writes files for it to a folder, and returns their paths."""


def laws_of(name: str) -> type[ReaderLaws]:
    body = {
        "make": lambda self: build_reader(name),
        "write": lambda self, folder: WRITERS[name](folder),
    }
    return type(f"Test_{name}", (ReaderLaws,), body)


globals().update({f"Test_{name}": laws_of(name) for name in READERS})


def test_every_reader_has_files_to_read() -> None:
    assert set(WRITERS) == set(READERS)


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_and_its_copy_hold_the_same_rows(name: str, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    WRITERS[name](first)
    one = read_log(first)
    shutil.copytree(first, tmp_path / "second")
    both = read_log(tmp_path)
    assert both.by_service == one.by_service
    assert_frame_equal(both.rows.sort("id"), one.rows.sort("id"))
