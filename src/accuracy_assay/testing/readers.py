"""What every reader of another tool's files keeps to, on files that you write for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import RowReader
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["ReaderLaws"]


class ReaderLaws(Laws):
    """Laws of a `RowReader`; say how yours is made, and write files for it to read."""

    def make(self) -> RowReader:
        """Return the reader."""
        raise NotImplementedError("say how the reader is made")

    def write(self, folder: Path) -> Sequence[Path]:
        """Write files, or folders, that belong together, and return their paths."""
        raise NotImplementedError("write files that the reader reads")

    @pytest.fixture
    def paths(self, tmp_path: Path) -> list[Path]:
        """Return what `write` wrote."""
        return list(self.write(tmp_path))

    def test_a_reader_follows_the_protocol(self) -> None:
        """It says what it reads, and reads."""
        assert missing_part(self.make(), RowReader) is None

    def test_a_reader_knows_its_own_files_and_no_others(
        self, paths: list[Path], tmp_path: Path
    ) -> None:
        """A table, an empty folder and what is not there are not its own."""
        reader = self.make()
        assert all(reader.reads(path) is True for path in paths)
        table, folder = tmp_path / "of-somebody-else.csv", tmp_path / "of-somebody-else"
        table.write_text("id,label\n1,cat\n", encoding="utf-8")
        folder.mkdir()
        for path in (table, folder, tmp_path / "nowhere" / paths[0].name):
            assert reader.reads(path) is False

    def test_files_give_rows_and_what_their_columns_mean(self, paths: list[Path]) -> None:
        """Every service has answers or scores, and scores lie in [0, 1]."""
        found = self.make().read(paths)
        assert isinstance(found, EvalLog)
        for service in found.by_service.values():
            assert service.prediction is not None or service.scores
            for column in service.scores.values():
                scores = found.rows.get_column(column).cast(pl.Float64).drop_nulls()
                assert scores.is_between(0.0, 1.0).all()

    def test_reading_again_gives_the_same_and_leaves_the_files(self, paths: list[Path]) -> None:
        """A file is read and nothing else."""
        reader, before = self.make(), {path: path.read_bytes() for path in _files(paths)}
        first, second = reader.read(paths), reader.read(paths)
        assert_frame_equal(first.rows, second.rows)
        assert first.by_service == second.by_service
        assert {path: path.read_bytes() for path in _files(paths)} == before

    def test_the_order_of_files_does_not_matter(self, paths: list[Path]) -> None:
        """Items are the same ones, whichever file is read first."""
        reader = self.make()
        first, turned = reader.read(paths), reader.read(paths[::-1])
        assert dict(first.by_service) == dict(turned.by_service)
        by = first.rows.columns if first.id is None else [first.id]
        assert_frame_equal(first.rows.sort(by), turned.rows.sort(by), check_column_order=False)

    def test_a_damaged_file_is_refused_by_its_name(self, paths: list[Path]) -> None:
        """Whatever stands in a file, the error says which one it is, or it reads nonetheless."""
        reader = self.make()
        for path in list(_files(paths)):
            whole = path.read_bytes()
            for content in (b"", whole[: len(whole) // 2], b"\xff\xfe\x00{[" * 20):
                path.write_bytes(content)
                assert all(isinstance(reader.reads(place), bool) for place in paths)
                refusal = _refusal(reader, paths)
                assert refusal is None or path.name in refusal
            path.write_bytes(whole)


def _refusal(reader: RowReader, paths: Sequence[Path]) -> str | None:
    """Return why a reader refuses files, None where it reads them."""
    try:
        reader.read(paths)
    except InputError as error:
        return str(error)
    return None


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of some paths, those in folders too."""
    for path in paths:
        yield from (p for p in sorted(path.rglob("*")) if p.is_file()) if path.is_dir() else [path]
