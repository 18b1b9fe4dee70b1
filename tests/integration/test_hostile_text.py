r"""Text from outside is shown as it is: no markup, no terminal escape, no crash.

Every id, label, attribute, annotator, service and file name of this assay tries something:
``[/INST]`` closes a tag that was never opened, ``[bold]`` vanishes where it is obeyed, ``\x1b[2J``
clears a screen, ``\u202e`` turns a line around, ``\r`` writes over it.
"""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.cli import main

TRICKS = ("[/INST]", "[bold]", "I [not] agree", ":smile:", "\x1b[2J", "\u202e", "\r", "\x00")
SHOWN = ("[/INST]", "[bold]", "I [not] agree", ":smile:", r"\x1b[2J", r"\u202e", r"\r", r"\x00")
EVIL, EVIL_SHOWN = "[/bob]\x1b[2J\u202e", r"[/bob]\x1b[2J\u202e"

Call = Callable[..., str]


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command line and return all it printed, which must have nothing to obey in it."""

    def call(*arguments: object, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        left = 0
        try:
            main()
        except SystemExit as leaving:
            left = int(leaving.code or 0)
        captured = capsys.readouterr()
        text = captured.out + captured.err
        assert left == code, text
        assert "Traceback" not in text
        assert not set(text) & set("\x1b\u202e\r\x00"), text
        return captured.out if captured.out else captured.err

    return call


@pytest.fixture
def store(assay: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An assay in which every text that can be chosen is hostile."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    n = 5 * len(TRICKS)
    pool = pl.DataFrame(
        {
            "id": [f"{TRICKS[i % len(TRICKS)]}{i}" for i in range(n)],
            "[/sex]": [TRICKS[i % len(TRICKS)] for i in range(n)],
            "text": [f"say {TRICKS[i % len(TRICKS)]}" for i in range(n)],
            "[pred]": [TRICKS[i % 2] for i in range(n)],
        }
    )
    pool.write_parquet("[bold]pool.parquet")
    spec = {
        "assay": {
            "name": f"assay {EVIL}",
            "budget": 20,
            "batch": 8,
            "estimator": "beta-independent",
            "strategy": "random",
        },
        "pool": {"path": "[bold]pool.parquet"},
        "attribute": [{"name": "[/sex]"}],
        "service": [{"name": f"service {EVIL}", "column": "[pred]"}],
        "label": {"choices": list(TRICKS[:5]), "show": {"text": "text"}},
    }
    Path("[spec].toml").write_text(_toml(spec), encoding="utf-8")
    assert EVIL_SHOWN in assay("init", "[my].assay", "--spec", "[spec].toml")
    return "[my].assay"


def _toml(spec: dict[str, object]) -> str:
    lines = []
    for name, part in spec.items():
        for table in part if isinstance(part, list) else [part]:
            lines.append(f"[[{name}]]" if isinstance(part, list) else f"[{name}]")
            for key, value in table.items():
                shown = (
                    "{" + ", ".join(f"{k} = {json.dumps(v)}" for k, v in value.items()) + "}"
                    if isinstance(value, dict)
                    else json.dumps(value)
                )
                lines.append(f"{key} = {shown}")
    return "\n".join(lines)


def test_ask_shows_ids_texts_and_arms_as_they_are(assay: Call, store: str) -> None:
    text = assay("ask", store, 20, "--annotator", EVIL)
    found = [shown for shown in SHOWN if f"say {shown}" in text]
    assert len(found) == len(SHOWN), text
    assert "[/sex]=" in text
    assert assay("ask", store, "--pending", "--annotator", EVIL) == text


def test_tell_and_status_name_annotators_and_services_as_they_are(assay: Call, store: str) -> None:
    assay("tell", store, f"{TRICKS[0]}0={TRICKS[0]}", "--annotator", EVIL)
    assay("tell", store, f"{TRICKS[0]}0={TRICKS[1]}", "--annotator", "\x1b]0;x\nerror: [red]")
    text = assay("status", store)
    assert f"service {EVIL_SHOWN}" in text
    assert f"{EVIL_SHOWN} 1" in text
    assert r"\x1b]0;x error: [red] 1" in text  # a name is one line
    assert "[/INST]: 1, [bold]: 1" in text
    assert json.loads(assay("status", store, "--json"))["name"] == f"assay {EVIL}"
    assert r"[/INST]0" in assay("tell", store, "--undo", "--annotator", EVIL)


def test_run_names_services_and_progress_as_they_are(assay: Call, store: str) -> None:
    labels = pl.DataFrame({"id": [f"{TRICKS[0]}0"], "label": [TRICKS[1]]})
    labels.write_csv("[bold]labels.csv")
    text = assay("run", store, "--answers", "[bold]labels.csv", "--annotator", EVIL)
    assert f"service {EVIL_SHOWN}" in text


def test_surface_report_query_and_compare_show_values_as_they_are(assay: Call, store: str) -> None:
    for i in range(16):
        trick = TRICKS[i % len(TRICKS)]
        assay("tell", store, f"{trick}{i}={TRICKS[i % 2]}")
    text = assay("surface", store, "--out", "[bold]s.surface")
    assert f"assay {EVIL_SHOWN}" in text
    listed = assay("query", "[bold]s.surface", "--by", "[/sex]")
    assert all(shown in listed for shown in SHOWN), listed
    assert "[/sex]" in listed
    assert "[bold]s.html" in assay("report", "[bold]s.surface")
    assert "labels" in assay("query", "[bold]s.surface", f"[/sex]={TRICKS[4]}")
    other = Path(f"{EVIL[2:]}.surface")
    other.write_bytes(Path("[bold]s.surface").read_bytes())
    places = assay("compare", "[bold]s.surface", other)
    assert "[bold]s.surface" in places
    assert f"{EVIL_SHOWN[2:]}.surface" in places


def test_label_shows_everything_as_it_is(
    assay: Call, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n\x1b[31m\n[/x]\nb\n" + "2\n" * 20))
    text = assay("label", store, 20, "--annotator", EVIL)
    assert [shown for shown in SHOWN if f"say {shown}" not in text] == []
    assert "1 [/INST]   2 [bold]   3 I [not] agree" in text
    assert "got '[/x]'" in text
    assert f"service {EVIL_SHOWN}: accuracy" in text


def test_export_import_and_edit_name_files_and_assays_as_they_are(assay: Call, store: str) -> None:
    assay("tell", store, f"{TRICKS[0]}0={TRICKS[0]}", "--annotator", EVIL)
    assert "[bold]e.jsonl" in assay("export", store, "events", "--out", "[bold]e.jsonl")
    assay("export", store, EVIL, "--out", "x.csv", code=2)
    assert EVIL_SHOWN in assay("import", "[copy].assay", "[bold]e.jsonl")
    assert EVIL_SHOWN in assay("status", "[copy].assay")
    assert EVIL_SHOWN in assay("edit", store, EVIL, code=2)


def test_simulate_names_its_columns_as_they_are(assay: Call, store: str) -> None:
    text = assay(
        *("simulate", "[bold]pool.parquet", "-a", "[/sex]", "--y-true", "[pred]"),
        *("--y-pred", "[pred]", "--estimator", "beta-independent", "--strategy", "random"),
        *("--seed-size", 10, "--budget", 5, "--batch", 5, "--out", "[bold]m.csv"),
    )
    assert "macro_mse" in text


@pytest.mark.parametrize("value", [*TRICKS[:-1], EVIL])
def test_errors_quote_what_is_wrong_as_it_is(assay: Call, store: str, value: str) -> None:
    shown = repr(value)[1:-1] if value in TRICKS[4:] else value.replace(EVIL, EVIL_SHOWN)
    assert shown in assay("tell", store, f"{value}=x", code=2)
    assert shown in assay("status", store, "--name", value, code=2)
    assert shown in assay("status", f"{value}.assay", code=2)
    assert shown in assay("surface", f"{value}.csv", "-a", "x", "--score", "y", code=2)
    assert "valid integer" in assay("ask", store, value, code=2)
    assert shown in assay(value, code=2)
    assert "No such option" in assay("ask", f"--{value}", code=2)
    assert shown.split("/")[-1] in assay("ask", store, "--out", f"{value}.x", code=2)
    assert shown in assay("bench", value, code=2)
