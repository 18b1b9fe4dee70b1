"""A judge's figure, its difference from people and the verdict are the same at every door."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest
from certified_world import certified_world
from command_line import assay as command_line  # noqa: F401
from patience import PATIENCE_S
from surface_world import StillUpdates

import accuracy_assay as aa
from accuracy_assay.reports.certificate import CertifiedSlice
from accuracy_assay.web.surface.answers import SurfaceAnswers
from accuracy_assay.web.surface.queries import JudgeQuery
from accuracy_assay.web.surface.table import csv_of

TOLERANCE = 0.05
N_LABELS = 500
SPEC: dict[str, Any] = {
    "assay": {"name": "judged", "estimator": "beta-independent", "strategy": "random"},
    "pool": {"path": "pool.parquet", "id": "id"},
    "attribute": [{"name": "topic"}, {"name": "length"}],
    "service": [{"name": "own", "column": "said"}],
    "judge": [{"name": "llm", "column": "llm"}],
    "label": {"choices": ["right", "wrong"]},
}
Said: TypeAlias = tuple[str, float, float, float]
"""Verdict, the judge's figure, people's, and the difference."""


@dataclass(frozen=True)
class World:
    """An assay with a judge, its certificate by the page's tolerance, and the command line."""

    session: aa.Assay
    found: aa.Certificate
    statement: str
    call: Callable[..., str]

    @property
    def command(self) -> tuple[str, ...]:
        """Words of the command that certifies."""
        own = ("judges", "judged.assay", "--tolerance", str(TOLERANCE), "--count", "100")
        return (*own, "--statement", self.statement)


@pytest.fixture(params=["level", "decisions"])
def world(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command_line: Callable[..., Any],  # noqa: F811
    rng: np.random.Generator,
) -> World:
    monkeypatch.chdir(tmp_path)
    rows = certified_world(rng, labels=N_LABELS).with_columns(said=pl.lit("right"))
    rows.drop("truth", "right").write_parquet("pool.parquet")
    session = aa.Assay.create("judged.assay", SPEC)
    told = rows.head(N_LABELS)
    labels = ["right" if right else "wrong" for right in told["right"]]
    session.tell(told["id"], labels, annotator="ann")

    def call(*words: object) -> str:
        answer = command_line(*words)
        assert answer.code == 0, answer.err
        return str(answer.out)

    found = session.certify(tolerance=TOLERANCE, statement=request.param)
    return World(session, found, request.param, call)


def said_by(row: Mapping[str, Any]) -> Said:
    return str(row["verdict"]), *(float(row[name]) for name in ("judge", "people", "difference"))


def places(slices: Mapping[str, Said] | tuple[CertifiedSlice, ...]) -> dict[str, Said]:
    return {each.place: said_by(vars(each)) for each in slices}


def frame(world: World) -> dict[str, Said]:
    return {row["slice"]: said_by(row) for row in world.found.to_frame().to_dicts()}


def saved_file(world: World) -> dict[str, Said]:
    world.found.save("c.json")
    return places(aa.Certificate.load("c.json").slices)


def of_the_table(world: World) -> dict[str, Said]:
    pool = pl.read_parquet("pool.parquet")
    scores = world.session.judged_rows()
    options = {"judge": "llm", "tolerance": TOLERANCE, "statement": world.statement}
    rows = pool.with_columns(right=scores["people"])
    return places(aa.certify(rows, ["topic", "length"], "right", **options).slices)


def command_json(world: World) -> dict[str, Said]:
    rows = json.loads(world.call(*world.command, "--json"))["slices"]
    names = [each.place for each in world.found.slices]
    return {name: said_by(row) for name, row in zip(names, rows, strict=True)}


def command_markdown(world: World) -> dict[str, Said]:
    found = {}
    for line in world.call(*world.command, "--markdown").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[2].endswith("%"):
            judge, people = (float(cell.rstrip("%")) / 100.0 for cell in cells[2:4])
            difference = float(cells[4].split()[0].replace("\u2212", "-")) / 100.0
            found[cells[0]] = (cells[1].partition(",")[0], judge, people, difference)
    return found


def page_of_the_certificate(world: World) -> dict[str, Said]:
    world.call(*world.command, "--report", "llm.html")
    return drawn(Path("llm.html").read_text())


def report(world: World) -> dict[str, Said]:
    world.call(*world.command, "--certificate", "c.json")
    world.call("report", "judged.assay", "--judge-certificate", "c.json", "--out", "r.html")
    return drawn(Path("r.html").read_text())


def drawn(page: str) -> dict[str, Said]:
    """Read the rows of a certificate's table in HTML."""
    row = re.compile(
        r'<th scope="row">([^<]*)<small>[\d,]+ rows.*?class="tag">([^<]*).*?'
        r'class="num">(\d+)%</td><td class="num">(\d+)%</td>.*?<b>([-+\d.]+)</b>',
        re.DOTALL,
    )
    return {
        name: (verdict, int(judge) / 100.0, int(people) / 100.0, float(off) / 100.0)
        for name, verdict, judge, people, off in row.findall(page)
    }


def view_of_the_page(world: World) -> dict[str, Said]:
    views = SurfaceAnswers(world.session, StillUpdates(world.session), patience_s=PATIENCE_S)
    view = views.judge(JudgeQuery(tolerance=TOLERANCE, statement=world.statement))
    assert view.verdict == world.found.remarks()[0]
    rows = pl.read_csv(csv_of(view)).to_dicts()
    assert [each.place for each in view.slices] == [row["slice"] for row in rows]
    assert [each.difference for each in view.slices] == [row["difference"] for row in rows]
    return {each.place: said_by(each.model_dump()) for each in view.slices}


@pytest.mark.parametrize(
    ("door", "near"),
    [
        (frame, 1e-9),
        (saved_file, 1e-9),
        (of_the_table, 1e-9),
        (command_json, 1e-9),
        (view_of_the_page, 1e-9),
        (command_markdown, 0.005001),
        (page_of_the_certificate, 0.005001),
        (report, 0.005001),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_door_says_the_same(
    world: World, door: Callable[[World], dict[str, Said]], near: float
) -> None:
    expected, found = places(world.found.slices), door(world)
    assert found.keys() == expected.keys()
    for place, (verdict, *numbers) in expected.items():
        assert found[place][0] == verdict
        assert list(found[place][1:]) == pytest.approx(numbers, abs=near)


def test_the_terminal_says_the_verdict_and_what_the_judge_may_decide(world: World) -> None:
    shown = " ".join(world.call(*world.command).split())
    for line in world.found.remarks():
        assert " ".join(line.split()) in shown


def test_the_gate_lets_it_decide_what_the_certificate_says(world: World) -> None:
    rows = world.session.judged_rows()
    scored = pl.Series(rows["llm"])
    call = {"certificate": world.found, "by_slice": False, "estimator": "beta-independent"}
    by_people = int(rows["people"].count())
    may = world.found.decides(rows, scored, by_slice=False)
    if not may.any():
        return
    surface = aa.judged_surface(rows, ["topic", "length"], "people", **call)
    share = surface.judge_share
    assert share is not None
    assert share.decided == int((may & rows["people"].is_null().to_numpy()).sum())
    assert share.decided == world.found.labels_saved
    assert (share.people, share.tolerance) == (by_people, TOLERANCE)
