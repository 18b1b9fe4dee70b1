"""A kept pool: made anew when a table or the spec changed, never in the way."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.session.cache.entries import cache_folder
from accuracy_assay.session.cache.ids import write_ids
from accuracy_assay.session.cache.pool import KeptPool, find_pool

SPEC: dict[str, Any] = {
    "assay": {"estimator": "beta-independent", "strategy": "random"},
    "attribute": [{"name": "sex"}],
    "service": [{"name": "reader", "column": "guess"}],
    "label": {"choices": ["cat", "dog"]},
}


def write_pool(path: Path, n_rows: int = 20, guess: str = "cat") -> None:
    pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(n_rows)],
            "sex": ["f", "m"] * (n_rows // 2),
            "guess": [guess, "dog"] * (n_rows // 2),
        }
    ).write_parquet(path)


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, Path]:
    """A store whose pool is a file, and that file."""
    pool, store = tmp_path / "pool.parquet", tmp_path / "s.assay"
    write_pool(pool)
    aa.Assay.create(store, SPEC | {"pool": {"path": str(pool)}}).close()
    return store, pool


def kept_of(store: Path) -> KeptPool | None:
    cache = cache_folder(store)
    with aa.Assay.open(store) as assay:
        content = assay.spec.model_dump(mode="json")
    return KeptPool.recall(find_pool(cache, content))


def folders(store: Path) -> list[str]:
    return sorted(p.name for p in Path(f"{store}.cache").iterdir() if p.is_dir())


def test_a_new_assay_keeps_its_pool_and_a_second_opening_reads_no_table(
    made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = made
    (name,) = folders(store)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the pool was read again")

    monkeypatch.setattr("accuracy_assay.session.rows.read_table", never)
    with aa.Assay.open(store) as assay:
        assert assay.tell(["x3", " x4 "], ["cat", "dog"]) == 2
        assert assay.session.parts().rows.ids[7] == "x7"
        with pytest.raises(InputError, match="id of the pool; got 'y'"):
            assay.tell("y", "cat")
    assert folders(store) == [name]


def test_a_pool_that_changed_is_noticed_and_named(made: tuple[Path, Path]) -> None:
    store, pool = made
    write_pool(pool, guess="dog")
    with pytest.raises(InputError, match=r"got other values in 'guess'"):
        aa.Assay.open(store)
    with pytest.raises(InputError, match=r"got other values in 'guess'"):
        aa.Assay.open(store)  # also from what is kept by now
    write_pool(pool, n_rows=22)
    with pytest.raises(InputError, match="got 22 with other ids"):
        aa.Assay.open(store)
    write_pool(pool)
    with aa.Assay.open(store) as assay:
        assert assay.tell("x1", "cat") == 1
    assert len(folders(store)) == 1  # of the older states nothing is left


def test_a_pool_that_was_written_again_as_it_was_goes_on(made: tuple[Path, Path]) -> None:
    store, pool = made
    before = folders(store)
    write_pool(pool)
    with aa.Assay.open(store) as assay:
        assert assay.tell("x1", "cat") == 1
    assert folders(store) != before


def test_a_pool_that_changes_under_a_session_is_an_error(made: tuple[Path, Path]) -> None:
    store, pool = made
    with aa.Assay.open(store) as assay:
        assert assay.session.parts().rows.kept is not None
        write_pool(pool, guess="dog")
        with pytest.raises(InputError, match="stay as it is while"):
            assay.ask(2)


def test_a_session_that_stays_long_does_not_see_its_pool_change(made: tuple[Path, Path]) -> None:
    store, pool = made
    with aa.Assay.open(store) as assay:
        assay.session.read_tables()
        pool.unlink()
        assert assay.ask(2).height == 2


def test_an_edit_of_the_budget_keeps_the_pool_and_one_of_the_label_reads_it_again(
    made: tuple[Path, Path],
) -> None:
    store, _ = made
    before = folders(store)
    with aa.Assay.open(store) as assay:
        assay.edit({"assay": {"budget": 7}})
    aa.Assay.open(store).close()
    assert folders(store) == before
    with aa.Assay.open(store) as assay:
        assay.edit({"label": {"choices": ["cat", "dog", "cow"]}})
        assert assay.tell("x1", "cow") == 1
    assert len(folders(store)) == 2  # another spec of the same tables


@pytest.mark.parametrize("damage", ["card", "ids", "all"])
def test_a_damaged_or_deleted_folder_is_made_anew(made: tuple[Path, Path], damage: str) -> None:
    store, _ = made
    (name,) = folders(store)
    folder = Path(f"{store}.cache") / name
    if damage == "card":
        (folder / "card.json").write_text("{")
    elif damage == "all":
        for file in folder.iterdir():
            file.unlink()
    else:
        content = (folder / "ids.sqlite").read_bytes()
        (folder / "ids.sqlite").write_bytes(content[:-1])
    with aa.Assay.open(store) as assay:
        assert assay.tell("x1", "cat") == 1
    assert kept_of(store) is not None


def test_a_cache_that_may_not_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, store = tmp_path / "pool.parquet", tmp_path / "s.assay"
    write_pool(pool)
    Path(f"{store}.cache").write_text("a file in the way")
    with aa.Assay.create(store, SPEC | {"pool": {"path": str(pool)}}) as assay:
        assert assay.tell("x1", "cat") == 1
    with aa.Assay.open(store) as assay:
        assert assay.session.parts().rows.kept is None
        assert assay.tell("x2", "cat") == 1


def test_two_who_keep_at_once_leave_one_whole_entry(made: tuple[Path, Path]) -> None:
    store, _ = made
    for left in Path(f"{store}.cache").glob("pool-*/*"):
        left.unlink()
    code = "import sys, accuracy_assay as aa; aa.Assay.open(sys.argv[1]).close()"
    words = [sys.executable, "-c", code, str(store)]
    both = [subprocess.Popen(words) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    kept = kept_of(store)
    assert kept is not None
    assert list(kept.ids) == [f"x{i}" for i in range(20)]
    assert len(folders(store)) == 1


def test_a_table_that_changes_while_it_is_kept_is_not_kept(
    made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, pool = made
    shutil.rmtree(f"{store}.cache")

    def write_and_change(*arguments: Any) -> None:
        write_ids(*arguments)
        os.utime(pool)

    monkeypatch.setattr("accuracy_assay.session.keeping.write_ids", write_and_change)
    aa.Assay.open(store).close()
    assert folders(store) == []


def test_tables_without_a_file_have_no_entry(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1]})
    assert find_pool(tmp_path, SPEC, frame) is None
    assert find_pool(tmp_path, SPEC) is None
    assert find_pool(tmp_path, SPEC, "-") is None
    assert find_pool(None, SPEC, tmp_path) is None
    assert find_pool(tmp_path, SPEC, tmp_path / "none.csv") is None


def test_the_methods_and_the_budget_do_not_decide_where_a_pool_is_kept(
    made: tuple[Path, Path],
) -> None:
    cache = cache_folder(made[0])
    first = find_pool(cache, SPEC, str(made[1]))
    other = find_pool(cache, SPEC | {"assay": {"budget": 3}}, made[1])
    third = find_pool(cache, SPEC | {"label": {}}, made[1])
    assert first is not None
    assert other is not None
    assert third is not None
    assert first == replace(other, tables=first.tables)
    assert first.path == other.path != third.path
    first.require_current()
    os.utime(made[1])
    assert not first.is_current
    with pytest.raises(InputError, match="stay as it is while"):
        first.require_current()


FULL = """
import resource, signal, sys
import accuracy_assay as aa
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
with aa.Assay.open(sys.argv[1]) as assay:
    print(assay.tell("x1", "cat"))
"""


def test_a_disk_that_has_no_room_for_the_ids_is_no_error(tmp_path: Path) -> None:
    pool, store = tmp_path / "pool.parquet", tmp_path / "s.assay"
    write_pool(pool, n_rows=20_000)
    aa.Assay.create(store, SPEC | {"pool": {"path": str(pool)}}).close()
    shutil.rmtree(f"{store}.cache")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(store)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
    assert folders(store) == []
