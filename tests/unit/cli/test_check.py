import json
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from gate_world import normal_surface

import accuracy_assay as aa
from accuracy_assay.domain.surface import AccuracySurface


@pytest.fixture(autouse=True)
def no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests out of the summary of the workflow in which they may run."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture
def surfaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder with two surfaces, of which the new one is poor with old men."""
    normal_surface(0.8).save(tmp_path / "old.surface")
    normal_surface([0.82] * 5 + [0.5], seed=1).save(tmp_path / "new.surface")
    pl.DataFrame({"sex": ["F"]}).write_csv(tmp_path / "mix.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--min", 0.8, "--under", "mix.csv", "--confidence", 0.95), 0),
        (("--min", 0.9), 1),
        (("--min", 0.767), 3),
        (("--max-gap", 0.05, "--between", "sex"), 1),
        (("--max-gap", 0.2, "--between", "sex"), 0),
        (("--no-slice-below", 0.7), 1),
        (("--no-slice-below", 0.7, "--order", 1, "--least-rows", 1500), 0),
        (("--not-worse-than", "old.surface", "--by", 0.02), 1),
        (("--not-worse-than", "old.surface", "--by", 0.4, "--every-arm"), 0),
        (("--min", 0.8, "--where", "sex=F"), 0),
        (("--min", 0.6, "--max-gap", 0.05, "--between", "sex"), 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_check(
    assay, surfaces: Path, options: tuple, code: int
) -> None:
    answer = assay("check", "new.surface", *options)
    assert answer.code == code, answer.out + answer.err
    verdict = {0: "pass", 1: "fail", 3: "not enough labels"}[code]
    assert answer.out.startswith(f"{verdict}: ")


def test_programs_read_the_findings(assay, surfaces: Path) -> None:
    answer = assay("check", "new.surface", "--not-worse-than", "old.surface", "--json")
    found = json.loads(answer.out)
    assert answer.code == 1
    assert (found["verdict"], found["labels"]) == ("fail", 600.0)
    (check,) = found["checks"]
    assert check["asks"] == "not worse than old.surface"
    assert check["findings"][0]["place"] == "sex = M and age = old"
    assert check["findings"][0]["bound"] < 0.0


CHECKS = """
[[check]]
name = "floor"
min = 0.7
under = "mix.csv"
[[check]]
name = "no group is left behind"
max_gap = 0.3
between = "sex"
[[check]]
not_worse_than = "old.surface"
by = 0.4
where = { sex = "F" }
"""


def test_a_file_holds_many_checks(assay, surfaces: Path) -> None:
    (surfaces / "ci").mkdir()
    (surfaces / "ci" / "checks.toml").write_text(CHECKS)
    for name in ("mix.csv", "old.surface"):
        (surfaces / name).rename(surfaces / "ci" / name)  # found beside the file
    answer = assay("check", "new.surface", "--checks", "ci/checks.toml", "--min", "0.6", "--json")
    assert answer.code == 0, answer.err
    names = [check["name"] for check in json.loads(answer.out)["checks"]]
    assert names == [
        "accuracy of at least 60.0%",
        "floor",
        "no group is left behind",
        "not more than 40.0 points worse than old.surface where sex = F",
    ]


def test_strictly_not_enough_labels_leaves_as_a_failure_does(assay, surfaces: Path) -> None:
    asked = ("check", "new.surface", "--min", 0.767)
    assert assay(*asked).code == 3
    strict = assay(*asked, "--strict", "--junit", "gate.xml", "--summary", "step.md")
    assert strict.code == 1
    assert strict.out.startswith("fail: not enough labels, and the gate is strict; accuracy of")
    (suite,) = ElementTree.parse(surfaces / "gate.xml").getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    assert "❌ fail" in (surfaces / "step.md").read_text(encoding="utf-8").splitlines()[0]
    assert assay("check", "new.surface", "--min", 0.5, "--strict").code == 0


def test_python_and_the_command_give_the_same_answer(assay, surfaces: Path) -> None:
    new, old = (AccuracySurface.load(f"{name}.surface") for name in ("new", "old"))
    gate = aa.check(new, min=0.8, no_slice_below=0.7, not_worse_than=old, by=0.02)
    asked = (
        "--min",
        0.8,
        "--no-slice-below",
        0.7,
        "--not-worse-than",
        "old.surface",
        "--by",
        0.02,
    )
    printed = json.loads(assay("check", "new.surface", *asked, "--json").out)
    # The command knows the name of the older surface.
    said = json.dumps(printed).replace("old.surface", "the older surface")
    assert json.loads(said) == json.loads(json.dumps(gate.to_dict()))
    assert str(gate).splitlines()[0].startswith(f"{printed['verdict']}: ")


def test_build_servers_get_their_files(
    assay, surfaces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(surfaces / "step.md"))
    answer = assay("check", "new.surface", "--min", 0.9, "--junit", "gate.xml")
    assert answer.code == 1
    (suite,) = ElementTree.parse(surfaces / "gate.xml").getroot()
    assert (suite.get("name"), suite.get("failures")) == ("assay check new.surface", "1")
    assert "❌ fail" in (surfaces / "step.md").read_text(encoding="utf-8")
    assay("check", "new.surface", "--min", 0.1, "--summary", "other.md")
    assert "✅ pass" in (surfaces / "other.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "a gate must have a check; got none. Give one of --min"),
        (("--by", 0.1), "such as --min 0.8; got --by alone"),
        (("--min", 80), "min must lie in [0, 1]; got 80. Write 80% as 0.8."),
        (("--min", 0.8, "--order", 2), "order must go with no_slice_below"),
        (("--max-gap", 0.1, "--between", "sx"), "Did you mean 'sex'?"),
        (("--min", 0.8, "--where", "sex=X"), "one of [F, M]; got 'X'"),
        (
            ("--min", 0.8, "--service", "good"),
            "must be taken as it is; got",
        ),
        (("--not-worse-than", "none.surface"), "must be a surface file; got 'none.surface'"),
        (("--min", 0.8, "--under", "none.csv"), "none.csv"),
        (
            ("--min", 0.8, "--junit", "nowhere/gate.xml"),
            "JUnit file must go to an existing",
        ),
        (("--checks", "bad.toml"), "[[check]] number 1 in bad.toml: by must go with"),
    ],
)
def test_mistakes_leave_with_two_and_say_what_to_do(
    assay, surfaces: Path, options: tuple, said: str
) -> None:
    (surfaces / "bad.toml").write_text("[[check]]\nmin = 0.8\nby = 0.1\n")
    answer = assay("check", "new.surface", *options)
    assert answer.code == 2
    assert said in answer.err


def test_a_file_that_is_not_there_is_named_whatever_the_options(assay, surfaces: Path) -> None:
    answer = assay("check", "my.assay", "--service", "new", "--min", 0.8)
    assert answer.code == 2
    assert "must exist; got 'my.assay'" in answer.err


def test_a_service_is_checked_against_another_of_its_assay(assay, providers: str) -> None:
    assert assay("edit", providers, "--set", "assay.estimator=beta-independent").code == 0
    assert assay("tell", providers, "--file", "labels.csv").code == 0
    fell = assay(
        "check", providers, "--service", "bad", "--not-worse-than", "good", "--by", 0.02, "--json"
    )
    assert fell.code == 1, fell.err
    (check,) = json.loads(fell.out)["checks"]
    assert "row by row" in check["remarks"][0]
    held = assay("check", providers, "--service", "good", "--not-worse-than", "bad")
    assert held.code == 0
    answer = assay("check", providers, "--service", "good", "--not-worse-than", "god")
    assert answer.code == 2
    assert "a surface file, or one of the services ['good', 'bad']; got 'god'" in answer.err


def test_an_assay_gives_the_answers_of_the_command(assay, providers: str) -> None:
    assert assay("edit", providers, "--set", "assay.estimator=beta-independent").code == 0
    assert assay("tell", providers, "--file", "labels.csv").code == 0
    asked = ("--min", 0.55, "--not-worse-than", "good", "--by", 0.02, "--strict")
    printed = json.loads(assay("check", providers, "--service", "bad", *asked, "--json").out)
    with aa.Assay.open(providers) as opened:
        gate = opened.check("bad", min=0.55, not_worse_than="good", by=0.02, strict=True)
    assert printed == json.loads(json.dumps(gate.to_dict()))


def test_a_table_of_labelled_rows_is_checked_as_its_surface_is(assay, rows: Path) -> None:
    asked = ("-a", "sex", "--score", "correct", "--estimator", "beta-independent")
    for bar, code in ((0.01, 0), (0.99, 1)):
        assert assay("check", rows, *asked, "--min", bar).code == code
    refused = assay("check", rows, "--min", 0.5)
    assert refused.code == 2
    assert "a check of labelled rows must have --attribute; got none." in refused.err


@pytest.mark.parametrize(
    ("options", "code", "mark"),
    [
        (("--min", 0.8, "--where", "sex=F"), 0, "✅ pass"),
        (("--min", 0.9), 1, "❌ fail"),
        (("--min", 0.767), 3, "❔ not enough labels"),
    ],
)
def test_markdown_has_the_verdict_the_checks_and_the_weak_places(
    assay, surfaces: Path, options: tuple, code: int, mark: str
) -> None:
    answer = assay("check", "new.surface", *options, "--markdown")
    assert answer.code == code
    lines = answer.out.splitlines()
    assert lines[0] == f"### assay check new.surface: {mark}"
    table = lines.index("| check | verdict | found |")
    assert lines.index("#### Likeliest weak places") > table
    assert any(line.startswith("| sex = M and age = ") for line in lines)


def test_a_summary_is_the_markdown(assay, surfaces: Path) -> None:
    shown = assay("check", "new.surface", "--min", 0.8, "--markdown", "--summary", "gate.md")
    assert (surfaces / "gate.md").read_text() == shown.out
    both = assay("check", "new.surface", "--min", 0.8, "--markdown", "--json")
    assert (both.code, "--json and --markdown" in both.err) == (2, True)
