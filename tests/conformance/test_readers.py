"""Every reader of the registry keeps the laws of `accuracy_assay.testing`."""

from written_logs import WRITERS

from accuracy_assay.registry import READERS, build_reader
from accuracy_assay.testing import ReaderLaws


def laws_of(name: str) -> type[ReaderLaws]:
    body = {
        "make": lambda self: build_reader(name),
        "write": lambda self, folder: WRITERS[name](folder),
    }
    return type(f"Test_{name}", (ReaderLaws,), body)


globals().update({f"Test_{name}": laws_of(name) for name in READERS})


def test_every_reader_has_files_to_read() -> None:
    assert set(WRITERS) == set(READERS)
