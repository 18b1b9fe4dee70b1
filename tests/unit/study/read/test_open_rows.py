"""Rows from anywhere: what a reader knows is read by it, everything else is a table."""

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.eval_log import EvalLog, ServiceColumns
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import RowReader
from accuracy_assay.study.read import open_rows as module
from accuracy_assay.study.read.open_rows import find_log, is_rows, open_rows

NAMED = Columns(("topic",), score="my own")


class Lines:
    """Reads ``log_SERVICE.jsonl``; an item that several services answered is one row."""

    def reads(self, path: Path) -> bool:
        return path.is_file() and path.name.startswith("log_") and path.suffix == ".jsonl"

    def read(self, paths: Sequence[Path]) -> EvalLog:
        rows, services = None, {}
        for path in paths:
            service = path.stem.removeprefix("log_")
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            part = pl.DataFrame(lines).rename({"said": service, "ok": f"{service} ok"})
            services[service] = ServiceColumns(service, {"ok": f"{service} ok"})
            on = ["id", "topic"]
            rows = part if rows is None else rows.join(part, on=on, how="full", coalesce=True)
        assert rows is not None
        return EvalLog(rows, services, {"topic": 2}, id="id")


class Runs:
    """Reads folders that hold a file ``run.json``."""

    def reads(self, path: Path) -> bool:
        return (path / "run.json").is_file()

    def read(self, paths: Sequence[Path]) -> EvalLog:
        lines = [line for path in paths for line in json.loads((path / "run.json").read_text())]
        return EvalLog(pl.DataFrame(lines), {"run": ServiceColumns(scores={"ok": "ok"})})


@pytest.fixture(autouse=True)
def readers(monkeypatch: pytest.MonkeyPatch) -> dict[str, RowReader]:
    """The readers that there are: two, and whatever a test adds."""
    every: dict[str, RowReader] = {"lines": Lines(), "runs": Runs()}
    monkeypatch.setattr(module, "every_reader", lambda: every)
    return every


def write_log(folder: Path, service: str, ids: Sequence[int]) -> Path:
    path = folder / f"log_{service}.jsonl"
    topics = {i: "art" if i < 4 else "law" for i in ids}
    lines = [{"id": i, "topic": topics[i], "said": "x", "ok": i % 2} for i in ids]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def write_run(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps([{"topic": folder.name, "ok": 1}]))
    return folder


def test_a_table_is_handed_on_as_it_is(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("a\n1\n")
    frame = pl.DataFrame({"a": [1]})
    for source in (table, str(table), frame, frame.to_pandas(), "-", "s3://bucket/x", None):
        rows, columns = open_rows(source)
        assert rows is source
        assert columns is None
        assert open_rows(source, NAMED)[1] is NAMED


def test_what_is_not_there_is_for_tables_to_refuse(tmp_path: Path) -> None:
    for source in (tmp_path / "log_a.jsonl", str(tmp_path / "*.jsonl"), tmp_path):
        assert open_rows(source) == (source, None)


def test_a_file_that_a_reader_knows_says_what_its_columns_mean(tmp_path: Path) -> None:
    rows, columns = open_rows(write_log(tmp_path, "small", [1, 4]))
    assert columns is not None
    assert (columns.score, columns.y_pred, columns.id) == ("small ok", "small", "id")
    assert rows["small ok"].to_list() == [1, 0]


def test_files_fill_in_what_the_caller_leaves_open(tmp_path: Path) -> None:
    log = write_log(tmp_path, "small", [1, 2])
    asked = Columns(("topic",), cluster="said by", agreement="wer")
    _, columns = open_rows(log, asked)
    assert columns == replace(asked, score="small ok", y_pred="small", id="id")
    assert open_rows(log, NAMED)[1] is NAMED


def test_a_score_column_names_the_service_and_the_metric(tmp_path: Path) -> None:
    write_log(tmp_path, "large", [2, 3])
    write_log(tmp_path, "small", [1, 2])
    rows, columns = open_rows(tmp_path, Columns(("topic",), score="large ok"))
    assert (columns.score, columns.y_pred, columns.id) == ("large ok", "large", "id")
    assert sorted(rows["id"]) == [2, 3]


@pytest.mark.parametrize("how", ["folder", "pattern", "list"])
def test_files_of_several_services_are_joined_by_their_reader(tmp_path: Path, how: str) -> None:
    write_log(tmp_path, "large", [4, 5])
    write_log(tmp_path, "small", [1, 4])
    (tmp_path / "notes.txt").write_text("not a log")
    source = {
        "folder": tmp_path,
        "pattern": str(tmp_path / "*"),
        "list": [str(tmp_path / "log_large.jsonl"), tmp_path / "log_small.jsonl"],
    }[how]
    rows, columns = open_rows(source, service="small")
    assert columns is not None
    assert columns.score == "small ok"
    assert sorted(rows["id"]) == [1, 4]
    whole = find_log(source)
    assert whole is not None
    assert sorted(whole.rows["id"]) == [1, 4, 5]
    with pytest.raises(InputError, match="service must be named"):
        open_rows(source)


def test_a_folder_may_be_a_log_itself_or_hold_some(tmp_path: Path) -> None:
    one, two = write_run(tmp_path / "all" / "b"), write_run(tmp_path / "all" / "deep" / "a")
    write_run(tmp_path / "all" / ".hidden")
    for source, topics in ((one, ["b"]), (two, ["a"]), (tmp_path / "all", ["b", "a"])):
        found = find_log(source)
        assert found is not None
        assert found.rows["topic"].to_list() == topics


def test_folders_that_link_to_themselves_come_to_an_end(tmp_path: Path) -> None:
    write_run(tmp_path / "all" / "b")
    (tmp_path / "all" / "loop").symlink_to(tmp_path / "all")
    found = find_log(tmp_path / "all")
    assert found is not None
    assert found.rows.height == 1


def test_files_of_two_readers_are_refused_unless_one_is_named(
    tmp_path: Path, readers: dict[str, RowReader]
) -> None:
    log = write_log(tmp_path, "small", [1])
    write_run(tmp_path / "run")
    with pytest.raises(InputError, match=r"logs of one format; got 2 formats"):
        find_log(tmp_path)
    for reader, service in (("lines", "small"), ("runs", "run")):
        found = find_log(tmp_path, reader=readers[reader])
        assert found is not None
        assert list(found.services) == [service]
    readers["more-lines"] = Lines()
    with pytest.raises(InputError, match=r"which lines and more-lines know. Name the reader"):
        find_log(log)


def test_a_reader_that_is_named_reads_what_it_does_not_know_by_sight(tmp_path: Path) -> None:
    log = write_log(tmp_path, "small", [1]).rename(tmp_path / "other.jsonl")
    assert find_log(log) is None
    found = find_log(log, reader=Lines())
    assert found is not None
    assert found.services == ("other",)


def test_a_list_that_no_reader_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must be files that one reader knows; got \['x.csv'\]"):
        open_rows(["x.csv"])


def test_whatever_a_reader_fails_with_is_an_error_that_names_the_file(
    tmp_path: Path, readers: dict[str, RowReader]
) -> None:
    log = write_log(tmp_path, "small", [1])
    log.write_text("{")
    with pytest.raises(InputError, match=r"pool must be what reader 'lines' reads.*log_small"):
        open_rows(log, what="pool")

    class Bare(Lines):
        def read(self, paths: Sequence[Path]) -> EvalLog:
            return pl.DataFrame()  # type: ignore[return-value]

    readers["lines"] = Bare()
    with pytest.raises(InputError, match="reader 'lines' must return EvalLog; got DataFrame"):
        open_rows(log)


def test_columns_have_types_that_the_package_knows(readers: dict[str, RowReader]) -> None:
    class Exact(Lines):
        def read(self, paths: Sequence[Path]) -> EvalLog:
            return EvalLog(pl.DataFrame({"price": [Decimal("1.5")]}))

    found = find_log(Path(__file__), reader=Exact())
    assert found is not None
    assert found.rows.schema == {"price": pl.Float64}


def test_rows_are_told_from_stores(tmp_path: Path) -> None:
    store = tmp_path / "my.assay"
    store.touch()
    log = write_log(tmp_path, "small", [1])
    assert not is_rows(str(store))
    assert not is_rows("postgresql://host/db")
    assert is_rows("rows.csv")
    assert is_rows(str(log))
    assert is_rows(str(tmp_path / "log_*.jsonl"))


def test_estimate_takes_the_files_of_another_tool(tmp_path: Path) -> None:
    log = write_log(tmp_path, "small", range(8))
    surface = aa.estimate(log, ["topic"], estimator="beta-independent")
    assert (surface.n.tolist(), surface.correct.tolist()) == ([4.0, 4.0], [2.0, 2.0])
