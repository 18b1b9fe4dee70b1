"""A key of the environment reaches its service, and no file, message or log beside it."""

import logging
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from http_endpoint import Call, Reply, endpoint

import accuracy_assay as aa
from accuracy_assay.cli import main
from accuracy_assay.errors import InputError

SECRET = "hunter2-hunter2"


def spec(address: str, folder: Path, **service: Any) -> dict[str, Any]:
    return {
        "assay": {"estimator": "constant", "strategy": "random"},
        "pool": {"path": str(folder / "pool.csv")},
        "attribute": [{"name": "sex"}],
        "service": [
            {
                "name": "api",
                "url": address,
                "request": {"q": "{text}", "auth": {"api_key": "${ASSAY_TEST_KEY}"}},
                "headers": {"Authorization": "Bearer ${ASSAY_TEST_KEY}"},
                "response": {"prediction": "label"},
                "retries": 0,
                **service,
            }
        ],
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pool of ten rows, and the key in the environment."""
    monkeypatch.setenv("ASSAY_TEST_KEY", SECRET)
    rows = {"id": range(10), "sex": ["f", "m"] * 5, "text": [f"text {i}" for i in range(10)]}
    pl.DataFrame(rows).write_csv(tmp_path / "pool.csv")
    return tmp_path


def test_a_key_is_sent_and_neither_stored_nor_printed(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    def answer(call: Call) -> Reply:
        if call.content["q"] in ("text 3", "text 4"):
            said = f"{call.headers} {call.content}".encode()
            return Reply(said, 500, reason=f"No access for {SECRET}")
        return Reply({"label": "cat"})

    store = str(folder / "my.assay")
    with endpoint(answer) as server:
        aa.Assay.create(store, spec(server.url, folder)).close()
        monkeypatch.setattr("sys.argv", ["assay", "--trust", "run", store])
        with pytest.raises(SystemExit) as leaving:
            main()
        assert server.calls[0].headers["Authorization"] == f"Bearer {SECRET}"
        assert server.calls[0].content["auth"]["api_key"] == SECRET
    assert leaving.value.code == 1
    shown = capsys.readouterr()
    assert "2 failures in 10 rows: status 500" in shown.err
    assert SECRET not in shown.out + shown.err + caplog.text
    with aa.Assay.open(store) as assay:
        assert assay.status().services[0].predicted == 8
    for path in folder.rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    "service",
    [
        {"request": {"q": "{text}", "auth": {"client_secret": SECRET}}},
        {"headers": {"X-Api-Key": SECRET}},
        {"url": f"http://127.0.0.1/x?sig={SECRET}"},
        {"url": f"http://ann:{SECRET}@127.0.0.1/x"},
    ],
)
def test_a_key_in_a_spec_leaves_no_store(folder: Path, service: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        aa.Assay.create(folder / "my.assay", spec("http://127.0.0.1/x", folder, **service))
    assert SECRET not in str(caught.value)
    assert not (folder / "my.assay").exists()


@pytest.mark.parametrize(
    "store",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/none",
        f"postgresql://ann@127.0.0.1:1/none?password={SECRET}",
        f"postgresql:/ann:{SECRET}@127.0.0.1:1/none",
        f"postgresql://ann:{SECRET}@127.0.0.1:none/none",
        f"postgres//ann:{SECRET}@127.0.0.1/none",
        f"mysql://ann:{SECRET}@127.0.0.1/none",
    ],
)
def test_the_command_line_shows_no_password_of_a_store(
    store: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["assay", "status", store])
    with pytest.raises(SystemExit) as leaving:
        main()
    shown = capsys.readouterr()
    assert leaving.value.code in (1, 2)
    assert shown.err.startswith("error: ")
    assert SECRET not in shown.out + shown.err
    assert [path.name for path in folder.iterdir()] == ["pool.csv"]


@pytest.mark.parametrize("words", [[], ["status", "my.assay"], ["demo", "--budget"]])
def test_a_misplaced_address_is_not_repeated_with_its_password(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["assay", *words, f"postgresql://ann:{SECRET}@host/db"])
    with pytest.raises(SystemExit) as leaving:
        main()
    shown = capsys.readouterr()
    assert leaving.value.code == 2
    assert shown.err.startswith("error: ")
    assert SECRET not in shown.out + shown.err
