"""Commands that read never write, and read what may not be written or is damaged in part."""

import os
import sqlite3
import statistics  # noqa: F401  (loaded while we may read everything)
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import labelling
import pytest
from typer.testing import CliRunner

import accuracy_assay as aa
from accuracy_assay.cli.app import build_app
from accuracy_assay.errors import AssayError, DamageError
from accuracy_assay.storage.chain import good_events
from accuracy_assay.storage.sqlite import open_sqlite


@contextmanager
def few_rights() -> Iterator[None]:
    """Be somebody else where we are the superuser, who may write everywhere."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def started(folder: Path) -> str:
    """Make an assay with five labels."""
    pool = labelling.make_pool(folder / "pool.parquet", 60)
    spec = labelling.make_spec(folder / "pool.parquet", 20)
    with aa.Assay.create(folder / "s.assay", spec) as assay:
        assay.tell(pool["id"][:5].to_list(), pool["truth"][:5].to_list())
        _ = assay.surface("reader").overall
    return str(folder / "s.assay")


@pytest.mark.parametrize("command", ["status", "ask", "run", "calibrate"])
@pytest.mark.parametrize("kind", ["empty", "text", "foreign"])
def test_a_file_that_is_no_store_is_named_and_left_as_it_is(
    command: str, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "other.db"
    path.write_text("" if kind == "empty" else "prose\n" * 200)
    if kind == "foreign":
        path.unlink()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE customers (id INTEGER)")
    before = path.read_bytes()
    answer = CliRunner().invoke(build_app(), [command, str(path)])
    assert isinstance(answer.exception, AssayError)
    assert "other.db" in str(answer.exception)
    assert [p.name for p in tmp_path.iterdir()] == ["other.db"]
    assert path.read_bytes() == before


def test_an_assay_that_may_not_be_written_is_read_and_says_so_when_it_is_told() -> None:
    with TemporaryDirectory() as place:  # whose parents anybody may enter
        folder = Path(place)
        store = started(folder)
        before = sorted(path.name for path in folder.iterdir())
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        with few_rights(), aa.Assay.open(store) as assay:
            assert assay.status().labels == 5
            assert assay.surface("reader").n_labels == 5
            with pytest.raises(AssayError, match="may be written"):
                assay.tell("x9", "cat")
        assert sorted(p.name for p in folder.iterdir()) == before
        folder.chmod(0o755)


def test_a_damaged_assay_names_the_event_and_gives_those_before_it(tmp_path: Path) -> None:
    store = started(tmp_path)
    with aa.Assay.open(store) as assay:
        for i in range(6, 10):
            assay.tell(f"x{i}", "cat")
        written = list(assay.session.events())
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(
            "UPDATE assay_events SET payload = replace(payload, 'cat', 'dog') WHERE seq = 4"
        )
        connection.commit()
    with pytest.raises(DamageError, match=r"event 4 of assay 'strain'.*The 3 events before it"):
        aa.Assay.open(store)
    opened = open_sqlite(store)
    events, damage = good_events(opened, "strain")
    opened.close()
    assert damage is not None
    assert list(events) == written[:3]
