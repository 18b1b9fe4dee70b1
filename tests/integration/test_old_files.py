"""What people have keeps opening: files of every version are read, and mean what they meant.

The folders in ``tests/fixtures`` hold one file of every kind, each made once by the version that
the folder is named after (``tests/fixtures/make.py``), and what that version read from them. The
tests work on copies, through the public API and the command line alone. A new version must pass
them as they are.
"""

import hashlib
import json
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest
from page_server import PageServer
from patience import PATIENCE_S

import accuracy_assay as aa
from accuracy_assay.cli import main

FIXTURES = Path(__file__).parents[1] / "fixtures"
VERSIONS = sorted(path.parent.name for path in FIXTURES.glob("*/expected.json"))
SESSIONS = ("exact", "guessed", "judged", "called")
FROM_FILES, FROM_FITS = 1e-9, 1e-6
"""How far numbers may be off that a file holds, and that are fitted again."""
DERIVED = 1e-6
"""The same for spreads, which are added up from draws of 32 bits."""
"""The same, relative, for the spread of an average that is fitted again: a fit now adds it up from
what a file would keep, which 0.1 did only after saving."""


@dataclass(frozen=True)
class Old:
    """A copy of the files of a version, in the working folder; and what they held."""

    folder: Path
    expected: dict[str, Any]

    def open(self, name: str) -> aa.Assay:
        """Open a store, at the time at which it was made."""
        return aa.Assay.open(
            self.folder / f"{name}.assay", clock=lambda: self.expected["now"], **self.tables(name)
        )

    def tables(self, name: str) -> dict[str, Path]:
        """Return where the tables of a store have moved to."""
        if name == "guessed":
            return {
                "pool": self.folder / "hidden.parquet",
                "seed_set": self.folder / "seed.parquet",
            }
        return {"pool": self.folder / "pool.parquet"}

    def truth(self, ids: list[str]) -> list[str]:
        """Return what instances are."""
        known = dict(pl.read_csv(self.folder / "gold.csv").iter_rows())
        return [known[i] for i in ids]


@pytest.fixture(params=VERSIONS)
def old(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Old]:
    folder = tmp_path / "files"
    shutil.copytree(FIXTURES / request.param, folder)
    for store in folder.glob("*.store"):
        store.rename(store.with_suffix(".assay"))
    (folder / "guessed.cache").rename(folder / "guessed.assay.cache")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield Old(folder, expected)
    sys.modules.pop("old_services", None)


@pytest.fixture
def assay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    """Run a command and return what it printed, read as JSON; other ends are an error."""

    def call(*words: object, code: int = 0) -> Any:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, words)])
        left = 0
        try:
            main()
        except SystemExit as leaving:
            left = int(leaving.code or 0)
        said = capsys.readouterr()
        assert left == code, said.err
        return json.loads(said.out) if "--json" in words and code != 2 else said

    return call


def assert_same(found: Any, expected: Any, tolerance: float, where: str = "") -> None:
    """Compare values of JSON; of tables every key that was there must be."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert_same(found[key], value, tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_same(found[i], value, tolerance, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=tolerance, rel=tolerance), where
    else:
        assert found == expected, where


def surface_names() -> list[str]:
    every = [json.loads((FIXTURES / v / "expected.json").read_text()) for v in VERSIONS]
    return sorted({name for expected in every for name in expected["surfaces"]})


# Surfaces


@pytest.mark.parametrize("name", surface_names())
def test_a_surface_has_the_numbers_that_it_had(old: Old, name: str) -> None:
    expected = old.expected["surfaces"][name]
    surface = aa.AccuracySurface.load(f"{name}.surface")
    assert surface.n_labels == expected["labels"]
    assert len(surface.arms) == expected["arms"]
    assert surface.level == expected["level"]
    assert surface.details["estimator"] == expected["estimator"]
    attributes = [[a.name, a.kind, list(a.values)] for a in surface.space.attributes]
    assert attributes == expected["attributes"]
    for row in expected["worst"]:  # a status follows from the numbers; its words have changed
        row.pop("status")
    assert_same(surface.worst(12, by="mean").to_dicts(), expected["worst"], FROM_FILES)
    assert_same(surface.expected_macro_mse, expected["expected_macro_mse"], FROM_FILES)


@pytest.mark.parametrize("name", surface_names())
def test_a_surface_gives_the_answers_that_it_gave(old: Old, name: str) -> None:
    expected = old.expected["surfaces"][name]
    surface = aa.AccuracySurface.load(f"{name}.surface")
    first = surface.space.attributes[0]
    part = surface.at(**{first.name: first.values[0]})
    for found, known in ((surface.overall, expected["overall"]), (part, expected["at"])):
        assert found.mean == pytest.approx(known["mean"], abs=FROM_FILES)
        assert_same({key: getattr(found, key) for key in known}, known, DERIVED)
    assert_same(surface.marginal(first.name).to_dicts(), expected["by_first"], DERIVED)
    contrast = surface.difference(first.name)
    found = [contrast.mean, contrast.lower, contrast.upper]
    assert_same(found, expected["difference"], DERIVED)
    # Which slices are clearly weak is for the version that reads; their numbers are the file's.
    for each in surface.slices(margin=0.02, fdr=0.3):
        assert each.estimate.mean == pytest.approx(surface.at(**each.where).mean, abs=1e-12)


def test_every_form_of_the_surface_file_is_among_them(old: Old) -> None:
    forms = {tuple(known["members"]) for known in old.expected["surfaces"].values()}
    base = {"arms.parquet", "surface.json"}
    joint = {"factors.npy", "terms.npy"}
    assert {frozenset(form) for form in forms} == {
        frozenset(base),
        frozenset(base | {"draws.npy"}),
        frozenset(base | {"draws.npy"} | joint),
    }


def test_a_surface_that_is_saved_again_says_the_same(old: Old) -> None:
    aa.AccuracySurface.load("exact.surface").save("again.surface")
    first, second = (aa.AccuracySurface.load(f"{n}.surface") for n in ("exact", "again"))
    assert first.to_frame().equals(second.to_frame())
    assert first.overall == second.overall


def test_a_surface_answers_commands(old: Old, assay: Callable[..., Any]) -> None:
    expected = old.expected["surfaces"]["exact"]["overall"]
    whole = assay("query", "exact.surface", "--json")
    assert whole["mean"] == pytest.approx(expected["mean"], abs=FROM_FILES)
    assay("report", "exact.surface", "--out", "exact.html", "--json")
    assert "<html" in Path("exact.html").read_text(encoding="utf-8")
    places = assay("compare", "exact.surface", "independent.surface", "--json")["places"]
    assert [place["name"].removesuffix(".surface") for place in places] == ["exact", "independent"]


def test_checks_of_a_file_find_what_they_found(old: Old, assay: Callable[..., Any]) -> None:
    found = assay("check", "exact.surface", "--checks", "checks.toml", "--json", code=3)
    expected = old.expected["gate"]
    assert found["verdict"] == expected["verdict"]
    for check, known in zip(found["checks"], expected["checks"], strict=True):
        assert (check["name"], check["verdict"]) == (known["name"], known["verdict"])
        assert check["labels_to_settle"] == known["labels_to_settle"]
        if check["chance"] is not None:  # version 0.1 also gave one of several slices
            assert check["chance"] == pytest.approx(known["chance"], abs=DERIVED)
        nearest, before = check["findings"][0], known["findings"][0]
        assert nearest["mean"] == pytest.approx(before["mean"], abs=DERIVED)


# Sessions


@pytest.mark.parametrize("name", [*SESSIONS, "schema1", "schema2"])
def test_a_session_stands_where_it_stood(old: Old, name: str) -> None:
    expected = old.expected["sessions"]["exact" if name.startswith("schema") else name]
    with old.open(name) as session:
        assert_standing(session, expected)
        assert session.pending("bob").get_column("id").to_list() == expected["held"]


def assert_standing(session: aa.Assay, expected: dict[str, Any]) -> None:
    status = json.loads(json.dumps(session.status().to_dict()))
    assert_same(status, expected["status"], FROM_FILES)
    assert_same(status["services"], expected["services"], FROM_FILES)
    labels = session.labels().select("id", "label", "answers", "is_disputed")
    assert labels.to_dicts() == expected["labels"]


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_measures_what_it_measured(old: Old, name: str) -> None:
    expected = old.expected["sessions"][name]
    with old.open(name) as session:
        assert_measured(session, expected)


def assert_measured(session: aa.Assay, expected: dict[str, Any]) -> None:
    """Fit again: the labels are the same, and a later method stays within the old intervals.

    It may know that it knows less: signals that learned noise are dropped now. Where rows
    belong together, the rate of rows like these is now that over all clusters, and not that
    within the next one, which is far less sure. Where people contradicted each other their answers
    count for less than they did, never for more, and the old overall, which took every answer for
    the truth, lies within what the surface says it may be.
    """
    for service, known in expected["surfaces"].items():
        surface = session.surface(service)
        if surface.label_trust is not None and not surface.label_trust.is_verified:
            assert (surface.n <= np.asarray(known["n"]) + FROM_FITS).all()
            overall, slack = surface.overall, surface.label_trust.slack
            assert overall.lower - slack < known["overall"]["mean"] < overall.upper + slack
            continue
        assert_same(surface.n.tolist(), known["n"], FROM_FITS, "n")
        lower, upper = np.asarray(known["lower"]), np.asarray(known["upper"])
        assert (surface.mean >= lower - FROM_FITS).all()
        assert (surface.mean <= upper + FROM_FITS).all()
        overall = known["overall"]
        assert abs(surface.overall.mean - overall["mean"]) < overall["sd"]
        is_over_clusters = session.spec.pool.cluster and surface.target == "population"
        least = 0.5 if is_over_clusters else 0.8
        assert least < surface.overall.sd / overall["sd"] < 1.3
    places = session.compare()
    assert sorted(place.name for place in places) == sorted(expected["order"])


@pytest.mark.parametrize("name", [*SESSIONS, "schema1", "schema2"])
def test_a_session_goes_on(old: Old, name: str) -> None:
    with old.open(name) as session:
        before = session.status()
        done = session.labels().get_column("id").to_list()
        batch = session.ask(3, annotator="zoe").get_column("id").to_list()
        assert len(batch) == 3
        fresh = [i for i in batch if i not in done]
        assert session.tell(batch, old.truth(batch), "zoe") == 3
        assert session.tell(batch, old.truth(batch), "zoe") == 0
    with old.open(name) as session:
        after = session.status()
        assert after.labels == before.labels + len(fresh)
        assert after.answers == before.answers + 3
        assert after.annotators == {**before.annotators, "zoe": 3}
        assert session.undo("zoe") == (batch[-1],)


def test_a_settled_dispute_stays_settled(old: Old) -> None:
    known = {label["id"]: label for label in old.expected["sessions"]["exact"]["labels"]}
    events = [json.loads(line) for line in Path("events.jsonl").read_text().splitlines()]
    (settled,) = (json.loads(e["payload"]) for e in events if e["kind"] == "Settled")
    with old.open("exact") as session:
        labels = dict(session.labels().select("id", "label").iter_rows())
    assert labels[settled["ids"][0]] == settled["labels"][0]
    assert not known[settled["ids"][0]]["is_disputed"]


@pytest.mark.parametrize("name", SESSIONS)
def test_commands_open_an_old_store(old: Old, assay: Callable[..., Any], name: str) -> None:
    where = [f"--{key.replace('_', '-')}={path}" for key, path in old.tables(name).items()]
    trusting = ["--trust"] if name == "called" else []
    status = assay(*trusting, "status", f"{name}.assay", *where, "--json")
    expected = old.expected["sessions"][name]["status"]
    assert (status["labels"], status["budget"]) == (expected["labels"], expected["budget"])
    told = assay("tell", f"{name}.assay", "x250=cat", "--annotator", "zoe", *where, "--json")
    assert told["new"] == 1
    asked = assay("ask", f"{name}.assay", "2", "--annotator", "zoe", *where, "--json")
    assert len(asked) == 2


def test_people_of_an_old_store_can_be_invited_and_revoked(
    old: Old, assay: Callable[..., Any]
) -> None:
    pool = f"--pool={old.folder / 'pool.parquet'}"
    assay("invite", "exact.assay", "dora", "--revoke", pool)
    assay("invite", "exact.assay", "gil", "--token", pool, "--json")
    assay("export", "exact.assay", "events", "--out", "now.jsonl", "--json")
    kinds = pl.read_ndjson("now.jsonl").get_column("kind").to_list()
    assert kinds[-2:] == ["Revoked", "Invited"]


def test_what_was_trusted_is_trusted(old: Old, assay: Callable[..., Any], tmp_path: Path) -> None:
    words = ("status", "called.assay", f"--pool={old.folder / 'pool.parquet'}", "--json")
    assay(*words, code=2)
    place = str(old.folder / "called.assay")
    mark = hashlib.sha256("\n".join((place, *old.expected["reach"])).encode()).hexdigest()
    earlier = json.loads(Path("trusted.json").read_text())
    kept = tmp_path / "accuracy-assay" / "trusted.json"
    kept.parent.mkdir()
    kept.write_text(json.dumps([*earlier, mark], indent=1))
    assay(*words)


# What goes in and out of a session


@pytest.mark.parametrize("file", ["events.csv", "events.jsonl", "events.parquet"])
def test_exported_events_make_the_same_session(
    old: Old, assay: Callable[..., Any], file: str
) -> None:
    taken = assay("import", "copy.assay", file, "--json")
    assert taken["events"] == old.expected["exports"][file]
    with old.open("copy") as session:
        labels = session.labels().select("id", "label", "answers", "is_disputed")
    assert labels.to_dicts() == old.expected["sessions"]["exact"]["labels"]


@pytest.mark.parametrize("file", ["answers.csv", "labels.csv"])
def test_exported_answers_go_into_a_new_assay(
    old: Old, assay: Callable[..., Any], file: str
) -> None:
    expected = old.expected["sessions"]["exact"]
    taken = assay("import", "copy.assay", file, "--spec", "exact.toml", "--json")
    wanted = expected["status"]["answers"] if file == "answers.csv" else len(expected["labels"])
    assert taken["answers"] == wanted
    with old.open("copy") as session:
        ids = session.labels().get_column("id").to_list()
    assert sorted(ids) == sorted(label["id"] for label in expected["labels"])


def test_an_event_of_every_kind_is_read(old: Old, assay: Callable[..., Any]) -> None:
    history = [json.loads(line) for line in Path("every-event.jsonl").read_text().splitlines()]
    expected = old.expected["every_event"]
    assert sorted({event["kind"] for event in history}) == expected["kinds"]
    assay("import", "every.assay", "every-event.jsonl", "--json")
    with old.open("every") as session:
        assert_standing(session, expected)
        assert_measured(session, expected)


def test_events_are_written_as_they_were(old: Old, assay: Callable[..., Any]) -> None:
    assay("import", "every.assay", "every-event.jsonl", "--json")
    assay("export", "every.assay", "events", "--out", "again.jsonl", "--json")
    first, second = (
        [json.loads(line) for line in Path(f"{name}.jsonl").read_text().splitlines()]
        for name in ("every-event", "again")
    )
    for before, after in zip(first, second, strict=True):
        assert after["kind"] == {"Scored": "Predicted"}.get(before["kind"], before["kind"])
        known = json.loads(before["payload"])
        assert_same(json.loads(after["payload"]), known, 0.0, before["kind"])


def test_an_old_token_opens_the_page(old: Old, assay: Callable[..., Any]) -> None:
    assay("import", "every.assay", "every-event.jsonl", "--json")
    pool = f"--pool={old.folder / 'pool.parquet'}"
    assay("--trust", "status", "every.assay", pool, "--json")
    server = PageServer(old.folder / "every.assay", (pool,))
    server.start()
    try:
        token = {"Authorization": f"Bearer {old.expected['token']}"}
        answer = httpx.get(f"{server.url}/api/status", headers=token, timeout=PATIENCE_S)
        stranger = httpx.get(f"{server.url}/api/status", timeout=PATIENCE_S)
    finally:
        server.stop()
    assert answer.status_code == 200, answer.text
    assert answer.json()["labels"] == old.expected["every_event"]["status"]["labels"]
    assert stranger.status_code == 401


@pytest.mark.parametrize("file", ["tasks.csv", "tasks.jsonl", "tasks.json"])
def test_answers_to_old_tasks_are_taken(old: Old, file: str) -> None:
    known = old.expected["tasks"][file]
    answer_tasks(Path(file), dict(zip(known["ids"], old.truth(known["ids"]), strict=True)))
    format = "label-studio" if file == "tasks.json" else None
    with old.open("asked") as session:
        assert session.tell_file(file, format=format) == len(known["ids"])
        assert session.status().annotators[known["annotator"]] == len(known["ids"])


def answer_tasks(path: Path, labels: dict[str, str]) -> None:
    """Answer the tasks of a file, as a person or a labelling tool would."""
    if path.suffix == ".csv":
        tasks = pl.read_csv(path)
        answers = [labels[i] for i in tasks.get_column("id")]
        tasks.with_columns(pl.Series("label", answers)).write_csv(path)
    elif path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("\n".join(json.dumps(t | {"label": labels[t["id"]]}) for t in lines))
    else:
        tasks = json.loads(path.read_text())
        for task in tasks:
            said = {"choices": [labels[task["data"]["assay_id"]]]}
            result = {"from_name": "label", "to_name": "shown", "type": "choices", "value": said}
            task["annotations"] = [{"result": [result], "lead_time": 2.0}]
        path.write_text(json.dumps(tasks))


# Calibrations, specs, tasks


@pytest.mark.parametrize("name", ["raw", "temperature", "full", "network", "version1"])
def test_a_calibration_file_is_described(old: Old, assay: Callable[..., Any], name: str) -> None:
    page = Path("page.html")
    assay("report", "guessed.surface", "--calibration", f"{name}.calibration", "--out", page)
    known = old.expected["calibrations"][name]
    said = page.read_text(encoding="utf-8")
    for quality in (*known["attributes"], known["joint"]):
        assert f"{quality['log_loss_before']:.3f}" in said
        assert f"{quality['log_loss_after']:.3f}" in said


def test_a_calibration_beside_the_store_is_used(old: Old, assay: Callable[..., Any]) -> None:
    tables = [f"--{key.replace('_', '-')}={path}" for key, path in old.tables("guessed").items()]
    found = assay("calibrate", "guessed.assay", *tables, "--json")
    known = old.expected["calibrations"]["full"]
    assert (found["method"], found["n_seed"]) == (known["method"], known["n_seed"])
    assert_same(found["attributes"], known["attributes"], FROM_FITS)
    assert_same(found["joint"], known["joint"], FROM_FITS)


def test_a_spec_with_every_key_makes_the_assay_that_it_made(old: Old) -> None:
    expected = old.expected["every_key"]
    with aa.Assay.create("new.assay", "every-key.toml") as session:
        batch = session.ask(annotator="ann")
        status = json.loads(json.dumps(session.status().to_dict()))
    assert set(expected["columns"]) <= set(batch.columns)
    assert batch.height == expected["asked"]
    for service, known in zip(status["services"], expected["status"]["services"], strict=True):
        for key in ("half_width", "expected_macro_mse"):  # what a method expects of itself
            assert (service.pop(key) is None) == (known.pop(key) is None)
    assert_same(status, expected["status"], FROM_FITS)


@pytest.mark.parametrize("name", ["exact", "guessed", "judged", "called"])
def test_a_spec_makes_a_new_assay(old: Old, assay: Callable[..., Any], name: str) -> None:
    assay("init", "new.assay", "--spec", f"{name}.toml", "--json")
    status = assay("status", "new.assay", "--json")
    expected = tomllib.loads(Path(f"{name}.toml").read_text())
    assert status["name"] == expected["assay"]["name"]
    assert status["budget"] == expected["assay"]["budget"]
    assert [s["name"] for s in status["services"]] == [s["name"] for s in expected["service"]]


def test_a_task_file_has_the_surface_that_it_had(old: Old, assay: Callable[..., Any]) -> None:
    words = ("bench", "surface-stats", "--task", "task.toml", "--out", "out", "--json")
    assert_same(assay(*words), old.expected["task"], FROM_FILES)
