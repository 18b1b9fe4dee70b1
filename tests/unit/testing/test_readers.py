"""Each law of a reader is broken by a reader that was made to break it, and only then."""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import RowReader
from accuracy_assay.testing import ReaderLaws


class Good:
    """Reads files that end in ``.log``, one JSON list of items each."""

    def reads(self, path: Path) -> bool:
        return path.suffix == ".log" and path.is_file()

    def read(self, paths: Sequence[Path]) -> EvalLog:
        items = []
        for path in paths:
            try:
                items += json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise InputError(f"{path.name} must be JSON; got {error}.") from None
        return EvalLog(pl.DataFrame(items), {"it": ServiceColumns(None, {"ok": "ok"})}, id="n")


class Greedy(Good):
    """Knows every file."""

    def reads(self, path: Path) -> bool:
        return True


class Generous(Good):
    """Gives two points where one is all there is."""

    def read(self, paths: Sequence[Path]) -> EvalLog:
        found = super().read(paths)
        return EvalLog(found.rows.with_columns(pl.col("ok") * 2), found.by_service, id="n")


class Last(Good):
    """Reads the last file alone."""

    def read(self, paths: Sequence[Path]) -> EvalLog:
        return super().read(paths[-1:])


class Careless(Good):
    """Says nothing of what stands in a file, and leaves a mark in it."""

    def read(self, paths: Sequence[Path]) -> EvalLog:
        found = EvalLog(pl.DataFrame([x for p in paths for x in json.loads(p.read_bytes())]))
        paths[0].write_bytes(paths[0].read_bytes() + b" ")
        return found


def laws_of(reader: object) -> ReaderLaws:
    class Laws(ReaderLaws):
        def make(self) -> RowReader:
            return reader  # type: ignore[return-value]

        def write(self, folder: Path) -> Sequence[Path]:
            paths = [folder / "1.log", folder / "2.log"]
            for n, path in enumerate(paths):
                path.write_text(json.dumps([{"n": 2 * n + i, "ok": i} for i in (0, 1)]))
            return paths

    return Laws()


@pytest.mark.parametrize(
    ("law", "broken"),
    [
        ("a_reader_follows_the_protocol", object()),
        ("a_reader_knows_its_own_files_and_no_others", Greedy()),
        ("files_give_rows_and_what_their_columns_mean", Generous()),
        ("reading_again_gives_the_same_and_leaves_the_files", Careless()),
        ("the_order_of_files_does_not_matter", Last()),
        ("a_damaged_file_is_refused_by_its_name", Careless()),
    ],
)
def test_a_law_can_be_broken(law: str, broken: object, tmp_path: Path) -> None:
    for reader, is_kept in ((Good(), True), (broken, False)):
        laws, folder = laws_of(reader), tmp_path / str(is_kept)
        folder.mkdir()
        paths = list(laws.write(folder))
        arguments = {
            "a_reader_follows_the_protocol": [],
            "a_reader_knows_its_own_files_and_no_others": [paths, folder],
        }.get(law, [paths])
        if is_kept:
            getattr(laws, f"test_{law}")(*arguments)
            continue
        with pytest.raises((AssertionError, ValueError)):
            getattr(laws, f"test_{law}")(*arguments)
