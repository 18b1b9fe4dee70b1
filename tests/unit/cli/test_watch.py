import json
from pathlib import Path

import polars as pl
import pytest
from drifting_rows import drifting_rows
from http_endpoint import Reply, endpoint

import accuracy_assay as aa

OPTIONS = ("-a", "region", "-a", "sex", "--score", "right", "--time", "day", "--baseline", "9")


@pytest.fixture
def table(folder: Path) -> Path:
    drifting_rows().write_csv(folder / "log.csv")
    return folder / "log.csv"


def test_a_loss_exits_with_one_and_says_what_python_says(assay, table: Path) -> None:
    found = aa.watch(table, ["region", "sex"], "right", time="day", baseline=9)
    shown = assay("watch", table, *OPTIONS, "--out", "a.watch", "--picture", "a.png")
    assert shown.code == 1
    assert shown.out.startswith(str(found).splitlines()[0][:60])
    assert Path("a.png").exists()
    assert str(aa.Watch.load("a.watch")) == str(found)
    made = json.loads(assay("watch", table, *OPTIONS, "--json").out)
    assert made["says"] == found.headline
    assert [row["slice"] for row in made["alarms"]] == found.alarms["slice"].to_list()
    markdown = assay("watch", table, *OPTIONS, "--markdown").out
    assert markdown.startswith("### assay watch log.csv: ❌ alarm")


def test_a_stable_service_exits_with_zero_and_few_labels_with_three(assay, folder: Path) -> None:
    drifting_rows(lost=0.0).write_csv(folder / "a.csv")
    stable = assay("watch", "a.csv", *OPTIONS)
    assert (stable.code, stable.out[:8]) == (0, "No alarm")
    drifting_rows(n=30, lost=0.0).write_csv(folder / "b.csv")
    few = assay("watch", "b.csv", *OPTIONS)
    assert (few.code, few.out[:17]) == (3, "Not enough labels")


def test_a_mistake_in_the_input_exits_with_two(assay, table: Path) -> None:
    found = assay("watch", table, *OPTIONS[:-1], "99")
    assert found.code == 2
    assert "baseline must leave labels on both sides" in found.err


def test_a_store_is_watched_by_its_random_labels_as_in_python(assay, folder: Path) -> None:
    rows = drifting_rows(n=400).with_columns(
        id=pl.int_range(400).cast(pl.String), said=pl.lit("1")
    )
    rows.drop("right").write_parquet(folder / "pool.parquet")
    spec = {
        "assay": {"name": "log", "budget": 400, "strategy": "random"},
        "pool": {"path": "pool.parquet", "id": "id"},
        "attribute": [{"name": "region"}],
        "service": [{"name": "it", "column": "said"}],
        "label": {"choices": ["0", "1"]},
    }
    with aa.Assay.create("log.assay", spec) as made:
        few = assay("watch", "log.assay")
        assert few.code == 3
        assert "at least 40 labels that were drawn at random; got 0 of 0" in few.err
        batch = made.ask(300, annotator="ann")
        right = dict(zip(rows["id"], rows["right"], strict=True))
        made.tell(batch["id"], [str(right[i]) for i in batch["id"]], annotator="ann")
        found = made.watch(time="day", baseline=9)
    shown = assay("watch", "log.assay", "--time", "day", "--baseline", "9")
    assert shown.out.splitlines()[0][:60] == found.headline[:60]
    assert shown.code == {"alarm": 1, "no alarm": 0}[found.verdict]
    refused = assay("watch", "log.assay", "--score", "right")
    assert (refused.code, "must follow its spec" in refused.err) == (2, True)


def test_a_table_needs_the_column_of_its_times(assay, table: Path) -> None:
    found = assay("watch", table, "-a", "region", "--score", "right")
    assert (found.code, "must have --time" in found.err) == (2, True)


def test_an_alarm_is_posted_and_a_failure_does_not_hide_it(assay, folder: Path) -> None:
    drifting_rows(n=900, lost=0.7).write_csv(folder / "log.csv")
    with endpoint(lambda call: Reply("ok", 200 if call.path.endswith("/hook") else 500)) as server:
        found = assay("watch", "log.csv", *OPTIONS, "--webhook", f"{server.url}/hook")
        refused = assay("watch", "log.csv", *OPTIONS, "--webhook", f"{server.url}/other")
    posted = server.calls[0].content
    assert found.code == 1
    assert "posted the alarm" in found.err
    assert posted["text"][:60] == found.out[:60]
    assert posted["alarms"][0]["slice"] == "region = north"
    assert (refused.code, refused.out[:5]) == (1, "Alarm")
    assert "webhook failed: the server answered 500" in refused.err


def test_a_stable_service_posts_nothing_but_a_wrong_address_is_refused(
    assay, folder: Path
) -> None:
    drifting_rows(n=300, lost=0.0).write_csv(folder / "log.csv")
    with endpoint(lambda call: Reply("ok")) as server:
        assert assay("watch", "log.csv", *OPTIONS, "--webhook", server.url).code == 0
    assert not server.calls
    wrong = assay("watch", "log.csv", *OPTIONS, "--webhook", "hooks.example.org")
    assert (wrong.code, "webhook must begin with http" in wrong.err) == (2, True)


def test_the_surface_now_is_one_in_python_in_its_file_and_in_the_report(
    assay, folder: Path
) -> None:
    rows = drifting_rows(n=1500).with_columns(
        release=pl.when(pl.col("day") < 20).then(pl.lit("v1")).otherwise(pl.lit("v2"))
    )
    rows.write_csv(folder / "log.csv")
    files = ("--surface", "now.surface", "--report", "now.html")
    found = assay("watch", "log.csv", *OPTIONS, "--version", "release", "--json", *files)
    assert found.code == 1
    assert [each["version"] for each in json.loads(found.out)["versions"]] == ["v1", "v2"]
    now = aa.watch(
        rows, ["region", "sex"], "right", time="day", baseline=9, version="release"
    ).surface()
    assert aa.AccuracySurface.load("now.surface").overall == now.overall
    page = Path("now.html").read_text(encoding="utf-8")
    assert '<section id="over-time">' in page
    whole = now.overall
    assert f"As it is now: {100 * whole.mean:.1f}% {whole.about}" in page
    assert "New versions: v2" in page
