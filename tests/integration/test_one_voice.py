"""One question has one answer, whoever is asked: every door to an assay gives the same number.

A door is a function of the world that returns what it says of some questions. To add one, write
the function and decorate it with ``@door(places)``: the decimals of a number, not of a percentage,
that it prints, or None if it gives numbers in full.
"""

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest
from command_line import assay as command_line  # noqa: F401
from patience import PATIENCE_S
from surface_world import StillUpdates

import accuracy_assay as aa
from accuracy_assay.reports.page_data import page_data
from accuracy_assay.reports.report import report_of
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.queries import HeatQuery, MarginalsQuery, ViewQuery

N_ROWS, N_LABELS = 400, 120
OVERALL, SLICE = "overall", "sex = f"
SERVICE = "reader"
NEAR = 1e-6
"""What numbers in full may differ by."""


@dataclass(frozen=True)
class Said:
    """A number with its interval, and what it is about; None where a door does not say."""

    mean: float
    lower: float | None = None
    upper: float | None = None
    about: str | None = None


@dataclass(frozen=True)
class World:
    """An assay with labels, the command line, and the file of its surface."""

    session: aa.Assay
    surface: aa.AccuracySurface
    store: Path
    file: Path
    call: Callable[..., str]
    remarks: list[str]
    """What commands said beside their answers."""

    @property
    def of_service(self) -> tuple[Path, str, str]:
        """Words of a command that asks the assay about its service."""
        return self.store, "--service", SERVICE


Door: TypeAlias = Callable[[World], Mapping[str, Said]]
DOORS: dict[str, tuple[Door, int | None]] = {}


def door(places: int | None) -> Callable[[Door], Door]:
    """Register a door that prints numbers with so many decimals."""

    def register(function: Door) -> Door:
        DOORS[function.__name__] = function, places
        return function

    return register


@dataclass(frozen=True)
class Kind:
    """What an assay has beside one annotator and one service: parts of its spec, and answers."""

    spec: Mapping[str, Any]
    columns: Mapping[str, Any]
    annotators: Mapping[str, float]
    """By name: the share of answers that are right."""


def one_annotator(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    return Kind({}, {}, {"ann": 1.0})


def people_who_disagree(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    label = {"choices": ["cat", "dog"], "experts": ["eve"]}
    return Kind({"label": label}, {}, {"ann": 0.9, "bob": 0.75, "cem": 0.5, "eve": 1.0})


def people_nobody_checks(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    label = {"choices": ["cat", "dog"]}
    return Kind({"label": label}, {}, {"ann": 0.9, "bob": 0.75, "cem": 0.5})


def a_judge(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    score = np.clip(0.3 + 0.4 * is_right + rng.normal(0.0, 0.2, N_ROWS), 0.0, 1.0)
    return Kind({"judge": [{"name": "strict", "column": "strict"}]}, {"strict": score}, {"ann": 1})


def a_judge_of_some_rows(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    kind = a_judge(rng, is_right)
    some = np.where(np.arange(N_ROWS) % 5 < 3, kind.columns["strict"], np.nan)
    return Kind(kind.spec, {"strict": pl.Series(some).fill_nan(None)}, kind.annotators)


def rows_that_belong_together(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    spec = {"pool": {"path": "pool.parquet", "id": "id", "cluster": "speaker"}}
    return Kind(spec, {"speaker": [f"s{i // 5}" for i in range(N_ROWS)]}, {"ann": 1.0})


def six_services(rng: np.random.Generator, is_right: np.ndarray) -> Kind:
    others = {f"said_{k}": rng.choice(["cat", "dog"], N_ROWS) for k in range(5)}
    services = [{"name": SERVICE, "column": "said"}, *({"name": k, "column": k} for k in others)]
    return Kind({"service": services}, others, {"ann": 1.0})


@pytest.fixture(
    params=[
        one_annotator,
        people_who_disagree,
        people_nobody_checks,
        a_judge,
        a_judge_of_some_rows,
        rows_that_belong_together,
        six_services,
    ],
    ids=lambda kind: kind.__name__,
)
def world(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command_line: Callable[..., Any],  # noqa: F811
) -> World:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(6)
    truth = rng.choice(["cat", "dog"], N_ROWS)
    other = np.where(truth == "cat", "dog", "cat")
    sex, age = rng.choice(["f", "m"], N_ROWS), rng.choice(["young", "middle", "old"], N_ROWS)
    is_right = rng.random(N_ROWS) < np.where((sex == "f") & (age == "old"), 0.55, 0.9)
    kind = request.param(rng, is_right)
    columns = {"sex": sex, "age": age, "said": np.where(is_right, truth, other)}
    ids = [f"x{i}" for i in range(N_ROWS)]
    pl.DataFrame({"id": ids} | columns | kind.columns).write_parquet("pool.parquet")
    spec = {
        "assay": {"name": "pets", "strategy": "random"},
        "pool": {"path": "pool.parquet", "id": "id"},
        "attribute": [{"name": "sex"}, {"name": "age", "values": ["young", "middle", "old"]}],
        "service": [{"name": SERVICE, "column": "said"}],
        "label": {"choices": ["cat", "dog"]},
    }
    store, file = tmp_path / "pets.assay", tmp_path / "reader.surface"
    session = aa.Assay.create(str(store), spec | kind.spec)
    told = []
    for name, skill in kind.annotators.items():
        n = N_LABELS // 3 if name in kind.spec.get("label", {}).get("experts", ()) else N_LABELS
        answers = np.where(rng.random(N_ROWS) < skill, truth, other)[:n]
        session.tell(ids[:n], answers.tolist(), annotator=name)
        told += [(i, name, answer) for i, answer in zip(ids, answers.tolist(), strict=False)]
    answers_of_all = pl.DataFrame(told, schema=["id", "who", "answer"], orient="row")
    answers_of_all.join(pl.read_parquet("pool.parquet"), "id").write_parquet("answers.parquet")
    surface = session.surface(SERVICE)
    surface.save(file)

    def call(*words: object) -> str:
        answer = command_line(*words)
        assert answer.code in (0, 1, 3), answer.err
        remarks.append(str(answer.err))
        return str(answer.out)

    remarks: list[str] = []
    return World(session, surface, store, file, call, remarks)


def said(estimate: Any) -> Said:
    """Return an estimate, as an object or as JSON."""
    found = estimate if isinstance(estimate, Mapping) else vars_of(estimate)
    about = {"pool": f"of these {N_ROWS} rows", "population": "of rows like these"}
    whole = found.get("support") == N_ROWS and found.get("target") in about
    words = about[str(found["target"])] if whole else None
    return Said(found["mean"], found.get("lower"), found.get("upper"), words)


def vars_of(value: Any) -> dict[str, Any]:
    names = ("mean", "lower", "upper", "support", "target")
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def read(text: str) -> Said:
    """Return a number from words: 82.6% of these 400 rows (90% interval 81.8% to 83.3%."""
    words = r"([\d.]+)% (of these [\d,]+ rows|of rows like these)\s+\(90% interval "
    found = re.search(words + r"([\d.]+)% to ([\d.]+)%", " ".join(text.split()))
    assert found is not None, text
    mean, about, lower, upper = found.groups()
    return Said(float(mean) / 100.0, float(lower) / 100.0, float(upper) / 100.0, about)


@door(None)
def python(world: World) -> Mapping[str, Said]:
    return {OVERALL: said(world.surface.overall), SLICE: said(world.surface.at(sex="f"))}


@door(None)
def python_frame(world: World) -> Mapping[str, Said]:
    rows = {row["sex"]: row for row in world.surface.marginal("sex").to_dicts()}
    return {SLICE: said(rows["f"])}


@door(3)
def printed_in_python(world: World) -> Mapping[str, Said]:
    return {
        OVERALL: read(str(world.surface.overall)),
        SLICE: read(str(world.surface.at(sex="f"))),
    }


@door(3)
def notebook(world: World) -> Mapping[str, Said]:
    return {OVERALL: read(html.unescape(world.surface._repr_html_()))}


@door(None)
def loaded_file(world: World) -> Mapping[str, Said]:
    loaded = aa.AccuracySurface.load(world.file)
    return {OVERALL: said(loaded.overall), SLICE: said(loaded.at(sex="f"))}


@door(3)
def query_command(world: World) -> Mapping[str, Said]:
    return {
        OVERALL: read(world.call("query", world.file)),
        SLICE: read(world.call("query", world.file, "sex=f")),
    }


@door(None)
def query_command_json(world: World) -> Mapping[str, Said]:
    by = json.loads(world.call("query", world.file, "--by", "sex", "--json"))
    (row,) = (row for row in by["by"] if row["sex"] == "f")
    return {OVERALL: said(by["overall"]), SLICE: said(row)}


@door(None)
def surface_command_json(world: World) -> Mapping[str, Said]:
    return {
        OVERALL: said(json.loads(world.call("surface", *world.of_service, "--json"))["overall"])
    }


@door(3)
def surface_command(world: World) -> Mapping[str, Said]:
    return {OVERALL: read(world.call("surface", *world.of_service))}


@door(4)
def report_data(world: World) -> Mapping[str, Said]:
    data = page_data(report_of(world.surface, "pets"), 100)
    return {OVERALL: Said(**data["overall"], about=data["about"])}


@door(3)
def report_page(world: World) -> Mapping[str, Said]:
    world.call("report", *world.of_service, "--out", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    tile = r"Accuracy (of these \d+ rows|of rows like these)</dt><dd>([\d.]+)<small>%</small></dd>"
    found = re.search(tile + r'<dd class="more">90% interval ([\d.]+) to ([\d.]+)</dd>', page)
    assert found is not None
    about, *numbers = found.groups()
    return {OVERALL: Said(*(float(x) / 100.0 for x in numbers), about=about)}


@door(3)
def card_command(world: World) -> Mapping[str, Said]:
    card = world.call("card", *world.of_service)
    row = re.search(r"\| f \| ([\d.]+)% \| ([\d.]+)% to ([\d.]+)% \|", card)
    assert row is not None
    of_slice = Said(*(float(x) / 100.0 for x in row.groups()))
    return {OVERALL: read(card.replace("**", "").replace("&nbsp;", " ")), SLICE: of_slice}


@door(None)
def page_api(world: World) -> Mapping[str, Said]:
    made = SurfaceAnswers(world.session, StillUpdates(world.session), patience_s=PATIENCE_S)
    about, _ = made.look(ViewQuery(service=SERVICE))
    assert about.overall is not None
    by_attribute = {
        each.name: each.rows for each in made.marginals(MarginalsQuery(service=SERVICE)).marginals
    }
    (value,) = (row for row in by_attribute["sex"] if row.value == "f")
    overall = Said(about.overall.mean, about.overall.lower, about.overall.upper, about.about)
    return {OVERALL: overall, SLICE: said(value)}


@door(None)
def page_heat(world: World) -> Mapping[str, Said]:
    made = SurfaceAnswers(world.session, StillUpdates(world.session), patience_s=PATIENCE_S)
    found = made.heat(HeatQuery(service=SERVICE, where=["sex:f"]))
    return {SLICE: said(found.average)}


@door(None)
def gate(world: World) -> Mapping[str, Said]:
    """Its interval is judged from draws; the number is the surface's."""

    def asked(*where: str) -> Said:
        found = json.loads(
            world.call("check", *world.of_service, "--min", "0.5", *where, "--json")
        )
        (finding,) = found["checks"][0]["findings"]
        return Said(finding["mean"], about=None if where else found["about"])

    return {OVERALL: asked(), SLICE: asked("--where", "sex=f")}


@door(None)
def board(world: World) -> Mapping[str, Said]:
    if len(world.session.spec.service) == 1:
        return {}
    found = json.loads(world.call("compare", world.store, "--json"))
    (mine,) = (each for each in found["places"] if each["name"] == SERVICE)
    return {OVERALL: said(mine["estimate"])}


@door(3)
def markdown(world: World) -> Mapping[str, Said]:
    return {
        OVERALL: read(world.call("surface", *world.of_service, "--markdown").replace("**", ""))
    }


@door(3)
def look_command(world: World) -> Mapping[str, Said]:
    found = world.call("look", *world.of_service)
    words = rf"accuracy (of these {N_ROWS} rows): ([\d.]+)% \(90% interval ([\d.]+)% to ([\d.]+)%"
    (line,) = re.findall(words, found)
    about, *numbers = line
    return {OVERALL: Said(*(float(x) / 100.0 for x in numbers), about=about)}


def test_every_door_gives_the_answer_of_the_surface(world: World) -> None:
    truth = python(world)
    for name, (ask, places) in DOORS.items():
        near = NEAR if places is None else 0.5 * 10.0**-places + NEAR
        for question, found in ask(world).items():
            wanted = truth[question]
            for part in ("mean", "lower", "upper"):
                number = getattr(found, part)
                if number is not None:
                    expected = pytest.approx(getattr(wanted, part), abs=near)
                    assert number == expected, (name, question, part)
            if found.about is not None and question == OVERALL:
                assert found.about == wanted.about, name


def test_every_door_that_speaks_says_what_its_number_is_about(world: World) -> None:
    """Tables leave it to their heading; a tile, a sentence and a whole say it themselves."""
    for name, (ask, _) in DOORS.items():
        found = ask(world)
        if OVERALL in found:
            assert found[OVERALL].about == f"of these {N_ROWS} rows", name


def page_remarks(world: World) -> str:
    made = SurfaceAnswers(world.session, StillUpdates(world.session), patience_s=PATIENCE_S)
    return " ".join(made.look(ViewQuery(service=SERVICE))[0].remarks)


def saved_report(world: World) -> str:
    world.call("report", *world.of_service, "--out", "page.html")
    return html.unescape(Path("page.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("world", [people_who_disagree, people_nobody_checks], indirect=True)
def test_every_door_says_how_far_labels_are_verified(world: World) -> None:
    trust = world.surface.label_trust
    assert trust is not None
    assert trust.is_verified == ("experts" in world.session.spec.label.model_fields_set)
    texts = {
        "print": str(world.surface),
        "notebook": html.unescape(world.surface._repr_html_()),
        "file": str(aa.AccuracySurface.load(world.file)),
        "card": world.surface.card(SERVICE),
        "page": page_remarks(world),
        "team": str(world.session.team().trust),
        "report": saved_report(world),
    }
    texts["look"] = world.call("look", *world.of_service)
    for command in ("query", "slices"):
        texts[command] = world.call(command, world.file) + world.remarks[-1]
    texts["surface"] = world.call("surface", *world.of_service)
    texts["markdown"] = world.call("surface", *world.of_service, "--markdown")
    texts["status"] = world.call("status", world.store)
    texts["team command"] = world.call("team", world.store)
    texts["check"] = world.call("check", *world.of_service, "--min", "0.5")
    plain = {
        name: " ".join(re.sub(r"[*`\\]|\s+[│|]\s+", "", t).split()) for name, t in texts.items()
    }
    wanted = " ".join(str(trust).split())[len("labels: ") :]
    assert {name: text for name, text in plain.items() if wanted not in text} == {}
    for words in (("surface", *world.of_service), ("query", world.file), ("slices", world.file)):
        told = json.loads(world.call(*words, "--json"))["label_trust"]
        assert told["differ"] == pytest.approx(trust.differ, abs=NEAR), words


@pytest.mark.parametrize("world", [people_nobody_checks], indirect=True)
def test_unverified_answers_say_the_same_as_a_table(world: World) -> None:
    attributes = world.surface.space.attributes
    roles = {"y_true": "answer", "y_pred": "said", "id": "id", "annotator": "who"}
    rows, pool = "answers.parquet", "pool.parquet"
    table = aa.estimate(rows, attributes, **roles, pool=pool, signals=["said"])
    typed = [f"--{name.replace('_', '-')}={column}" for name, column in roles.items()]
    typed += ["-a", "sex", "-a", "age", "--pool", pool, "--signal", "said"]
    command = json.loads(world.call("surface", rows, *typed, "--json"))
    wanted = said(world.surface.overall)
    for part in ("mean", "lower", "upper"):
        assert getattr(said(table.overall), part) == pytest.approx(getattr(wanted, part), abs=NEAR)
    # It takes values in alphabetical order, so the draws behind its interval are others.
    assert command["overall"]["mean"] == pytest.approx(wanted.mean, abs=NEAR)
    assert table.at(sex="f").mean == pytest.approx(world.surface.at(sex="f").mean, abs=NEAR)
    assert str(table.label_count) == str(world.surface.label_count)
    assert str(table.label_trust) == str(world.surface.label_trust)
