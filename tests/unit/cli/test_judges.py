import json
from pathlib import Path

import pytest
from judged_world import make_world

import accuracy_assay as aa

CALL = ("-a", "length", "-a", "topic", "--score", "right", "--estimator", "beta-independent")


@pytest.fixture
def judged(folder: Path) -> tuple[Path, Path]:
    """Files of labelled rows and of a pool, with a judge that is lenient in one arm."""
    pool, labelled = make_world(0, 400, leniency=4.0, n_rows=1000)
    paths = (folder / "labelled.csv", folder / "all.csv")
    labelled.write_csv(paths[0])
    pool.write_csv(paths[1])
    return paths


def test_a_table_gives_the_report_of_python(assay, judged: tuple[Path, Path]) -> None:
    call = ("judges", judged[0], "--pool", judged[1], *CALL, "--judge", "score")
    found = json.loads(assay(*call, "--json").out)
    direct = aa.judge_report(
        judged[0],
        ["length", "topic"],
        "right",
        pool=judged[1],
        judges=["score"],
        estimator="beta-independent",
    )
    assert [row["bias"] for row in found["arms"]] == pytest.approx(direct.arms["bias"].to_list())
    shown = assay(*call, "--picture", "bias.png")
    assert "lenient on length = long, topic = code" in shown.out
    assert "wrote bias.png" in shown.err
    assert Path("bias.png").exists()


def test_an_assay_shows_judges_referees_and_contested_rows(assay, providers: str) -> None:
    empty = assay("judges", providers, "--service", "good")
    assert "no judge has scored enough rows yet, or there are no labels" in empty.out
    assert (
        "a picture must have"
        in assay("judges", providers, "--service", "bad", "--picture", "x.png").err
    )
    assert assay("run", providers, "--answers", "labels.csv").code == 0
    found = json.loads(assay("judges", providers, "--service", "good", "--json").out)
    assert [judge["judge"] for judge in found["judges"]] == ["llm of good"]
    assert sum(row["rows"] for row in found["referees"]) == 80.0
    shown = assay("judges", providers, "--service", "good").out
    assert "Where referees agree with the service" in shown
    assert f"{found['contested']} rows without a label" in shown


def test_referees_of_a_table_need_no_judge(assay, refereed: Path) -> None:
    call = ("judges", refereed, "-a", "sex", "--score", "correct", "--y-pred", "own")
    found = json.loads(assay(*call, "--referee", "ibm", "--json").out)
    assert [row["stratum"] for row in found["referees"]] == ["ibm does not", "ibm agrees"]
    assert found["judges"] == []


def test_what_is_missing_is_named(assay, store: str, rows: Path) -> None:
    assert "judges of a table must have --attribute; got none." in assay("judges", rows).err
    bare = assay("judges", rows, "-a", "sex", "--score", "correct")
    assert "must have --judge or --referee; got neither." in bare.err
    refused = assay("judges", store, "--judge", "opinion")
    assert refused.code == 2
    assert "Leave out --judge" in refused.err
